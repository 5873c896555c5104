// SPDX-License-Identifier: GPL-2.0
/*
 * cache=epoch: which files stay in the page cache when a job reads a data set
 * that is larger than memory again and again, each epoch in a new random order.
 *
 * Least-recently-used replacement is wrong for that, because what was read last
 * is needed last. If a share c of the set fits, LRU finds c + (1 - c) ln(1 - c)
 * of it in the cache (15 % if half fits); any policy that keeps what it has
 * finds c. So this is a policy of admission, not of replacement. Cached files
 * stay. A file that is read from the device is admitted if there is room;
 * otherwise it is transient, and its pages are dropped soon after it is closed.
 * Nothing is pinned: reclaim takes pages as usual.
 *
 * Room is memory that is free above the high watermarks and below the limits of
 * the reader's memory cgroups, less a margin. While the margin is free, nothing
 * is reclaimed. Pages of ours that reclaim takes nevertheless are counted, and
 * each widens the margin.
 *
 * Memory full of pages of other file systems, or of inodes and dentries, leaves
 * no room. While there is much of it, files are admitted on trial, as if there
 * were room. Reclaim then takes the coldest pages. If those are ours, the trial
 * ends. If our pages are reclaimed although nothing is admitted without room,
 * another file system streams data through memory. For a while all files are
 * admitted then, as with cache=lru, to compete with it.
 *
 * A job may switch to other files. Files that were not opened for longer than
 * the reuse distance are stale. A clock hand moves over the inode numbers,
 * which are dense, and drops stale files in favour of new ones. The reuse
 * distance is observed.
 *
 * All decisions are made where a file without cached pages is read, which sends
 * a request to the device anyway. cache=lru skips all of this.
 */
#include "cache.h"
#include "read.h"
#include "stats.h"
#include "trace.h"

#include <linux/backing-dev.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/slab.h>

/* Pages of closed transient files that are not dropped yet */
#define DSFS_CLOSED_PAGES	(SZ_1M >> PAGE_SHIFT)

static struct dsfs_cache *dsfs_cache_of(const struct super_block *sb)
{
	struct dsfs_sb_info *sbi = DSFS_SB(sb);

	if (READ_ONCE(sbi->opt.cache) != DSFS_CACHE_EPOCH)
		return NULL;
	/* Pairs with the release in dsfs_cache_enable(). */
	return smp_load_acquire(&sbi->cache);
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
	unsigned long now, then;

	if (!cache)
		return;
	percpu_counter_inc(&cache->clock);
	if (!inode->i_data.nrpages)
		dsfs_cache_forget(inode);
	now = dsfs_cache_now(cache) ? : 1;
	then = dsfs_file_change(inode, 0, 0, now) >> DSFS_FILE_SHIFT;
	if (then)
		dsfs_reuse_seen(cache, dsfs_time_since(then, now));
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
	dsfs_ring_add(cache, &cache->closed, inode, DSFS_CLOSED_PAGES);
}

/* Decide on a file: it is admitted as a whole or not at all. */
static void dsfs_cache_file(struct dsfs_cache *cache, struct inode *inode)
{
	const unsigned long pages = dsfs_file_pages(inode);
	bool admits;

	if (READ_ONCE(*dsfs_file_state(inode)) & DSFS_FILE_DECIDED)
		return;
	admits = dsfs_cache_admits(cache, inode, pages) ||
		 dsfs_cache_replaces(cache, pages);
	if (!dsfs_file_decide(inode, admits ? DSFS_FILE_ADMITTED : DSFS_FILE_TRANSIENT))
		return;
	if (admits) {
		dsfs_count(inode->i_sb, DSFS_COUNT_CACHE_ADMITTED, 1);
		trace_dsfs_cache(inode, pages, DSFS_CACHE_ADMITTED);
		return;
	}
	dsfs_count(inode->i_sb, DSFS_COUNT_CACHE_TRANSIENT, 1);
	trace_dsfs_cache(inode, pages, DSFS_CACHE_TRANSIENT);
	dsfs_ring_add(cache, &cache->open, inode, dsfs_trial_pages());
}

/*
 * Drop the pages behind a sequential read of a large file that is not admitted.
 * The reader is in the previous window or in the one before. Nothing is dropped
 * for random reads, whose earlier pages may have been admitted.
 */
