/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What threads of this process are bringing in, so that another one that wants the same waits
 * for it instead of asking again.
 */
#ifndef DSFS_FLIGHT_H
#define DSFS_FLIGHT_H

#include <sys/queue.h>

#include "dsfs_platform.h"

/**
 * struct flight - a range that one thread brings in
 * @of: what the range is of: flights of the same address are compared
 * @first, @end: the range
 * @number: of this flight, in the order in which they began; the first is 1
 */
struct flight {
	LIST_ENTRY(flight) link;
	const void *of;
	u64 first;
	u64 end;
	u64 number;
};

/**
 * flight_begin - say that a range is about to be brought in
 * @f: memory of the caller, with @of, @first and @end set; to be ended by flight_end()
 * @stop: as of struct dsfs_reader
 *
 * Waits for those under way that hold all of it.  So who comes back looks once more whether
 * the range is there.
 *
 * Return: 0, or -EINTR after a signal or @stop: nothing has begun.
 */
int flight_begin(struct flight *f, int (*stop)(void));
void flight_end(struct flight *f);

#endif /* DSFS_FLIGHT_H */
