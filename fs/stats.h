/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of a mount: /sys/fs/dsfs/<device>/stats/.
 *
 * Opens and reads on many CPUs increment counters, so each CPU has its own: one
 * addition, without a lock and without sharing a cache line. Readers sum them
 * up. Counters have 64 bits on all machines, because 32 bits of bytes last less
 * than a day; where a 64-bit addition is two instructions, it is atomic.
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

/* Decision of the epoch cache on the pages of a file */
enum dsfs_cache_decision {
	DSFS_CACHE_ADMITTED,
	DSFS_CACHE_TRANSIENT,	/* no room: dropped after close */
	DSFS_CACHE_DROPPED,	/* dropped */
};

/* Decision on a hint */
enum dsfs_prefetch_decision {
	DSFS_PREFETCH_ISSUED,
	DSFS_PREFETCH_BUSY,	/* too many bytes in flight */
	DSFS_PREFETCH_CACHED,	/* some pages are cached */
	DSFS_PREFETCH_PRESSURE,	/* memory pressure */
};

/**
 * enum dsfs_counter - counters since mount
 * @DSFS_COUNT_OPENS: opens of regular files
 * @DSFS_COUNT_WHOLE: whole-file reads that a reader waited for
 * @DSFS_COUNT_REQ: bios sent to the device, by enum dsfs_request
 * @DSFS_COUNT_BYTES: their bytes
 * @DSFS_COUNT_CACHE_ADMITTED: files admitted by the epoch cache
 * @DSFS_COUNT_CACHE_TRANSIENT: files not admitted for lack of room
 * @DSFS_COUNT_CACHE_LOST: pages that reclaim took
 * @DSFS_COUNT_PREFETCH_ISSUED: files read because of a hint
 * @DSFS_COUNT_PREFETCH_USED: those that were then used
 * @DSFS_COUNT_PREFETCH_DROPPED: hints without effect, and files read in vain
 * @DSFS_COUNTERS: number of counters
 */
enum dsfs_counter {
	DSFS_COUNT_OPENS,
	DSFS_COUNT_WHOLE,
	DSFS_COUNT_REQ,
	DSFS_COUNT_BYTES = DSFS_COUNT_REQ + DSFS_REQUESTS,
	DSFS_COUNT_CACHE_ADMITTED = DSFS_COUNT_BYTES + DSFS_REQUESTS,
	DSFS_COUNT_CACHE_TRANSIENT,
	DSFS_COUNT_CACHE_LOST,
	DSFS_COUNT_PREFETCH_ISSUED,
	DSFS_COUNT_PREFETCH_USED,
	DSFS_COUNT_PREFETCH_DROPPED,
	DSFS_COUNTERS
};

/* Counters of one CPU */
struct dsfs_stats {
#if BITS_PER_LONG == 64
	u64 count[DSFS_COUNTERS];
#else
	atomic64_t count[DSFS_COUNTERS];
#endif
};

/**
 * dsfs_count - add to a counter
 * @sb: the mount
 * @which: the counter
 * @n: the amount
 *
 * Can be called from any context.
 */
static inline void dsfs_count(const struct super_block *sb, enum dsfs_counter which,
			      u64 n)
{
	struct dsfs_stats __percpu *stats = DSFS_SB(sb)->stats;

#if BITS_PER_LONG == 64
	this_cpu_add(stats->count[which], n);
#else
	/*
	 * After a migration this adds to another CPU's counter, which is
	 * harmless.
	 */
	atomic64_add(n, &raw_cpu_ptr(stats)->count[which]);
#endif
}

/**
 * dsfs_count_requests - count bios sent to the device
 * @sb: the mount
 * @kind: their purpose
 * @bios: their number
 * @bytes: their total length
 */
static inline void dsfs_count_requests(const struct super_block *sb,
				       enum dsfs_request kind, u64 bios, u64 bytes)
{
	dsfs_count(sb, DSFS_COUNT_REQ + kind, bios);
	dsfs_count(sb, DSFS_COUNT_BYTES + kind, bytes);
}

/* stats.c */
extern const struct iomap_dio_ops dsfs_dio_ops;
int dsfs_stats_init(struct super_block *sb);
u64 dsfs_stats_sum(const struct dsfs_sb_info *sbi, enum dsfs_counter which);

#endif /* DSFS_STATS_H */
