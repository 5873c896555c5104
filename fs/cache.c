// SPDX-License-Identifier: GPL-2.0
/*
 * cache=epoch: which files stay in the page cache when a job reads all of a set again
 * and again, each time in a new order.
 *
 * Least recently used is the wrong rule for that: what was read last is wanted last.
 * Of a set of which a share c fits, it finds c + (1 - c) ln(1 - c) of it in the cache
 * (15 % where half fits).  Any rule that keeps what it has finds c.  So this is a rule of
 * admission, not of eviction: what is cached stays; a file that is read from the device is
 * admitted if there is room, else it is transient, and its pages go soon after it was
 * closed.  Nothing is pinned: who else wants the memory gets it from reclaim as ever.
 *
 * Room is memory that is free above the high watermarks, and below the limits of the
 * reader's memory cgroups, less a margin.  While it is kept free, nobody reclaims.  Pages
 * of ours that reclaim takes all the same are counted: each widens the margin.
 *
 * Where memory is full of other file systems' pages, or of inodes and dentries, there is
 * no room, and nobody makes any.  So as long as there are many of these, files are
 * admitted for a trial as if there were room: reclaim then takes the coldest pages.  If
 * these are ours, the trial ends.
 * Where ours are lost although nothing is admitted without room, somebody else streams
 * through memory, and what stays has to be fought for: for a time all is admitted, which
 * is what cache=lru does.
 *
 * A job may go on to other files.  What it read last long ago is stale: a hand goes over
 * the inode numbers, which are dense, and has stale files make way for new ones.  Long
 * is what it takes a job to come back to a file, which is observed.
 *
 * All of this is decided where a file of which nothing is cached is read, which costs a
 * request to the device anyway.  cache=lru does none of it.
 */
#include "cache.h"
#include "read.h"
#include "stats.h"
#include "trace.h"

#include <linux/backing-dev.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/slab.h>

/* Pages of closed files that wait to be dropped */
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
 * dsfs_cache_forget - nothing of a file is cached
 * @inode: the file; it is to be decided anew whether it stays
 */
void dsfs_cache_forget(struct inode *inode)
{
	if (dsfs_file_change(inode, DSFS_FILE_DECIDED | DSFS_FILE_AHEAD, 0, 0) &
	    DSFS_FILE_AHEAD)
		dsfs_count(inode->i_sb, DSFS_COUNT_PREFETCH_DROPPED, 1);
}

/**
 * dsfs_cache_opened - a regular file is opened
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
		dsfs_span_seen(cache, dsfs_time_since(then, now));
}

/**
 * dsfs_cache_closed - a regular file is closed
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

/* A file is admitted as a whole or not at all, in however many pieces it is read. */
static void dsfs_cache_file(struct dsfs_cache *cache, struct inode *inode)
{
	const unsigned long pages = dsfs_file_pages(inode);
	bool admits;

	if (READ_ONCE(*dsfs_file_state(inode)) & DSFS_FILE_DECIDED)
		return;
	admits = dsfs_cache_admits(cache, inode, pages) ||
		 dsfs_cache_replaces(cache, pages);
	if (!dsfs_file_decide(inode, admits ? DSFS_FILE_KEPT : DSFS_FILE_TRANSIENT))
		return;
	if (admits) {
		dsfs_count(inode->i_sb, DSFS_COUNT_CACHE_KEPT, 1);
		trace_dsfs_cache(inode, pages, DSFS_CACHE_KEPT);
		return;
	}
	dsfs_count(inode->i_sb, DSFS_COUNT_CACHE_TRANSIENT, 1);
	trace_dsfs_cache(inode, pages, DSFS_CACHE_TRANSIENT);
	dsfs_ring_add(cache, &cache->open, inode, dsfs_trial_pages());
}

/*
 * Of a large file, what a read in order leaves behind: the reader is in the window before
 * this one, or in the one before that.  Nothing is known of what lies behind a read at
 * random, and it may be what was admitted.
 */
