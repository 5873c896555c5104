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
 * takes one: a loss. The readers of a memory cgroup have a target, which losses of
 * what they have read lower, and reads without losses raise, by small steps first.
 * Losses that are few beside what is admitted do not count: reclaim takes pages of
 * others then. Nothing is pinned.
 *
 * A job may go on to other files. Those that were not used for longer than the
 * reuse distance, which is observed, are stale. Who has no room drops them.
 */
#include "cache.h"
#include "read.h"
#include "stats.h"
#include "trace.h"

#include <linux/cgroup.h>
#include <linux/percpu_counter.h>
#include <linux/sched/signal.h>
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

/* Inode numbers that a read without room looks at for stale files, and folios of each */
#define DSFS_SWEEP		8
#define DSFS_SWEEP_FOLIOS	32U

/* Memory cgroups that have a target of their own */
#define DSFS_ROOMS		32

/* What the readers of a memory cgroup have admitted: a line that is read, one that is written */
struct dsfs_room {
	u64 group;			/* serial number of the cgroup, 0: of none */
	unsigned long opened;		/* time of the last open by the cgroup, about */
	spinlock_t lock ____cacheline_aligned_in_smp;
	atomic_long_t gone;		/* pages that have left the cache, of all @admitted */
	atomic_long_t lost;		/* those that reclaim took since the last read */
	/* What follows is changed with the lock. */
	long admitted;			/* pages, since the mount */
	long target;			/* held pages that admission goes for */
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

/* The epoch cache of a mount */
struct dsfs_cache {
	struct percpu_counter clock;	/* files opened: the time, which stops while jobs do */
	/*
	 * Reuse distance: the longest time of late between two opens of a file,
	 * up to two epochs if epochs are shuffled
	 */
	unsigned long reuse;
	/* Of reads without room: */
	unsigned long sweeping ____cacheline_aligned_in_smp; /* bit 0: a task does, at: */
	u32 ino;
	pgoff_t index;
	/* Closed transient files, by number, as inodes may be evicted before */
	u32 closed[DSFS_CLOSED_MAX];
	atomic_t next;			/* index in @closed */
	struct dsfs_room rooms[DSFS_ROOMS];
};

/* Admitted pages in the cache */
static long dsfs_cache_held(const struct dsfs_room *room)
{
	return max(READ_ONCE(room->admitted) - atomic_long_read(&room->gone), 0L);
}

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
static void dsfs_cache_lower(struct dsfs_room *room, long held, long lost)
{
	if (room->shift < DSFS_SHIFT_MAX) {
		room->target = held + lost;
		room->shift = DSFS_SHIFT_MAX + room->wait;
		room->wait = min(2 * room->wait + 1, DSFS_WAIT_MAX);
	}
	room->target -= lost / 2;
	room->balance = 0;
	room->missed = 0;
}

/* Each window without losses doubles what is admitted beyond @held. */
static void dsfs_cache_raise(struct dsfs_room *room, long held, long window)
{
	if (room->shift)
		room->shift--;
	else
		room->wait /= 2;
	if (room->shift <= DSFS_SHIFT_MAX)
		room->target = max(room->target, held) + (window >> room->shift);
	room->missed = 0;
}

static bool dsfs_cache_admits(struct dsfs_cache *cache, struct dsfs_room *room,
			      unsigned long pages)
{
	const unsigned long reuse = READ_ONCE(cache->reuse);
	const long held = dsfs_cache_held(room);
	const long window = max_t(long, held / 8, DSFS_WINDOW_MIN);
	bool admits;
	long lost;

	spin_lock(&room->lock);
	lost = atomic_long_read(&room->lost) ? atomic_long_xchg(&room->lost, 0) : 0;
	room->balance += 2 * lost;
	room->missed += pages;
	if (room->balance > 0) {
		dsfs_cache_lower(room, held, lost);
	} else if (room->missed >= window) {
		dsfs_cache_raise(room, held, window);
		/* It falls slowly, unless there are such opens again. */
		WRITE_ONCE(cache->reuse, reuse - reuse / 64);
	}
	admits = !room->shift || held < room->target;
	if (admits) {
		room->balance = max_t(long, room->balance - pages, -window / 4);
		WRITE_ONCE(room->admitted, room->admitted + pages);
	}
	spin_unlock(&room->lock);
	return admits;
}

/* Serial numbers are not given again, so a cgroup may go: nobody holds it. */
static u64 dsfs_cache_group(void)
{
	u64 group = 1;
#ifdef CONFIG_MEMCG
	rcu_read_lock();
	group = task_css(current, memory_cgrp_id)->serial_nr;
	rcu_read_unlock();
#endif
	return group;
}

/*
 * The room of the caller's cgroup, or an empty one, whose former cgroup finds another one, or,
 * if there is none, somebody else's
 */
static struct dsfs_room *dsfs_cache_room(struct dsfs_cache *cache)
{
	const u64 group = dsfs_cache_group();
	struct dsfs_room *room, *empty = NULL;
	unsigned int i;

