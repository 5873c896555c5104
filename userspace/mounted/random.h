/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers that are the same on every machine: xoshiro256** by Blackman and
 * Vigna, whose state comes from the seed by SplitMix64.  An order must not change with
 * libc, as it is named by its seed.
 */
#ifndef DSFS_RANDOM_H
#define DSFS_RANDOM_H

#include "dsfs_platform.h"

struct random {
	u64 s[4];
};

static inline void random_seed(struct random *r, u64 seed)
{
	for (int i = 0; i < 4; i++) {
		u64 z = seed += 0x9e3779b97f4a7c15ULL;

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
		r->s[i] = z ^ (z >> 31);
	}
}

static inline u64 random_rotl(u64 x, int k)
{
	return x << k | x >> (64 - k);
}

static inline u64 random_next(struct random *r)
{
	const u64 result = random_rotl(r->s[1] * 5, 7) * 9;
	const u64 t = r->s[1] << 17;

	r->s[2] ^= r->s[0];
	r->s[3] ^= r->s[1];
	r->s[1] ^= r->s[2];
	r->s[0] ^= r->s[3];
	r->s[2] ^= t;
	r->s[3] = random_rotl(r->s[3], 45);
	return result;
}

/* A number from 0 to @n - 1, uniformly distributed; @n is not 0. */
static inline u64 random_below(struct random *r, u64 n)
{
	const u64 skip = -n % n;
	u64 v;

	do
		v = random_next(r);
	while (v < skip);
	return v % n;
}

#endif /* DSFS_RANDOM_H */
