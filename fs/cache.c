// SPDX-License-Identifier: GPL-2.0
/*
 * cache=epoch: which pages stay in the page cache when a job reads a data set
 * that is larger than memory again and again, each epoch in a new random order.
 *
 * Least-recently-used replacement is wrong for that, because what was read last
 * is needed last. If a share c of the set fits, LRU finds c + (1 - c) ln(1 - c)
 * of it in the cache (15 % if half fits); any policy that keeps what it has
 * finds c. So a read from the device is admitted or transient, and transient
 * pages are dropped soon after their file is closed.
 *
 * Whether there is room is a question to reclaim, which knows all limits.
 * Admitted folios have private data, so reclaim calls release_folio() before it
 * takes one: a loss. A mount has a target, which losses lower, and reads without
 * losses raise, by small steps first. Losses that are few beside what is
 * admitted do not count: reclaim takes pages of others then. Nothing is pinned.
 *
 * A job may go on to other files. Those that were not opened for longer than the
 * reuse distance, which is observed, are stale and dropped.
 */
#include "cache.h"
#include "read.h"
#include "stats.h"
#include "trace.h"

#include <linux/pagemap.h>
#include <linux/percpu_counter.h>
#include <linux/slab.h>
#include <linux/xarray.h>

/* First step of the target, as a share of a window: 2^-8 */
#define DSFS_SHIFT_MAX		8

/* Most windows without losses before the first step */
#define DSFS_WAIT_MAX		7U

/* Smallest window, in pages */
#define DSFS_WINDOW_MIN		(SZ_4M >> PAGE_SHIFT)

/*
 * Pages that were added last are in per-CPU batches on their way to the LRU
 * lists and cannot be dropped, so as many files are closed first.
 */
#define DSFS_CLOSED_MAX		16

/* Inode numbers that a read looks at for stale files */
#define DSFS_SWEEP		8

/* The epoch cache of a mount */
struct dsfs_cache {
	struct percpu_counter clock;	/* opens: the time, which stops while a job does */
	atomic_long_t held;		/* admitted pages in the cache */
	atomic_long_t lost;		/* those that reclaim took since the last read */
	/*
	 * Reuse distance: the longest time of late between two opens of a file,
	 * up to two epochs if epochs are shuffled
	 */
	unsigned long reuse;
	atomic_t hand;			/* inode number looked at last for stale files */
	/* Closed transient files, by number, as inodes may be evicted before */
	u32 closed[DSFS_CLOSED_MAX];
	atomic_t next;			/* index in @closed */
	spinlock_t lock;		/* of what follows */
	long target;			/* @held that admission goes for */
	/* Twice the losses, less what was admitted, at most a quarter of a window */
	long balance;
	unsigned long missed;		/* pages read from the device in this window */
	/*
	 * The target grows by 2^-@shift of a window, if that is not more than
	 * DSFS_SHIFT_MAX. 0: all reads are admitted.
	 */
	unsigned int shift;
	unsigned int wait;		/* windows before the first step, after the next loss */
};

static struct dsfs_cache *dsfs_cache_of(const struct super_block *sb)
{
	const struct dsfs_sb_info *sbi = DSFS_SB(sb);

	return READ_ONCE(sbi->opt.cache) == DSFS_CACHE_EPOCH ? sbi->cache : NULL;
}

/*
 * Reclaim takes what was admitted. The target is what was held before, less half
 * of all that reclaim takes until it is content: what it made room for is filled
 * again in part, so that it is not needed again soon.
 */
static void dsfs_cache_lower(struct dsfs_cache *cache, long held, long lost)
{
	if (cache->shift < DSFS_SHIFT_MAX) {
		cache->target = held + lost;
		cache->shift = DSFS_SHIFT_MAX + cache->wait;
		cache->wait = min(2 * cache->wait + 1, DSFS_WAIT_MAX);
	}
	cache->target -= lost / 2;
	cache->balance = 0;
	cache->missed = 0;
}

/* Each window without losses doubles what is admitted beyond @held. */
static void dsfs_cache_raise(struct dsfs_cache *cache, long held, long window)
{
	const unsigned long reuse = READ_ONCE(cache->reuse);

	if (cache->shift)
		cache->shift--;
	else
		cache->wait /= 2;
	if (cache->shift <= DSFS_SHIFT_MAX)
		cache->target = max(cache->target, held) + (window >> cache->shift);
	cache->missed = 0;
	/* It falls slowly, unless there are such opens again. */
	WRITE_ONCE(cache->reuse, reuse - reuse / 64);
}

static bool dsfs_cache_admits(struct super_block *sb, struct dsfs_cache *cache,
			      unsigned long pages)
{
	const long held = max(atomic_long_read(&cache->held), 0L);
	const long window = max_t(long, held / 8, DSFS_WINDOW_MIN);
	bool admits;
	long lost;

	spin_lock(&cache->lock);
	lost = atomic_long_xchg(&cache->lost, 0);
	cache->balance += 2 * lost;
	cache->missed += pages;
	if (cache->balance > 0)
		dsfs_cache_lower(cache, held, lost);
	else if (cache->missed >= window)
		dsfs_cache_raise(cache, held, window);
	admits = !cache->shift || held < cache->target;
	if (admits)
		cache->balance = max_t(long, cache->balance - pages, -window / 4);
	spin_unlock(&cache->lock);
	dsfs_count(sb, DSFS_COUNT_CACHE_LOST, lost);
	return admits;
}

