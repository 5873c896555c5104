// SPDX-License-Identifier: GPL-2.0
/*
 * Orders of reading a set of files.  No I/O, and no random numbers of libc: the
 * same files and seed give the same order on every machine.
 */
#include "array.h"
#include "random.h"
#include "shuffle.h"

static void swap(u32 *a, u32 *b)
{
	const u32 t = *a;

	*a = *b;
	*b = t;
}

/* Fisher and Yates */
static void mix(struct random *r, u32 *v, size_t nr)
{
	for (size_t i = nr; i > 1; i--)
		swap(&v[i - 1], &v[random_below(r, i)]);
}

void order_sorted(u32 *order, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		order[i] = i;
}

void order_true(u32 *order, size_t nr, u64 seed)
{
	struct random r;

	order_sorted(order, nr);
	random_seed(&r, seed);
	mix(&r, order, nr);
}

/*
 * Find the files with which ranges begin; @cuts gets their numbers, and has room for all files.
 * A file belongs to the range that its first byte is in, counted in bytes of files.
 */
static size_t cut(const u64 *sizes, size_t nr, u64 range, u64 first, u32 *cuts)
{
	u64 left = first;
	size_t n = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!i || !left) {
			cuts[n++] = i;
			if (i)
				left = range;
		}
		left -= sizes[i] < left ? sizes[i] : left;
	}
	return n;
}

/* Shuffle the ranges of the device; the files of a range stay in the order of the device. */
static int order_ranges(u32 *order, struct random *r, const u64 *sizes, size_t nr, u64 range)
{
	const u64 first = 1 + random_below(r, range);
	u32 *cuts = calloc((nr + 1) * 2, sizeof(*cuts)), *turn;
	size_t n;

	if (!cuts)
		return -ENOMEM;
	turn = cuts + nr + 1;
	n = cut(sizes, nr, range, first, cuts);
	cuts[n] = nr;
	order_sorted(turn, n);
	mix(r, turn, n);
	for (size_t i = 0; i < n; i++) {
		for (u32 k = cuts[turn[i]]; k < cuts[turn[i] + 1]; k++)
			*order++ = k;
	}
	free(cuts);
	return 0;
}

/*
 * Count the files of the next buffer, of the @left files at @v.  Buffers end at multiples of their
 * size, counted from the beginning, so a reader that counts the bytes it reads finds the same
 * buffers, give or take a file.  @total counts the bytes.
 */
static size_t next_buffer(const u32 *v, size_t left, const u64 *sizes, u64 buffer, u64 *total)
{
	const u64 end = (*total / buffer + 1) * buffer;
	size_t n = 0;

	while (n < left && *total < end)
		*total += sizes[v[n++]];
	return n;
}

static int by_number(const void *p, const void *q)
{
	return array_order(*(const u32 *)p, *(const u32 *)q);
}

int order_buffered(u32 *order, const u64 *sizes, size_t nr,
		   u64 range, u64 buffer, u64 seed, bool ahead)
{
	struct random r;
	u64 total = 0;
	size_t n;

	random_seed(&r, seed);
	if (order_ranges(order, &r, sizes, nr, range))
		return -ENOMEM;
	for (size_t at = 0; at < nr; at += n) {
		n = next_buffer(order + at, nr - at, sizes, buffer, &total);
		if (ahead)
			qsort(order + at, n, sizeof(*order), by_number);
		else
			mix(&r, order + at, n);
	}
	return 0;
}
