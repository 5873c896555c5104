/* SPDX-License-Identifier: GPL-2.0 */
/* What the programs of the bench share: the clock, and medians. */
#ifndef GUEST_BENCH_H
#define GUEST_BENCH_H

#include "lib.h"

static inline uint64_t bench_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static inline int bench_by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Afterwards the median is in the middle, the range at the ends. */
static inline void bench_sort(double *v, size_t count)
{
	qsort(v, count, sizeof(*v), bench_by_value);
}

#endif