static void dsfs_cache_window(struct dsfs_cache *cache, const struct dsfs_read *rd)
{
	const pgoff_t behind = 2 * DSFS_SB(cache->sb)->ra_pages;
	const pgoff_t first = rd->pos >> PAGE_SHIFT, n = rd->len >> PAGE_SHIFT;
	/* Page faults use the readahead window of the VFS. */
	const u64 least = min_t(u64, DSFS_AHEAD_MAX, (u64)cache->sb->s_bdi->ra_pages << PAGE_SHIFT);
	pgoff_t from;

	if (rd->kind != DSFS_REQUEST_AHEAD || rd->len < least / 2 ||
	    first < behind + n || dsfs_cache_admits(cache, rd->inode, n))
		return;
	/*
	 * Include a folio that crosses the start of the range: it was dropped
	 * with neither range.
	 */
	from = first - behind - n;
	from -= min_t(pgoff_t, from, 1UL << dsfs_chunk_order(cache->sb));
	invalidate_mapping_pages(rd->inode->i_mapping, from, first - behind - 1);
}

/**
 * dsfs_cache_read - note a read, and decide on its file
 * @rd: the read, before submission
 */
void dsfs_cache_read(struct dsfs_read *rd)
{
	struct dsfs_cache *cache = dsfs_cache_of(rd->inode->i_sb);
	unsigned long pages = 0;
	unsigned int i;

	if (!cache)
		return;
	for (i = 0; i < rd->nr_folios; i++) {
		/* A folio whose read failed is read again; count it once. */
		if (folio_test_checked(rd->folios[i]))
			continue;
		folio_set_checked(rd->folios[i]);
		pages += folio_nr_pages(rd->folios[i]);
	}
	dsfs_cache_pages_add(pages);
	if (i_size_read(rd->inode) <= DSFS_ADMITTED_MAX)
		dsfs_cache_file(cache, rd->inode);
	else
		dsfs_cache_window(cache, rd);
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
 * @first: dsfs_cache_hint() returned true
 * @read: pages were read for the hint; false: they were cached
 */
void dsfs_cache_hinted(struct file *file, bool first, bool read)
{
	struct inode *inode = file_inode(file);
	struct dsfs_cache *cache = dsfs_cache_of(inode->i_sb);

	/*
	 * A repeated hint restarts the wait of a file that is waiting already.
	 */
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
	else if (cache)
		dsfs_ring_add(cache, &cache->ahead, inode, totalram_pages() / 16);
}

/**
 * dsfs_cache_used - note the use of a file
 * @inode: the file; no effect if it was not read because of a hint
 */
void dsfs_cache_used(struct inode *inode)
{
	if (READ_ONCE(*dsfs_file_state(inode)) & DSFS_FILE_AHEAD &&
	    dsfs_file_change(inode, DSFS_FILE_AHEAD, 0, 0) & DSFS_FILE_AHEAD)
		dsfs_count(inode->i_sb, DSFS_COUNT_PREFETCH_USED, 1);
}

static void dsfs_cache_free(struct dsfs_cache *cache)
{
	percpu_counter_destroy(&cache->clock);
	dsfs_rings_free(cache);
	kfree(cache);
}

/**
 * dsfs_cache_disable - free the epoch cache of a mount
 * @sb: the mount; there are no readers
 */
void dsfs_cache_disable(struct super_block *sb)
{
	struct dsfs_cache *cache = DSFS_SB(sb)->cache;

	DSFS_SB(sb)->cache = NULL;
	if (cache)
		dsfs_cache_free(cache);
}

/**
 * dsfs_cache_enable - create the epoch cache, at mount or remount
 * @sb: the mount, with s_umount held
 *
 * Return: 0 or -ENOMEM.
 */
int dsfs_cache_enable(struct super_block *sb)
{
	struct dsfs_cache *cache;

	cache = DSFS_SB(sb)->cache;
	if (cache) {
		/* Pages reclaimed under cache=lru do not count. */
		spin_lock(&cache->lock);
		cache->lost = dsfs_cache_pages_lost();
		spin_unlock(&cache->lock);
		return 0;
	}
	cache = kzalloc_obj(*cache);
	if (!cache)
		return -ENOMEM;
	cache->sb = sb;
	cache->margin = dsfs_margin_min();
	cache->lost = dsfs_cache_pages_lost();
	spin_lock_init(&cache->lock);
	mutex_init(&cache->hand_lock);
	if (percpu_counter_init(&cache->clock, 0, GFP_KERNEL) ||
	    dsfs_rings_init(cache)) {
		dsfs_cache_free(cache);
		return -ENOMEM;
	}
	/* Pairs with the acquire in dsfs_cache_of(). */
	smp_store_release(&DSFS_SB(sb)->cache, cache);
	return 0;
}

/**
 * dsfs_cache_bytes - room, for /sys/fs/dsfs/<device>/cache_room
 * @sb: the mount
 *
 * Return: bytes that would be admitted now.
 */
u64 dsfs_cache_bytes(struct super_block *sb)
{
	struct dsfs_cache *cache = dsfs_cache_of(sb);
	long room;

	if (!cache)
		return 0;
	room = dsfs_free_pages(GFP_HIGHUSER_MOVABLE) - READ_ONCE(cache->margin);
	return room > 0 ? (u64)room << PAGE_SHIFT : 0;
}
