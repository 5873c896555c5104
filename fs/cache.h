/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the epoch cache share: cache.c, which is told of opens and reads,
 * cacheadmit.c, which decides, cacheroom.c, which knows what memory there is, and
 * cachefile.c, which remembers files and drops their pages.
 */
#ifndef DSFS_CACHE_H
#define DSFS_CACHE_H

#include "internal.h"

#include <linux/mm.h>
#include <linux/percpu_counter.h>
#include <linux/spinlock.h>

/*
 * The state of a regular file, in i_private: flags, and above them when it was opened
 * last.  It is as old as the inode, which lives at least as long as its cached pages.
 */
#define DSFS_FILE_KEPT		1UL
#define DSFS_FILE_TRANSIENT	2UL
#define DSFS_FILE_DECIDED	(DSFS_FILE_KEPT | DSFS_FILE_TRANSIENT)
#define DSFS_FILE_AHEAD		4UL
#define DSFS_FILE_FLAGS		7UL
#define DSFS_FILE_SHIFT		3
/* Of times, which wrap around on 32 bits */
#define DSFS_TIME_MASK		(ULONG_MAX >> DSFS_FILE_SHIFT)

/* An epoch, in opens, if none has been seen yet */
#define DSFS_SPAN_MIN		1024UL

/* Larger files are not admitted as wholes, but as they are read. */
#define DSFS_KEPT_MAX		SZ_64M

/* A file, as it was opened last at about that time: what came later is not the entry's. */
struct dsfs_ring_entry {
	u32 ino;
	u32 pages;
	u32 time;
};

/**
 * struct dsfs_ring - files that wait for something, and then their pages go
 * @entries: numbers, not references: an inode may go first
 * @size: of them
 * @first: the oldest one
 * @used: how many there are
 * @pages: of all of them
 * @drop: have the pages of a file go, if that is still right
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
	DSFS_CACHE_HOLD,	/* what has no room is transient */
	DSFS_CACHE_TRIAL,	/* are pages of others colder than ours? */
	DSFS_CACHE_COMPETE,	/* against somebody's stream */
};

/**
 * struct dsfs_cache - the epoch cache of a mount
 * @sb: the mount
 * @clock: files opened
 * @lock: of all that follows, but for @hand
 * @mode: how files are admitted
 * @lost: dsfs_cache_lost when it was looked at last
 * @margin: pages that stay free
 * @margin_time: when it was narrowed last
 * @in: pages admitted, or read, in this part of @mode
 * @out: pages of ours that reclaim took meanwhile
 * @until: time at which DSFS_CACHE_COMPETE ends, or a trial may begin again
 * @fails: how often in turn that was to no avail
 * @pressed: parts in turn in which reclaim took many of ours
 * @span: the longest time from opening a file to opening it again, in the window before
 *	this one and in this one
 * @span_end: when this window ends
 * @closed: transient files that were closed
 * @open: transient files that were read, maybe still open
 * @ahead: files that were read ahead
 * @hand_lock: of the hand
 * @hand: the next inode number to look at
 * @hand_time: when it was moved last
 * @hand_found: it found a stale file then: there are more
 */
struct dsfs_cache {
	struct super_block *sb;
	struct percpu_counter clock;
	spinlock_t lock;	/* short, never held while something is dropped */
	enum dsfs_cache_mode mode;
	unsigned long lost;
	unsigned long margin;
	unsigned long margin_time;
	unsigned long in;
	unsigned long out;
	unsigned long until;
	unsigned int fails;
	unsigned int pressed;
	unsigned long span[2];
	unsigned long span_end;
	struct dsfs_ring closed;
	struct dsfs_ring open;
	struct dsfs_ring ahead;
	struct mutex hand_lock;	/* only tried: one hand at a time */
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

	/* The clock of another CPU may be a little behind. */
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
void dsfs_span_seen(struct dsfs_cache *cache, unsigned long span);
bool dsfs_cache_admits(struct dsfs_cache *cache, struct inode *inode,
		       unsigned long pages);
bool dsfs_cache_replaces(struct dsfs_cache *cache, unsigned long pages);

#endif /* DSFS_CACHE_H */
