// SPDX-License-Identifier: GPL-2.0
/*
 * cache=epoch: which files stay in the page cache when a job reads a data set
 * that is larger than memory again and again, each epoch in a new random order.
 *
 * Least-recently-used replacement is wrong for that, because what was read last
 * is needed last. If a share c of the set fits, LRU finds c + (1 - c) ln(1 - c)
 * of it in the cache (15 % if half fits); any policy that keeps what it has
 * finds c. So this is a policy of admission. A file that is read from the device
 * is either admitted or transient. Pages of transient files are dropped soon
 * after the file is closed.
 *
 * Whether there is room is a question to reclaim, which knows all limits.
 * Folios of admitted files have private data, so reclaim calls release_folio()
 * before it takes one: a loss, unless the file is stale. A mount has a target,
 * which losses lower, and windows without losses raise, by small steps first.
 * Losses that are few beside what is admitted do not count: reclaim takes
 * pages of others then. Admitted folios are marked referenced, so that pages
 * which others read once are colder. Nothing is pinned.
 *
 * A job may switch to other files. Files that were not opened for longer than
 * the reuse distance, which is observed, are stale. A clock hand drops them.
 *
 * cache=lru skips all of this.
 */
#include "cache.h"
#include "read.h"
#include "stats.h"
#include "trace.h"

#include <linux/backing-dev.h>
#include <linux/math64.h>
#include <linux/pagemap.h>
#include <linux/slab.h>

/* Smallest step of the target, as a share of a window: 2^-8 */
#define DSFS_SHIFT_MAX		8

/* Smallest turn, in opens */
#define DSFS_REUSE_MIN		1024UL

/* Maximum number of inode numbers that one admission looks at */
#define DSFS_HAND_MAX		64

/* Most windows without losses before the share is doubled again */
#define DSFS_HOLD_MAX		7U

/* Smallest window, in pages */
#define DSFS_WINDOW_MIN		(SZ_4M >> PAGE_SHIFT)

static struct dsfs_cache *dsfs_cache_of(const struct super_block *sb)
{
	struct dsfs_sb_info *sbi = DSFS_SB(sb);

	if (READ_ONCE(sbi->opt.cache) != DSFS_CACHE_EPOCH)
		return NULL;
	/* Pairs with the release in dsfs_cache_enable(). */
	return smp_load_acquire(&sbi->cache);
}

static unsigned long dsfs_cache_now(struct dsfs_cache *cache)
{
	return (percpu_counter_read_positive(&cache->clock) & DSFS_TIME_MASK) ? : 1;
}

/*
 * Largest reuse distance of late, in opens. In shuffled epochs, two reads of a
 * file are up to two epochs apart.
 */
static unsigned long dsfs_reuse_distance(struct dsfs_cache *cache)
{
	return max(READ_ONCE(cache->reuse[0]), READ_ONCE(cache->reuse[1]));
}

/* Age after which a file is stale; 0: not known, in the first epoch */
static unsigned long dsfs_stale_age(struct dsfs_cache *cache)
{
	const unsigned long distance = dsfs_reuse_distance(cache);

	return distance + distance / 4;
}

/* Sliding maximum over one to two turns, each as long as the last maximum */
static void dsfs_reuse_turn(struct dsfs_cache *cache)
{
	const unsigned long now = dsfs_cache_now(cache);

	if (dsfs_time_since(cache->reuse_end, now) == 0)
		return;
	WRITE_ONCE(cache->reuse[0], cache->reuse[1]);
	WRITE_ONCE(cache->reuse[1], 0);
	cache->reuse_end = (now + max(cache->reuse[0], DSFS_REUSE_MIN)) & DSFS_TIME_MASK;
}

/*
 * Losses that are few beside what was admitted are none: reclaim takes pages of
 * others. Else the target is what was held before, less a part of the loss, so
 * that a target that is too high falls until the losses end.
 */
static void dsfs_cache_lower(struct dsfs_cache *cache, unsigned long held,
			     unsigned long window)
{
	unsigned long lost = atomic_long_xchg(&cache->lost, 0);

	if (!lost)
		return;
	dsfs_count(cache->sb, DSFS_COUNT_CACHE_LOST, lost);
	cache->losses += lost;
	if (cache->shift < DSFS_SHIFT_MAX) {
		if (cache->losses <= cache->admitted / 2 + window / 256)
			return;
		lost = cache->losses;
		cache->hold = cache->fails;
		cache->fails = min(2 * cache->fails + 1, DSFS_HOLD_MAX);
		cache->target = min_t(long, cache->shift ? cache->target : LONG_MAX, held + lost);
	}
	cache->target -= lost / 2;
	cache->shift = DSFS_SHIFT_MAX;
}