static void dsfs_cache_window(struct dsfs_cache *cache, const struct dsfs_read *rd)
{
	const pgoff_t behind = 2 * DSFS_SB(cache->sb)->ra_pages;
	const pgoff_t first = rd->pos >> PAGE_SHIFT, n = rd->len >> PAGE_SHIFT;
	/* Faults have the window of the VFS. */
	const u64 least = min_t(u64, DSFS_AHEAD_MAX, (u64)cache->sb->s_bdi->ra_pages << PAGE_SHIFT);
	pgoff_t from;

	if (rd->kind != DSFS_REQUEST_AHEAD || rd->len < least / 2 ||
	    first < behind + n || dsfs_cache_admits(cache, rd->inode, n))
		return;
	/* A folio over the edge between two such ranges went with neither. */
	from = first - behind - n;
	from -= min_t(pgoff_t, from, 1UL << dsfs_chunk_order(cache->sb));
	invalidate_mapping_pages(rd->inode->i_mapping, from, first - behind - 1);
}

/**
 * dsfs_cache_read - folios are about to be read
 * @rd: the read
 */
void dsfs_cache_read(struct dsfs_read *rd)
{
	struct dsfs_cache *cache = dsfs_cache_of(rd->inode->i_sb);
	unsigned long pages = 0;
	unsigned int i;

	if (!cache)
		return;
	for (i = 0; i < rd->nr_folios; i++) {
		/* One that could not be read is read again. */
		if (folio_test_checked(rd->folios[i]))
			continue;
		folio_set_checked(rd->folios[i]);
		pages += folio_nr_pages(rd->folios[i]);
	}
	dsfs_cache_pages_add(pages);
	if (i_size_read(rd->inode) <= DSFS_KEPT_MAX)
		dsfs_cache_file(cache, rd->inode);
	else
		dsfs_cache_window(cache, rd);
}

/**
 * dsfs_cache_hinted - somebody will want a file
 * @file: the file: it stays until it was read
 * @read: something of it was read for that; else it was there
 */
void dsfs_cache_hinted(struct file *file, bool read)
{
	struct inode *inode = file_inode(file);
	struct dsfs_cache *cache = dsfs_cache_of(inode->i_sb);

	/* Hinted again by another open: it waits from now on, as of that one. */
	if (!read && !(READ_ONCE(*dsfs_file_state(inode)) & DSFS_FILE_AHEAD))
		return;
	if (!(dsfs_file_change(inode, 0, DSFS_FILE_AHEAD, 0) & DSFS_FILE_AHEAD))
		dsfs_count(inode->i_sb, DSFS_COUNT_PREFETCH_ISSUED, 1);
	/* MADV_WILLNEED: who reads it gives no other sign of it. */
	if (mapping_mapped(file->f_mapping))
		dsfs_cache_used(inode);
	else if (cache)
		dsfs_ring_add(cache, &cache->ahead, inode, totalram_pages() / 16);
}

/**
 * dsfs_cache_used - a file that was read ahead is used
 * @inode: the file; others do no harm
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
 * @sb: the mount; nobody reads any more
 */
void dsfs_cache_disable(struct super_block *sb)
{
	struct dsfs_cache *cache = DSFS_SB(sb)->cache;

	DSFS_SB(sb)->cache = NULL;
	if (cache)
		dsfs_cache_free(cache);
}

/**
 * dsfs_cache_enable - make what cache=epoch needs, at mount or later
 * @sb: the mount, locked against others that do so
 *
 * Return: 0 or -ENOMEM.
 */
int dsfs_cache_enable(struct super_block *sb)
{
	struct dsfs_cache *cache;

	cache = DSFS_SB(sb)->cache;
	if (cache) {
		/* What went while cache=lru held says nothing. */
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
 * dsfs_cache_bytes - what /sys/fs/dsfs/<device>/cache_room says
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

