/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of a mount: /sys/fs/dsfs/<device>/stats/.
 *
 * Opens and reads on many CPUs increment counters, so each CPU has its own: one
 * addition, without a lock and without sharing a cache line. Readers sum them
 * up. Counters have 64 bits on all machines, because 32 bits of bytes last less
 * than a day.
 */
#ifndef DSFS_STATS_H
#define DSFS_STATS_H

#include "internal.h"

#include <linux/percpu.h>

/* Purpose of a request to the device */
enum dsfs_request {
	DSFS_REQUEST_WHOLE,	/* whole-file read */
	DSFS_REQUEST_AHEAD,	/* readahead */
	DSFS_REQUEST_PAGE,	/* a single folio that a task waits for */
	DSFS_REQUEST_DIRECT,	/* O_DIRECT */
	DSFS_REQUEST_META,	/* metadata that is not resident */
	DSFS_REQUESTS
};

/* Decision of the epoch cache on the pages of a file, or on a hint for them */
enum dsfs_decision {
	DSFS_CACHE_ADMITTED,
	DSFS_CACHE_TRANSIENT,	/* no room: dropped after close */
	DSFS_CACHE_DROPPED,	/* dropped */
	DSFS_PREFETCH_ISSUED,
	DSFS_PREFETCH_BUSY,	/* too many bytes in flight */
	DSFS_PREFETCH_CACHED,	/* some pages are cached */
	DSFS_PREFETCH_PRESSURE,	/* memory pressure */
};

/* Counters since mount */
enum dsfs_counter {
	DSFS_COUNT_OPENS,		/* of regular files */
	DSFS_COUNT_WHOLE,		/* whole-file reads that a reader waited for */
	DSFS_COUNT_REQ,			/* bios sent, by enum dsfs_request */
	DSFS_COUNT_BYTES = DSFS_COUNT_REQ + DSFS_REQUESTS,	/* their bytes */
	DSFS_COUNT_CACHE_ADMITTED = DSFS_COUNT_BYTES + DSFS_REQUESTS,	/* reads */
	DSFS_COUNT_CACHE_TRANSIENT,	/* reads not admitted for lack of room */
	DSFS_COUNT_CACHE_LOST,		/* admitted pages that reclaim took */
	DSFS_COUNT_PREFETCH_ISSUED,	/* files read because of a hint */
	DSFS_COUNT_PREFETCH_DROPPED,	/* hints without effect */
	DSFS_COUNTERS
};

/* dsfs_count - add @n to a counter, in any context */
static inline void dsfs_count(const struct super_block *sb, enum dsfs_counter which,
			      u64 n)
{
	this_cpu_add(DSFS_SB(sb)->stats[which], n);
}

/* dsfs_count_request - count a bio of @bytes, sent to the device */
static inline void dsfs_count_request(const struct super_block *sb,
				      enum dsfs_request kind, u64 bytes)
{
	dsfs_count(sb, DSFS_COUNT_REQ + kind, 1);
	dsfs_count(sb, DSFS_COUNT_BYTES + kind, bytes);
}

#endif /* DSFS_STATS_H */