/* A window without losses doubles the share that is admitted beyond @held. */
static void dsfs_cache_turn(struct dsfs_cache *cache)
{
	const unsigned long held = max(atomic_long_read(&cache->held), 0L);
	const unsigned long window = max(held / 8, DSFS_WINDOW_MIN);

	dsfs_cache_lower(cache, held, window);
	if (cache->missed < window)
		return;
	dsfs_reuse_turn(cache);
	if (cache->losses <= cache->admitted / 2 + window / 256) {
		if (cache->hold)
			cache->hold--;
		else if (cache->shift)
			cache->shift--;
		else
			cache->fails = 0;
		cache->target = max_t(long, cache->target, held) + (window >> cache->shift);
	}
	cache->missed = 0;
	cache->admitted = 0;
	cache->losses = 0;
}

/*
 * Drop files that the job does not use any more. The clock hand moves over the
 * inode numbers, which are dense. It goes round once in the time after which
 * files are stale, and faster while it finds stale files.
 */
static void dsfs_cache_sweep(struct dsfs_cache *cache)
{
	const u64 inodes = dsfs_geo(cache->sb)->inodes;
	const unsigned long now = dsfs_cache_now(cache);
	const unsigned long age = dsfs_stale_age(cache);
	u64 steps;

	if (!age || !mutex_trylock(&cache->hand_lock))
		return;
	steps = div64_u64(dsfs_time_since(cache->hand_time, now) * inodes, age);
	if (steps)
		cache->hand_time = now;
	for (steps = min_t(u64, steps + cache->hand_found, DSFS_HAND_MAX); steps; steps--) {
		cache->hand = cache->hand + 1 < inodes ? cache->hand + 1 : 1;
		cache->hand_found = dsfs_file_drop_stale(cache->sb, cache->hand, now, age) ?
				    2 * steps : cache->hand_found / 2;
	}
	mutex_unlock(&cache->hand_lock);
}

static bool dsfs_cache_admits(struct dsfs_cache *cache, unsigned long pages)
{
	bool admits;

	cache->missed += pages;
	dsfs_cache_turn(cache);
	admits = !cache->shift || atomic_long_read(&cache->held) < cache->target;
	if (admits)
		cache->admitted += pages;
	return admits;
}

/* A file is admitted as a whole or not at all, when it is first read. */
static bool dsfs_cache_file(struct dsfs_cache *cache, struct inode *inode)
{
	const unsigned long pages = DIV_ROUND_UP_ULL(i_size_read(inode), PAGE_SIZE);
	unsigned long state = READ_ONCE(*dsfs_file_state(inode));
	bool admits;

	if (state & DSFS_FILE_DECIDED)
		return state & DSFS_FILE_ADMITTED;
	dsfs_cache_sweep(cache);
	spin_lock(&cache->lock);
	state = READ_ONCE(*dsfs_file_state(inode));
	if (state & DSFS_FILE_DECIDED) {
		spin_unlock(&cache->lock);
		return state & DSFS_FILE_ADMITTED;
	}
	admits = dsfs_cache_admits(cache, pages);
	dsfs_file_change(inode, 0, admits ? DSFS_FILE_ADMITTED : DSFS_FILE_TRANSIENT, 0);
	spin_unlock(&cache->lock);
	dsfs_count(inode->i_sb, admits ? DSFS_COUNT_CACHE_ADMITTED :
					 DSFS_COUNT_CACHE_TRANSIENT, 1);
	trace_dsfs_cache(inode, pages, admits ? DSFS_CACHE_ADMITTED : DSFS_CACHE_TRANSIENT);
	if (!admits)
		dsfs_ring_add(cache, &cache->open, inode, totalram_pages() / 64);
	return admits;
}

/*
 * Decide on a read of a large file. Behind a sequential read that is not
 * admitted, pages are dropped: its reader is in the previous window or in the
 * one before. Nothing is dropped for random reads, whose earlier pages may have
 * been admitted.
 */
static bool dsfs_cache_window(struct dsfs_cache *cache, const struct dsfs_read *rd)
{
	const pgoff_t behind = 2 * DSFS_SB(cache->sb)->ra_pages;
	const pgoff_t first = rd->pos >> PAGE_SHIFT, n = rd->len >> PAGE_SHIFT;
	/* Page faults use the readahead window of the VFS. */
	const u64 least = min_t(u64, DSFS_AHEAD_MAX, (u64)cache->sb->s_bdi->ra_pages << PAGE_SHIFT);
	pgoff_t from;
	bool admits;

	spin_lock(&cache->lock);
	admits = dsfs_cache_admits(cache, n);
	spin_unlock(&cache->lock);
	if (admits || rd->kind != DSFS_REQUEST_AHEAD || rd->len < least / 2 ||
	    first < behind + n)
		return admits;
	/*
	 * Include a folio that crosses the start of the range: it was dropped
	 * with neither range.
	 */
	from = first - behind - n;
	from -= min_t(pgoff_t, from, 1UL << dsfs_chunk_order(cache->sb));
	invalidate_mapping_pages(rd->inode->i_mapping, from, first - behind - 1);
	return false;
}