static unsigned long dsfs_cache_now(struct dsfs_cache *cache)
{
	return percpu_counter_read_positive(&cache->clock) & ~DSFS_FILE_FLAGS;
}

static bool dsfs_cache_stale(struct dsfs_cache *cache, struct inode *inode)
{
	const unsigned long opened = READ_ONCE(*dsfs_file_state(inode)) & ~DSFS_FILE_FLAGS;
	const unsigned long reuse = READ_ONCE(cache->reuse);

	return (long)(dsfs_cache_now(cache) - opened - reuse - reuse / 4) > 0;
}

/* Get a file with cached pages by number, if it is in the inode cache. */
static struct inode *dsfs_cache_inode(struct super_block *sb, u32 ino)
{
	struct inode *inode;

	rcu_read_lock();
	inode = find_inode_by_ino_rcu(sb, ino);
	if (inode)
		inode = S_ISREG(inode->i_mode) && inode->i_data.nrpages ? igrab(inode) : NULL;
	rcu_read_unlock();
	return inode;
}

/*
 * Drop pages that are not admitted, or all of them. Admitted ones cannot just be
 * refused by release_folio(): what the page cache fails to drop is made the
 * first that reclaim takes.
 */
static void dsfs_cache_drop(struct inode *inode, pgoff_t first, pgoff_t last, bool all)
{
	struct address_space *mapping = inode->i_mapping;
	unsigned long pages = READ_ONCE(mapping->nrpages);
	struct folio *folio;
	pgoff_t index, from, end;
	void *entry;
	bool drop;

	xa_for_each_range(&mapping->i_pages, index, entry, first, last) {
		folio = filemap_get_folio(mapping, index);
		/* A shadow entry, or dropped already */
		if (IS_ERR_OR_NULL(folio))
			continue;
		/* It may cross the start of the range. */
		from = folio->index;
		end = folio_next_index(folio) - 1;
		drop = all || !folio_test_private(folio);
		folio_put(folio);
		if (drop)
			invalidate_mapping_pages(mapping, from, end);
		cond_resched();
	}
	pages -= min(pages, READ_ONCE(mapping->nrpages));
	trace_dsfs_cache(inode, pages, DSFS_CACHE_DROPPED);
}

/* Drop stale files. Inode numbers are dense. */
static void dsfs_cache_sweep(struct super_block *sb, struct dsfs_cache *cache)
{
	struct inode *inode;
	unsigned int i;

	for (i = 0; i < DSFS_SWEEP; i++) {
		inode = dsfs_cache_inode(sb, (u32)atomic_inc_return(&cache->hand) %
					     (u32)dsfs_geo(sb)->inodes);
		if (inode && dsfs_cache_stale(cache, inode))
			dsfs_cache_drop(inode, 0, -1, true);
		iput(inode);
	}
}

/*
 * Drop pages behind a sequential read: its reader is in the previous window or
 * in the one before.
 */
static void dsfs_cache_drop_behind(const struct dsfs_read *rd)
{
	const pgoff_t behind = 2 * DSFS_SB(rd->inode->i_sb)->ra_pages;
	const pgoff_t first = rd->pos >> PAGE_SHIFT, n = rd->len >> PAGE_SHIFT;

	/* Half of the window that page faults have */
	if (rd->kind != DSFS_REQUEST_AHEAD || rd->hint || rd->len < SZ_64K ||
	    first < behind + n)
		return;
	dsfs_cache_drop(rd->inode, first - behind - n, first - behind - 1, false);
}

/* dsfs_cache_read - admit a read or not, before its submission */
void dsfs_cache_read(struct dsfs_read *rd)
{
	struct super_block *sb = rd->inode->i_sb;
	struct dsfs_cache *cache = dsfs_cache_of(sb);
	const unsigned long pages = rd->len >> PAGE_SHIFT;
	unsigned int i;

	if (!cache)
		return;
	dsfs_cache_sweep(sb, cache);
	if (!dsfs_cache_admits(sb, cache, pages)) {
		dsfs_count(sb, DSFS_COUNT_CACHE_TRANSIENT, 1);
		trace_dsfs_cache(rd->inode, pages, DSFS_CACHE_TRANSIENT);
		set_bit(DSFS_FILE_TRANSIENT, dsfs_file_state(rd->inode));
		dsfs_cache_drop_behind(rd);
		return;
	}
	dsfs_count(sb, DSFS_COUNT_CACHE_ADMITTED, 1);
	trace_dsfs_cache(rd->inode, pages, DSFS_CACHE_ADMITTED);
	for (i = 0; i < rd->nr_folios; i++) {
		/* A folio whose read failed is read again. */
		if (folio_test_private(rd->folios[i]))
			continue;
		folio_attach_private(rd->folios[i], cache);
		/* Pages that others read once are colder. */
		folio_set_referenced(rd->folios[i]);
		atomic_long_add(folio_nr_pages(rd->folios[i]), &cache->held);
	}
}

