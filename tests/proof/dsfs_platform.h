/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Platform header of the format code for proofs: as that of the tools, with checksums and
 * hashes that are any number.  What they are of has to be readable.
 */
#ifndef DSFS_PLATFORM_H
#define DSFS_PLATFORM_H

#include <dirent.h>
#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

#define U32_MAX		UINT32_MAX
#define __cold
#undef __always_inline
#define __always_inline	inline

/* cbmc has x86's byte order here. */
static inline u16 le16_to_cpu(__le16 v) { return v; }
static inline u32 le32_to_cpu(__le32 v) { return v; }
static inline u64 le64_to_cpu(__le64 v) { return v; }
/* Sizes of records are powers of two. */
static inline u64 div_u64(u64 n, u32 d)
{
	__CPROVER_assert(d && !(d & (d - 1)), "a divisor is a power of two");
	return n >> __builtin_ctz(d);
}

u32 nondet_u32(void);
u64 nondet_u64(void);

static inline u32 dsfs_crc32c(u32 sum, const void *p, size_t len)
{
	__CPROVER_assert(__CPROVER_r_ok(p, len), "what a checksum is of is readable");
	return nondet_u32();
}

static inline u64 xxh64(const void *p, size_t len, u64 seed)
{
	__CPROVER_assert(__CPROVER_r_ok(p, len), "what a hash is of is readable");
	return nondet_u64();
}

/* Of pieces: what reads images in pieces is not proven. */
struct xxh64_state {
	u64 seed;
};

static inline void xxh64_reset(struct xxh64_state *state, u64 seed)
{
	state->seed = seed;
}

static inline void xxh64_update(struct xxh64_state *state, const void *p, size_t len)
{
	state->seed = xxh64(p, len, state->seed);
}

static inline u64 xxh64_digest(const struct xxh64_state *state)
{
	return state->seed;
}

#endif /* DSFS_PLATFORM_H */