/**
 * dsfs_cache_read - note a read, and decide on its file
 * @rd: the read, before submission, with its folios locked
 */
void dsfs_cache_read(struct dsfs_read *rd)
{
	struct dsfs_cache *cache = dsfs_cache_of(rd->inode->i_sb);
	unsigned int i;

	if (!cache)
		return;
	if (!(i_size_read(rd->inode) <= DSFS_ADMITTED_MAX ?
	      dsfs_cache_file(cache, rd->inode) : dsfs_cache_window(cache, rd)))
		return;
	for (i = 0; i < rd->nr_folios; i++) {
		/* A folio whose read failed is read again. */
		if (folio_test_private(rd->folios[i]))
			continue;
		folio_attach_private(rd->folios[i], cache);
		folio_set_referenced(rd->folios[i]);
		atomic_long_add(folio_nr_pages(rd->folios[i]), &cache->held);
	}
}

/* An admitted folio leaves the page cache, or is split. */
static void dsfs_cache_gone(struct folio *folio)
{
	struct dsfs_cache *cache = folio_detach_private(folio);

	if (cache)
		atomic_long_sub(folio_nr_pages(folio), &cache->held);
}

/**
 * dsfs_cache_release_folio - note that reclaim or invalidation takes a folio
 * @folio: the folio, locked; admitted if it has private data
 * @gfp: 0 if the caller is not reclaim
 *
 * Return: true; there is nothing that keeps a folio.
 */
bool dsfs_cache_release_folio(struct folio *folio, gfp_t gfp)
{
	struct inode *inode = folio->mapping->host;
	struct dsfs_cache *cache = DSFS_SB(inode->i_sb)->cache;
	unsigned long then = READ_ONCE(*dsfs_file_state(inode)) >> DSFS_FILE_SHIFT;
	unsigned long age;

	if (!folio_test_private(folio))
		return true;
	dsfs_cache_gone(folio);
	age = dsfs_stale_age(cache);
	if (gfp && (!age || dsfs_time_since(then, dsfs_cache_now(cache)) <= age))
		atomic_long_add(folio_nr_pages(folio), &cache->lost);
	return true;
}

/**
 * dsfs_cache_invalidate_folio - note that an inode with a folio is evicted
 * @folio: the folio, locked
 * @offset: begin of the range to invalidate, in bytes
 * @len: its length
 */
void dsfs_cache_invalidate_folio(struct folio *folio, size_t offset, size_t len)
{
	if (!offset && len == folio_size(folio))
		dsfs_cache_gone(folio);
}

/**
 * dsfs_cache_forget - reset the state of a file without cached pages
 * @inode: the file; its next read decides anew
 */
void dsfs_cache_forget(struct inode *inode)
{
	if (dsfs_file_change(inode, DSFS_FILE_DECIDED | DSFS_FILE_AHEAD, 0, 0) &
	    DSFS_FILE_AHEAD)
		dsfs_count(inode->i_sb, DSFS_COUNT_PREFETCH_DROPPED, 1);
}

/**
 * dsfs_cache_opened - note the open of a regular file
 * @inode: the file
 */
void dsfs_cache_opened(struct inode *inode)
{
	struct dsfs_cache *cache = dsfs_cache_of(inode->i_sb);
	unsigned long now, then, distance;

	if (!cache)
		return;
	percpu_counter_inc(&cache->clock);
	if (!inode->i_data.nrpages)
		dsfs_cache_forget(inode);
	now = dsfs_cache_now(cache);
	then = dsfs_file_change(inode, 0, 0, now) >> DSFS_FILE_SHIFT;
	distance = then ? dsfs_time_since(then, now) : 0;
	if (distance > READ_ONCE(cache->reuse[1]))
		WRITE_ONCE(cache->reuse[1], distance);
}

/**
 * dsfs_cache_closed - note the close of a regular file
 * @inode: the file
 */
void dsfs_cache_closed(struct inode *inode)
{
	struct dsfs_cache *cache = dsfs_cache_of(inode->i_sb);

	if (!cache || !inode->i_data.nrpages ||
	    (READ_ONCE(*dsfs_file_state(inode)) &
	     (DSFS_FILE_TRANSIENT | DSFS_FILE_AHEAD)) != DSFS_FILE_TRANSIENT)
		return;
	dsfs_ring_add(cache, &cache->closed, inode, SZ_1M >> PAGE_SHIFT);
}