/* An admitted folio leaves the page cache, or is split. Return: its cache, or NULL. */
static struct dsfs_cache *dsfs_cache_gone(struct folio *folio)
{
	struct dsfs_cache *cache = folio_detach_private(folio);

	if (cache)
		atomic_long_sub(folio_nr_pages(folio), &cache->held);
	return cache;
}

/* dsfs_cache_release_folio - reclaim, or with @gfp 0 invalidation, takes a folio */
bool dsfs_cache_release_folio(struct folio *folio, gfp_t gfp)
{
	struct dsfs_cache *cache = dsfs_cache_gone(folio);

	if (cache && gfp)
		atomic_long_add(folio_nr_pages(folio), &cache->lost);
	return true;
}

/* dsfs_cache_invalidate_folio - note that an inode with a folio is evicted */
void dsfs_cache_invalidate_folio(struct folio *folio, size_t offset, size_t len)
{
	if (!offset && len == folio_size(folio))
		dsfs_cache_gone(folio);
}

/* dsfs_cache_opened - note the open of a regular file */
void dsfs_cache_opened(struct inode *inode)
{
	struct dsfs_cache *cache = dsfs_cache_of(inode->i_sb);
	unsigned long *state = dsfs_file_state(inode);
	unsigned long old = READ_ONCE(*state), then, now, flags;

	if (!cache)
		return;
	percpu_counter_inc(&cache->clock);
	now = dsfs_cache_now(cache);
	then = old & ~DSFS_FILE_FLAGS;
	/* The clock is approximate: other CPUs may be a little behind. */
	if (then && (long)(now - then - READ_ONCE(cache->reuse)) > 0)
		WRITE_ONCE(cache->reuse, now - then);
	do {
		flags = old & DSFS_FILE_FLAGS & ~BIT(DSFS_FILE_CLOSED);
	} while (!try_cmpxchg(state, &old, now | flags));
}

/*
 * dsfs_cache_closed - note the close of a regular file
 *
 * A transient one takes the place of another one, whose pages are dropped unless
 * it was opened again. Who has read nothing may have sent a hint for who will.
 */
void dsfs_cache_closed(struct file *file)
{
	struct inode *inode = file_inode(file);
	struct dsfs_cache *cache = dsfs_cache_of(inode->i_sb);
	u32 ino = inode->i_ino;

	if (!cache || !test_bit(DSFS_FILE_TRANSIENT, dsfs_file_state(inode)) ||
	    (file->f_ra.prev_pos < 0 && !dsfs_file_mapped(file)))
		return;
	set_bit(DSFS_FILE_CLOSED, dsfs_file_state(inode));
	/* A larger file can spare the few pages that cannot be dropped yet. */
	if (i_size_read(inode) <= SZ_1M)
		ino = xchg(&cache->closed[(u32)atomic_inc_return(&cache->next) % DSFS_CLOSED_MAX],
			   ino);
	inode = dsfs_cache_inode(inode->i_sb, ino);
	if (inode && test_and_clear_bit(DSFS_FILE_CLOSED, dsfs_file_state(inode))) {
		clear_bit(DSFS_FILE_TRANSIENT, dsfs_file_state(inode));
		dsfs_cache_drop(inode, 0, -1, false);
	}
	iput(inode);
}

/* dsfs_cache_init - create the epoch cache of a mount: a remount may want it later */
int dsfs_cache_init(struct super_block *sb)
{
	struct dsfs_cache *cache = kzalloc_obj(*cache);

	if (!cache || percpu_counter_init(&cache->clock, 0, GFP_KERNEL)) {
		kfree(cache);
		return -ENOMEM;
	}
	spin_lock_init(&cache->lock);
	/* Of an epoch over all files */
	cache->reuse = 2UL * dsfs_geo(sb)->inodes;
	DSFS_SB(sb)->cache = cache;
	return 0;
}

/* dsfs_cache_exit - free the epoch cache of a mount without cached pages */
void dsfs_cache_exit(struct super_block *sb)
{
	struct dsfs_cache *cache = DSFS_SB(sb)->cache;

	if (cache)
		percpu_counter_destroy(&cache->clock);
	kfree(cache);
	DSFS_SB(sb)->cache = NULL;
}

/* dsfs_cache_bytes - bytes of admitted pages, or what admission goes for, for sysfs */
u64 dsfs_cache_bytes(struct super_block *sb, bool target)
{
	struct dsfs_cache *cache = DSFS_SB(sb)->cache;
	const long pages = target ? READ_ONCE(cache->target) : atomic_long_read(&cache->held);

	return (u64)max(pages, 0L) << PAGE_SHIFT;
}
