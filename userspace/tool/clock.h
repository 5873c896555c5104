/* SPDX-License-Identifier: GPL-2.0 */
/* A monotonic clock, for durations. */
#ifndef DSFS_CLOCK_H
#define DSFS_CLOCK_H

#include "nsec.h"

/** clock_ns - nanoseconds since an arbitrary point in time */
static inline s64 clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return nsec_of(&ts);
}

#endif /* DSFS_CLOCK_H */