	for (i = 0; i < DSFS_ROOMS; i++) {
		room = &cache->rooms[(u32)(group + i) % DSFS_ROOMS];
		if (READ_ONCE(room->group) == group)
			return room;
		if (!empty && !dsfs_cache_held(room))
			empty = room;
	}
	if (!empty)
		return &cache->rooms[(u32)group % DSFS_ROOMS];
	spin_lock(&empty->lock);
	memset_startat(empty, 0, target);
	WRITE_ONCE(empty->group, group);
	spin_unlock(&empty->lock);
	return empty;
}

static unsigned long dsfs_cache_now(struct dsfs_cache *cache)
{
	return percpu_counter_read_positive(&cache->clock) & ~DSFS_FILE_FLAGS;
}

/* True if nothing that happens in an epoch takes so long */
static bool dsfs_cache_old(struct dsfs_cache *cache, unsigned long then)
{
	const unsigned long reuse = READ_ONCE(cache->reuse);

	return (long)(dsfs_cache_now(cache) - then - reuse - reuse / 4) > 0;
}

static bool dsfs_cache_stale(struct dsfs_cache *cache, struct inode *inode)
{
	/* Mappings keep a file open. */
	return !atomic_read(&inode->i_readcount) &&
	       dsfs_cache_old(cache, READ_ONCE(*dsfs_file_state(inode)) & ~DSFS_FILE_FLAGS);
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
 * True if a folio is to be dropped: for a reader without room, what he or nobody who is still
 * there had admitted; for none, what is transient
 */
static bool dsfs_cache_drops(struct dsfs_cache *cache, const struct folio *folio,
			     const struct dsfs_room *reader)
{
	const struct dsfs_room *room = folio->private;

	if (!reader || !room)
		return !reader && !room;
	return room == reader || dsfs_cache_old(cache, READ_ONCE(room->opened));
}

/*
 * Drop transient pages, or stale ones for a reader, of [first, last], and look at @most folios.
 * Those that stay cannot just be refused by release_folio(): what the page cache fails to
 * drop is made the first that reclaim takes. Return: the page to go on with, or 0.
 */
static pgoff_t dsfs_cache_drop(struct inode *inode, pgoff_t first, pgoff_t last,
			       const struct dsfs_room *reader, unsigned int most)
{
	struct address_space *mapping = inode->i_mapping;
	unsigned long pages = READ_ONCE(mapping->nrpages);
	pgoff_t index, from, end, next = 0;
	struct folio *folio;
	void *entry;
	bool drop;

	xa_for_each_range(&mapping->i_pages, index, entry, first, last) {
		if (!most-- || fatal_signal_pending(current)) {
			next = index;
			break;
		}
		folio = filemap_get_folio(mapping, index);
		/* A shadow entry, or dropped already */
		if (IS_ERR_OR_NULL(folio))
			continue;
		/* It may cross the start of the range. */
		from = folio->index;
		end = folio_next_index(folio) - 1;
		drop = dsfs_cache_drops(DSFS_SB(inode->i_sb)->cache, folio, reader);
		folio_put(folio);
		if (drop)
			invalidate_mapping_pages(mapping, from, end);
		cond_resched();
	}
	pages -= min(pages, READ_ONCE(mapping->nrpages));
	trace_dsfs_cache(inode, pages, DSFS_CACHE_DROPPED);
	return next;
}

/*
 * Drop a piece of what is stale, for a reader who has no room. Inode numbers are dense.
 * One task does: what another one needs is dropped in its next read.
 */
static void dsfs_cache_sweep(struct super_block *sb, struct dsfs_cache *cache,
			     const struct dsfs_room *reader)
{
	struct inode *inode;
	unsigned int i;

	if (test_and_set_bit_lock(0, &cache->sweeping))
		return;
	for (i = 0; i < DSFS_SWEEP; i++) {
		inode = dsfs_cache_inode(sb, cache->ino);
		if (inode && dsfs_cache_stale(cache, inode))
			cache->index = dsfs_cache_drop(inode, cache->index, ULONG_MAX, reader,
						       DSFS_SWEEP_FOLIOS);
		else
			cache->index = 0;
		iput(inode);
		if (!cache->index)
			cache->ino = (cache->ino + 1) % (u32)dsfs_geo(sb)->inodes;
	}
	clear_bit_unlock(0, &cache->sweeping);
}

/*
 * Drop pages behind a sequential read: its reader is in the previous window or
 * in the one before.
 */
static void dsfs_cache_drop_behind(const struct dsfs_read *rd)
{
	const pgoff_t behind = 2 * dsfs_window(rd->inode);
	const pgoff_t first = rd->pos >> PAGE_SHIFT, n = rd->len >> PAGE_SHIFT;

	/* Half of the window that page faults have */
	if (rd->kind != DSFS_REQUEST_AHEAD || rd->hint || rd->len < SZ_64K ||
	    first < behind + n)
		return;
	dsfs_cache_drop(rd->inode, first - behind - n, first - behind - 1, NULL, UINT_MAX);
}

/* dsfs_cache_read - admit a read or not, before its folios are locked if the page cache did not */
void dsfs_cache_read(struct dsfs_read *rd)
{
	struct super_block *sb = rd->inode->i_sb;
	struct dsfs_cache *cache = dsfs_cache_of(sb);
	struct dsfs_room *room;
	const unsigned long pages = rd->len >> PAGE_SHIFT;

	if (!cache)
		return;
	room = dsfs_cache_room(cache);
	if (dsfs_cache_admits(cache, room, pages)) {
		dsfs_count(sb, DSFS_COUNT_CACHE_ADMITTED, 1);
		trace_dsfs_cache(rd->inode, pages, DSFS_CACHE_ADMITTED);
		rd->room = room;
		return;
	}
	dsfs_count(sb, DSFS_COUNT_CACHE_TRANSIENT, 1);
	trace_dsfs_cache(rd->inode, pages, DSFS_CACHE_TRANSIENT);
	set_bit(DSFS_FILE_TRANSIENT, dsfs_file_state(rd->inode));
	dsfs_cache_drop_behind(rd);
	dsfs_cache_sweep(sb, cache, room);
}

/* dsfs_cache_attach - mark the folios of a read that was admitted, before it is sent */
void dsfs_cache_attach(struct dsfs_read *rd)
{
	unsigned int i;

	for (i = 0; rd->room && i < rd->nr_folios; i++) {
		/*
		 * A folio whose read failed is read again, and was admitted then. One that
		 * is not in the page cache is not kept.
		 */
		if (i >= rd->nr_cached || folio_test_private(rd->folios[i])) {
			atomic_long_add(folio_nr_pages(rd->folios[i]), &rd->room->gone);
			continue;
		}
		folio_attach_private(rd->folios[i], rd->room);
		/* Pages that others read once are colder. */
		folio_set_referenced(rd->folios[i]);
	}
}

/* An admitted folio leaves the page cache, or is split. Return: its room, or NULL. */
static struct dsfs_room *dsfs_cache_gone(struct folio *folio)
{
	struct dsfs_room *room = folio_detach_private(folio);

	if (room)
		atomic_long_add(folio_nr_pages(folio), &room->gone);
	return room;
}

/* dsfs_cache_release_folio - reclaim, or with @gfp 0 invalidation, takes a folio */
bool dsfs_cache_release_folio(struct folio *folio, gfp_t gfp)
{
	struct dsfs_room *room = dsfs_cache_gone(folio);

	if (room && gfp) {
		atomic_long_add(folio_nr_pages(folio), &room->lost);
		dsfs_count(folio->mapping->host->i_sb, DSFS_COUNT_CACHE_LOST,
			   folio_nr_pages(folio));
	}
	return true;
}

/* dsfs_cache_invalidate_folio - note that an inode with a folio is evicted */
void dsfs_cache_invalidate_folio(struct folio *folio, size_t offset, size_t len)
{
	if (!offset && len == folio_size(folio))
		dsfs_cache_gone(folio);
}

/* True if a time counts again. Until then it is not written: other CPUs would have to fetch it. */
static bool dsfs_cache_dated(struct dsfs_cache *cache, unsigned long then, unsigned long now)
{
	return !then || (long)(now - then - READ_ONCE(cache->reuse) / 8) > 0;
}

/* Note a use at @now, and remove @flag. Return: true if the file counts again. */
static bool dsfs_cache_used(struct dsfs_cache *cache, struct inode *inode, unsigned long now,
			    unsigned long flag)
{
	unsigned long *state = dsfs_file_state(inode), old = READ_ONCE(*state);
	const bool counts = dsfs_cache_dated(cache, old & ~DSFS_FILE_FLAGS, now);

	if (!counts && !(old & flag))
		return false;
	while (!try_cmpxchg(state, &old, now | (old & DSFS_FILE_FLAGS & ~flag)))
		;
	return counts;
}

/*
 * dsfs_cache_opened - note the open of a regular file
 *
 * The time goes on by files, not by opens, so that nobody makes the files of others stale by
 * a few of his own: a file counts again after a part of the reuse distance.
 */
void dsfs_cache_opened(struct inode *inode)
{
	struct dsfs_cache *cache = dsfs_cache_of(inode->i_sb);
	const unsigned long then = READ_ONCE(*dsfs_file_state(inode)) & ~DSFS_FILE_FLAGS;
	struct dsfs_room *room;
	unsigned long now;

	if (!cache)
		return;
	room = dsfs_cache_room(cache);
	now = dsfs_cache_now(cache);
	/* The clock is approximate: other CPUs may be a little behind. */
	if (then && (long)(now - then - READ_ONCE(cache->reuse)) > 0)
		WRITE_ONCE(cache->reuse, now - then);
	if (dsfs_cache_dated(cache, READ_ONCE(room->opened), now))
		WRITE_ONCE(room->opened, now);
	if (dsfs_cache_used(cache, inode, now, BIT(DSFS_FILE_CLOSED)))
		percpu_counter_inc(&cache->clock);
}

/*
 * dsfs_cache_closed - note the close of a regular file
 *
 * A transient one takes the place of another one, whose pages are dropped unless
 * it was opened again. Who has read nothing may have sent a hint for who will.
 */
int dsfs_cache_closed(struct inode *inode, struct file *file)
{
	struct dsfs_cache *cache = dsfs_cache_of(inode->i_sb);
	u32 ino = inode->i_ino;

	if (!cache)
		return 0;
	dsfs_cache_used(cache, inode, dsfs_cache_now(cache), 0);
	if (!test_bit(DSFS_FILE_TRANSIENT, dsfs_file_state(inode)) ||
	    file->f_ra.prev_pos < 0)
		return 0;
	set_bit(DSFS_FILE_CLOSED, dsfs_file_state(inode));
	/* A larger file can spare the few pages that cannot be dropped yet. */
	if (i_size_read(inode) <= SZ_1M)
		ino = xchg(&cache->closed[(u32)atomic_inc_return(&cache->next) % DSFS_CLOSED_MAX],
			   ino);
	inode = dsfs_cache_inode(inode->i_sb, ino);
	if (inode && test_and_clear_bit(DSFS_FILE_CLOSED, dsfs_file_state(inode))) {
		clear_bit(DSFS_FILE_TRANSIENT, dsfs_file_state(inode));
		dsfs_cache_drop(inode, 0, ULONG_MAX, NULL, UINT_MAX);
	}
	iput(inode);
	return 0;
}

/* dsfs_cache_init - create the epoch cache of a mount: a remount may want it later */
int dsfs_cache_init(struct super_block *sb)
{
	struct dsfs_cache *cache = kzalloc_obj(*cache);
	unsigned int i;

	/* 0 is the time of a file that nobody has opened. */
	if (!cache || percpu_counter_init(&cache->clock, BIT(DSFS_FILE_BITS), GFP_KERNEL)) {
		kfree(cache);
		return -ENOMEM;
	}
	for (i = 0; i < DSFS_ROOMS; i++)
		spin_lock_init(&cache->rooms[i].lock);
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
}

/* dsfs_cache_bytes - bytes of admitted pages, or what admission goes for, for sysfs */
u64 dsfs_cache_bytes(struct super_block *sb, bool target)
{
	struct dsfs_cache *cache = dsfs_cache_of(sb);
	unsigned int i;
	u64 sum = 0;
	long pages;

	for (i = 0; cache && i < DSFS_ROOMS; i++) {
		pages = target ? READ_ONCE(cache->rooms[i].target) :
				 dsfs_cache_held(&cache->rooms[i]);
		sum += max(pages, 0L);
	}
	return sum << PAGE_SHIFT;
}
