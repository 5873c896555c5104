/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The epoch cache (cache=epoch), shared by its files: cache.c (entry points
 * from open, read and close), cacheadmit.c (policy), cacheroom.c (memory),
 * cachefile.c (state of files, and dropping of pages).
 */
#ifndef DSFS_CACHE_H
#define DSFS_CACHE_H

#include "internal.h"

#include <linux/mm.h>
#include <linux/percpu_counter.h>
#include <linux/spinlock.h>

/*
 * State of a regular file, in i_private: flags, and above them the time of its
 * last open. It has the lifetime of the inode, which is at least that of its
 * cached pages.
 */
#define DSFS_FILE_ADMITTED	1UL
#define DSFS_FILE_TRANSIENT	2UL
#define DSFS_FILE_DECIDED	(DSFS_FILE_ADMITTED | DSFS_FILE_TRANSIENT)
#define DSFS_FILE_AHEAD		4UL
#define DSFS_FILE_FLAGS		7UL
#define DSFS_FILE_SHIFT		3
/* Mask of times, which wrap around on 32-bit machines */
#define DSFS_TIME_MASK		(ULONG_MAX >> DSFS_FILE_SHIFT)

/* Smallest reuse distance, in opens */
#define DSFS_REUSE_MIN		1024UL

/* Larger files are admitted range by range instead of as a whole. */
#define DSFS_ADMITTED_MAX	SZ_64M

/*
 * A file in a ring. The entry is valid if the file was not opened again since
 * @time.
 */
struct dsfs_ring_entry {
	u32 ino;
	u32 pages;
	u32 time;
};

/**
 * struct dsfs_ring - FIFO of files whose pages are to be dropped later
 * @entries: inode numbers, not references, as inodes may be evicted before
 * @size: capacity
 * @first: index of the oldest entry
 * @used: number of entries
 * @pages: pages of all entries
 * @drop: drops the pages of a file whose entry is still valid
 */
struct dsfs_ring {
	struct dsfs_ring_entry *entries;
	unsigned int size;
	unsigned int first;
	unsigned int used;
	unsigned long pages;
	void (*drop)(struct super_block *sb, const struct dsfs_ring_entry *entry);
};

enum dsfs_cache_mode {
	DSFS_CACHE_HOLD,	/* files are transient without room */
	DSFS_CACHE_TRIAL,	/* trial: are pages of others colder than ours? */
	DSFS_CACHE_COMPETE,	/* admit all, against a stream */
};

/**
 * struct dsfs_cache - the epoch cache of a mount
 * @sb: the mount
 * @clock: number of opens; the time of the epoch cache
 * @lock: protects the fields up to @ahead
 * @mode: mode of admission
 * @lost: dsfs_cache_pages_lost() when it was last read
 * @margin: pages that are left free
 * @margin_time: time when the margin was last narrowed
 * @in: pages read in the current period of @mode
 * @out: pages of ours that reclaim took in that period
 * @until: end of DSFS_CACHE_COMPETE, or earliest time of the next trial
 * @fails: consecutive failures, for the backoff
 * @pressed: consecutive periods in which reclaim took many pages of ours
 * @reuse: largest reuse distance, of the previous window and of this one
 * @reuse_end: end of this window
 * @closed: closed transient files
 * @open: transient files that may still be open
 * @ahead: files that were read because of a hint
 * @hand_lock: protects the fields below
 * @hand: clock hand: the next inode number to look at
 * @hand_time: time when the hand was last moved
 * @hand_found: the last move found a stale file, so there may be more
 */
struct dsfs_cache {
	struct super_block *sb;
	struct percpu_counter clock;
	spinlock_t lock;	/* not held while pages are dropped */
	enum dsfs_cache_mode mode;
	unsigned long lost;
	unsigned long margin;
	unsigned long margin_time;
	unsigned long in;
	unsigned long out;
	unsigned long until;
	unsigned int fails;
	unsigned int pressed;
	unsigned long reuse[2];
	unsigned long reuse_end;
	struct dsfs_ring closed;
	struct dsfs_ring open;
	struct dsfs_ring ahead;
	struct mutex hand_lock;	/* trylock only */
	u32 hand;
	unsigned long hand_time;
	bool hand_found;
};

static inline unsigned long *dsfs_file_state(struct inode *inode)
{
	return (unsigned long *)&inode->i_private;
}

static inline unsigned long dsfs_cache_now(struct dsfs_cache *cache)
{
	return percpu_counter_read_positive(&cache->clock) & DSFS_TIME_MASK;
}

static inline unsigned long dsfs_time_since(unsigned long then, unsigned long now)
{
	unsigned long passed = (now - then) & DSFS_TIME_MASK;

	/* The clock is approximate: other CPUs may be a little behind. */
	return passed > DSFS_TIME_MASK / 2 ? 0 : passed;
}

/* cachefile.c */
unsigned long dsfs_file_change(struct inode *inode, unsigned long clear,
			       unsigned long set, unsigned long now);
bool dsfs_file_decide(struct inode *inode, unsigned long flag);
u64 dsfs_file_pages(const struct inode *inode);
int dsfs_rings_init(struct dsfs_cache *cache);
void dsfs_rings_free(struct dsfs_cache *cache);
void dsfs_ring_add(struct dsfs_cache *cache, struct dsfs_ring *ring,
		   struct inode *inode, unsigned long most);
unsigned long dsfs_file_drop_stale(struct super_block *sb, u32 ino,
				   unsigned long now, unsigned long age);

/* cacheroom.c */
unsigned long dsfs_cache_pages_cached(void);
unsigned long dsfs_cache_pages_lost(void);
void dsfs_cache_pages_add(unsigned long pages);
long dsfs_free_pages(gfp_t gfp);
unsigned long dsfs_margin_min(void);
unsigned long dsfs_margin_max(void);
long dsfs_memcg_room(unsigned long margin);
unsigned long dsfs_foreign_pages(void);
unsigned long dsfs_other_pages(void);
unsigned long dsfs_trial_pages(void);

/* cacheadmit.c */
void dsfs_reuse_seen(struct dsfs_cache *cache, unsigned long distance);
bool dsfs_cache_admits(struct dsfs_cache *cache, struct inode *inode,
		       unsigned long pages);
bool dsfs_cache_replaces(struct dsfs_cache *cache, unsigned long pages);

#endif /* DSFS_CACHE_H */
