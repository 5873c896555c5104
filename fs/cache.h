/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The epoch cache (cache=epoch): cache.c has its policy, cachefile.c the state
 * of files and the rings of those whose pages are to be dropped.
 */
#ifndef DSFS_CACHE_H
#define DSFS_CACHE_H

#include "internal.h"

#include <linux/percpu_counter.h>
#include <linux/spinlock.h>

/*
 * State of a regular file, in i_private: flags, and above them the time of its
 * last open, in opens of the mount.
 */
#define DSFS_FILE_ADMITTED	1UL
#define DSFS_FILE_TRANSIENT	2UL
#define DSFS_FILE_DECIDED	(DSFS_FILE_ADMITTED | DSFS_FILE_TRANSIENT)
#define DSFS_FILE_AHEAD		4UL	/* read because of a hint, not used yet */
#define DSFS_FILE_SHIFT		3
/* Mask of times, which wrap around on 32-bit machines */
#define DSFS_TIME_MASK		(ULONG_MAX >> DSFS_FILE_SHIFT)

/* Larger files are admitted range by range instead of as a whole. */
#define DSFS_ADMITTED_MAX	SZ_64M

/* A file in a ring; void if the file was opened after @time. */
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
 * @ahead: of files that were read because of a hint
 */
struct dsfs_ring {
	struct dsfs_ring_entry *entries;
	unsigned int size;
	unsigned int first;
	unsigned int used;
	unsigned long pages;
	bool ahead;
};

/**
 * struct dsfs_cache - the epoch cache of a mount
 * @sb: the mount
 * @clock: number of opens; the time of the epoch cache
 * @held: pages of the cache that were admitted
 * @lost: those that reclaim took in this window and that were still in use
 * @lock: protects the fields below
 * @missed: pages read from the device in this window
 * @admitted: those that were admitted
 * @losses: @lost, summed up in this window
 * @target: @held that admission goes for
 * @shift: the target grows by 2^-@shift of a window; 0: all files are admitted
 * @hold: windows without losses to wait before @shift falls
 * @fails: the next @hold
 * @reuse: largest reuse distance, of the previous turn and of this one
 * @reuse_end: end of this turn
 * @closed: closed transient files
 * @open: transient files that may still be open
 * @ahead: files that were read because of a hint
 * @hand_lock: protects the fields below
 * @hand: clock hand: the next inode number to look at
 * @hand_found: more steps, because a stale file was found
 * @hand_time: time when the hand was last moved
 */
struct dsfs_cache {
	struct super_block *sb;
	struct percpu_counter clock;
	atomic_long_t held;
	atomic_long_t lost;
	spinlock_t lock;	/* not held while pages are dropped */
	unsigned long missed;
	unsigned long admitted;
	unsigned long losses;
	long target;
	unsigned int shift;
	unsigned int hold;
	unsigned int fails;
	unsigned long reuse[2];
	unsigned long reuse_end;
	struct dsfs_ring closed;
	struct dsfs_ring open;
	struct dsfs_ring ahead;
	struct mutex hand_lock;	/* trylock only */
	u32 hand;
	u32 hand_found;
	unsigned long hand_time;
};

static inline unsigned long *dsfs_file_state(struct inode *inode)
{
	return (unsigned long *)&inode->i_private;
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
unsigned long dsfs_file_drop_stale(struct super_block *sb, u32 ino,
				   unsigned long now, unsigned long age);
int dsfs_rings_init(struct dsfs_cache *cache);
void dsfs_rings_free(struct dsfs_cache *cache);
void dsfs_ring_add(struct dsfs_cache *cache, struct dsfs_ring *ring,
		   struct inode *inode, unsigned long most);

#endif /* DSFS_CACHE_H */
