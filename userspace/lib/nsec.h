/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Times of the format, signed nanoseconds since 1970, and times as stat(2) has them.
 */
#ifndef DSFS_NSEC_H
#define DSFS_NSEC_H

#include <time.h>

#include "dsfs_platform.h"

#define NSEC_PER_SEC	1000000000LL

/**
 * struct nsec_time - a time as stat(2) has it
 * @sec: rounded down
 * @nsec: 0 to 999,999,999
 */
struct nsec_time {
	s64 sec;
	u32 nsec;
};

/** nsec_split - a time of the format as stat(2) has it */
static inline struct nsec_time nsec_split(s64 ns)
{
	struct nsec_time t = { .sec = ns / NSEC_PER_SEC };
	s64 rest = ns % NSEC_PER_SEC;

	if (rest < 0) {
		rest += NSEC_PER_SEC;
		t.sec--;
	}
	t.nsec = rest;
	return t;
}

/**
 * nsec_join - the reverse
 * @sec: rounded down
 * @nsec: 0 to 999,999,999
 * @ns: the time; the nearest one if it cannot be had
 *
 * Return: false if the time is outside of 1677 to 2262.
 */
static inline bool nsec_join(s64 sec, s64 nsec, s64 *ns)
{
	/* Rounded towards zero, the product does not overflow unless the sum does. */
	if (sec < 0 && nsec) {
		sec++;
		nsec -= NSEC_PER_SEC;
	}
	if (!__builtin_mul_overflow(sec, NSEC_PER_SEC, ns) &&
	    !__builtin_add_overflow(*ns, nsec, ns))
		return true;
	*ns = sec < 0 ? INT64_MIN : INT64_MAX;
	return false;
}

/** nsec_of - of a clock, whose times are never outside */
static inline s64 nsec_of(const struct timespec *ts)
{
	return ts->tv_sec * NSEC_PER_SEC + ts->tv_nsec;
}

#endif /* DSFS_NSEC_H */
