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
 * @of: whose
 * @first: and @end, what
 * @number: how many began before, and itself
 */
struct flight {
	LIST_ENTRY(flight) link;
	const void *of;
	u64 first;
	u64 end;
	u64 number;
};

/**
 * flight_begin - before a range is brought in
 * @f: of the caller, with its members from @of on; to be ended by flight_end()
 *
 * Waits for those under way that hold all of it.  So who comes back looks once more whether
 * the range is there.
 */
void flight_begin(struct flight *f);
void flight_end(struct flight *f);

#endif /* DSFS_FLIGHT_H */
