/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a mount did, counted: /sys/fs/dsfs/<device>/stats/.
 *
 * A counter is in the way of opens and reads that many processors make at once, so each
 * has its own and nobody waits for a cache line of another: one addition, without a
 * lock.  Readers add them up.  They are 64 bits wide everywhere, since a day's bytes do
 * not fit into 32; where such an addition is two, it is an atomic one.
 */
#ifndef DSFS_STATS_H
#define DSFS_STATS_H

#include "internal.h"

#include <linux/percpu.h>

/* What a request to the device is for */
enum dsfs_request {
	DSFS_REQUEST_WHOLE,	/* a file at its first touch, all of it */
	DSFS_REQUEST_AHEAD,	/* readahead */
	DSFS_REQUEST_PAGE,	/* a folio that somebody waits for */
	DSFS_REQUEST_DIRECT,	/* O_DIRECT */
	DSFS_REQUEST_META,	/* metadata that is not resident */
	DSFS_REQUESTS
};

/* What became of pages of a file in the epoch cache */
enum dsfs_cache_decision {
	DSFS_CACHE_KEPT,
	DSFS_CACHE_TRANSIENT,	/* there was no room: they leave again */
	DSFS_CACHE_DROPPED,	/* they left */
	DSFS_CACHE_REPLACED,	/* they made room for another file */
};

/* What became of a hint that a file will be read */
enum dsfs_prefetch_decision {
	DSFS_PREFETCH_ISSUED,
	DSFS_PREFETCH_BUSY,	/* too much was in flight */
	DSFS_PREFETCH_CACHED,	/* some of it was there */
	DSFS_PREFETCH_PRESSURE,	/* memory was short */
};

/**
 * enum dsfs_counter - what is counted, since the mount
 * @DSFS_COUNT_OPENS: regular files opened
 * @DSFS_COUNT_WHOLE: first reads that brought in a file whole and waited for it
 * @DSFS_COUNT_REQ: bios sent to the device, of each enum dsfs_request
 * @DSFS_COUNT_BYTES: their bytes
 * @DSFS_COUNT_CACHE_KEPT: files that the epoch cache took in
 * @DSFS_COUNT_CACHE_TRANSIENT: files that passed through, as there was no room
 * @DSFS_COUNT_CACHE_REPLACED: files that it gave up for others
 * @DSFS_COUNT_CACHE_LOST: pages of it that were reclaimed from outside
 * @DSFS_COUNT_PREFETCH_ISSUED: files that a hint had read
 * @DSFS_COUNT_PREFETCH_USED: those of them that somebody then read
 * @DSFS_COUNT_PREFETCH_DROPPED: hints that did nothing
 * @DSFS_COUNTERS: how many
 */
enum dsfs_counter {
	DSFS_COUNT_OPENS,
	DSFS_COUNT_WHOLE,
	DSFS_COUNT_REQ,
	DSFS_COUNT_BYTES = DSFS_COUNT_REQ + DSFS_REQUESTS,
	DSFS_COUNT_CACHE_KEPT = DSFS_COUNT_BYTES + DSFS_REQUESTS,
	DSFS_COUNT_CACHE_TRANSIENT,
	DSFS_COUNT_CACHE_REPLACED,
	DSFS_COUNT_CACHE_LOST,
	DSFS_COUNT_PREFETCH_ISSUED,
	DSFS_COUNT_PREFETCH_USED,
	DSFS_COUNT_PREFETCH_DROPPED,
	DSFS_COUNTERS
};

/* Of one processor */
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
 * @n: how much
 *
 * From any context.
 */
static inline void dsfs_count(const struct super_block *sb, enum dsfs_counter which,
			      u64 n)
{
	struct dsfs_stats __percpu *stats = DSFS_SB(sb)->stats;

#if BITS_PER_LONG == 64
	this_cpu_add(stats->count[which], n);
#else
	/* Whoever moves to another processor meanwhile adds to this one's. */
	atomic64_add(n, &raw_cpu_ptr(stats)->count[which]);
#endif
}

/**
 * dsfs_count_requests - count bios that are sent to the device
 * @sb: the mount
 * @kind: what for
 * @bios: how many
 * @bytes: of all of them
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