/**
 * dsfs_cache_hint - mark a file before it is read because of a hint
 * @inode: the file; dsfs_cache_hinted() follows
 *
 * Before, because a reader removes the mark, and may come before the read is
 * submitted.
 *
 * Return: true if it was not marked.
 */
bool dsfs_cache_hint(struct inode *inode)
{
	return !(dsfs_file_change(inode, 0, DSFS_FILE_AHEAD, 0) & DSFS_FILE_AHEAD);
}

/**
 * dsfs_cache_hinted - note a hint
 * @file: the file; its pages stay until it is used
 * @first: dsfs_cache_hint() returned true; a repeated hint changes nothing
 * @read: pages were read for the hint; false: they were cached
 */
void dsfs_cache_hinted(struct file *file, bool first, bool read)
{
	struct inode *inode = file_inode(file);
	struct dsfs_cache *cache = dsfs_cache_of(inode->i_sb);

	if (first && !read) {
		dsfs_file_change(inode, DSFS_FILE_AHEAD, 0, 0);
		return;
	}
	if (first)
		dsfs_count(inode->i_sb, DSFS_COUNT_PREFETCH_ISSUED, 1);
	/*
	 * MADV_WILLNEED: reads of a mapping are not seen, so the file counts as
	 * used.
	 */
	if (mapping_mapped(file->f_mapping))
		dsfs_cache_used(inode);
	else if (cache && first)
		dsfs_ring_add(cache, &cache->ahead, inode, totalram_pages() / 16);
}

/**
 * dsfs_cache_used - note the use of a file
 * @inode: the file; no effect if it was not read because of a hint
 */
void dsfs_cache_used(struct inode *inode)
{
	struct dsfs_cache *cache;

	if (!(READ_ONCE(*dsfs_file_state(inode)) & DSFS_FILE_AHEAD))
		return;
	cache = dsfs_cache_of(inode->i_sb);
	if (dsfs_file_change(inode, DSFS_FILE_AHEAD, 0, cache ? dsfs_cache_now(cache) : 0) &
	    DSFS_FILE_AHEAD)
		dsfs_count(inode->i_sb, DSFS_COUNT_PREFETCH_USED, 1);
}

/**
 * dsfs_cache_disable - free the epoch cache of a mount
 * @sb: the mount; it has no cached pages
 */
void dsfs_cache_disable(struct super_block *sb)
{
	struct dsfs_cache *cache = DSFS_SB(sb)->cache;

	DSFS_SB(sb)->cache = NULL;
	if (!cache)
		return;
	percpu_counter_destroy(&cache->clock);
	dsfs_rings_free(cache);
	kfree(cache);
}

/**
 * dsfs_cache_enable - create the epoch cache, at mount or remount
 * @sb: the mount, with s_umount held
 *
 * Return: 0 or -ENOMEM.
 */
int dsfs_cache_enable(struct super_block *sb)
{
	struct dsfs_cache *cache = DSFS_SB(sb)->cache;

	if (cache)
		return 0;
	cache = kzalloc_obj(*cache);
	if (!cache)
		return -ENOMEM;
	cache->sb = sb;
	spin_lock_init(&cache->lock);
	mutex_init(&cache->hand_lock);
	if (percpu_counter_init(&cache->clock, 0, GFP_KERNEL) ||
	    dsfs_rings_init(cache)) {
		percpu_counter_destroy(&cache->clock);
		dsfs_rings_free(cache);
		kfree(cache);
		return -ENOMEM;
	}
	/* Pairs with the acquire in dsfs_cache_of(). */
	smp_store_release(&DSFS_SB(sb)->cache, cache);
	return 0;
}

/**
 * dsfs_cache_held - admitted pages, for /sys/fs/dsfs/<device>/cache_held
 * @sb: the mount
 *
 * Return: bytes.
 */
u64 dsfs_cache_held(struct super_block *sb)
{
	struct dsfs_cache *cache = dsfs_cache_of(sb);

	return cache ? (u64)max(atomic_long_read(&cache->held), 0L) << PAGE_SHIFT : 0;
}

/**
 * dsfs_cache_target - what admission goes for, for /sys/fs/dsfs/<device>/cache_target
 * @sb: the mount
 *
 * Return: bytes that will be admitted at the end of this window.
 */
u64 dsfs_cache_target(struct super_block *sb)
{
	struct dsfs_cache *cache = dsfs_cache_of(sb);

	return cache ? (u64)READ_ONCE(cache->target) << PAGE_SHIFT : 0;
}
