// SPDX-License-Identifier: GPL-2.0
/*
 * Files of the epoch cache: the decision on each, and dropping of pages.
 *
 * Pages cannot be dropped when a file is closed, nor right after they were
 * read, so files wait in a ring of inode numbers. When an entry is due, the
 * file may have been opened again, or the number may belong to another VFS
 * inode. The entry is void then, and the later open has its own.
 */
#include "cache.h"
#include "stats.h"
#include "trace.h"

#include <linux/pagemap.h>
#include <linux/slab.h>

/*
 * Entries of the ring of closed files. Pages that were added last are in
 * per-CPU batches on their way to the LRU lists and cannot be dropped, so other
 * files must be closed first.
 */
#define DSFS_CLOSED_FILES	16
/*
 * Entries of the ring of open files: files that are not closed, such as those
 * of an NFS server
 */
#define DSFS_OPEN_FILES		4096
/* Entries of the ring of hinted files */
#define DSFS_AHEAD_FILES	16384

/*
 * Time of an open, given the old state. The clock is approximate and may not
 * have advanced since the last open of the file; ring entries of that one must
 * be void all the same.
 */
static unsigned long dsfs_file_opened_at(unsigned long old, unsigned long now)
{
	const unsigned long then = old >> DSFS_FILE_SHIFT;

	return then && !dsfs_time_since(then, now) ? (then + 1) & DSFS_TIME_MASK : now;
}

/**
 * dsfs_file_change - change the state of a file
 * @inode: the file
 * @clear: flags to clear
 * @set: flags to set
 * @now: time of a new open; 0: unchanged
 *
 * Return: the old state.
 */
unsigned long dsfs_file_change(struct inode *inode, unsigned long clear,
			       unsigned long set, unsigned long now)
{
	unsigned long *state = dsfs_file_state(inode);
	unsigned long old = READ_ONCE(*state), new;

	do {
		new = (old & ~clear) | set;
		if (now)
			new = (new & DSFS_FILE_FLAGS) |
			      dsfs_file_opened_at(old, now) << DSFS_FILE_SHIFT;
		if (new == old)
			break;
	} while (!try_cmpxchg(state, &old, new));
	return old;
}

/**
 * dsfs_file_decide - set the decision on a file, once
 * @inode: the file
 * @flag: DSFS_FILE_ADMITTED or DSFS_FILE_TRANSIENT
 *
 * Return: true if this call decided.
 */
bool dsfs_file_decide(struct inode *inode, unsigned long flag)
{
	unsigned long *state = dsfs_file_state(inode);
	unsigned long old = READ_ONCE(*state);

	do {
		if (old & DSFS_FILE_DECIDED)
			return false;
	} while (!try_cmpxchg(state, &old, old | flag));
	return true;
}

/**
 * dsfs_file_pages - size of a file in pages
 * @inode: the file
 *
 * Return: their number.
 */
u64 dsfs_file_pages(const struct inode *inode)
{
	return DIV_ROUND_UP_ULL(i_size_read(inode), PAGE_SIZE);
}

/*
 * Get a regular file with cached pages by number, if it is in the inode cache.
 */
static struct inode *dsfs_cache_inode(struct super_block *sb, u32 ino)
{
	struct inode *inode;

	rcu_read_lock();
	inode = find_inode_by_ino_rcu(sb, ino);
	if (inode && (!S_ISREG(inode->i_mode) || !inode->i_data.nrpages))
		inode = NULL;
	if (inode)
		inode = igrab(inode);
	rcu_read_unlock();
	return inode;
}

static unsigned long dsfs_drop_pages(struct inode *inode,
				     enum dsfs_cache_decision why)
{
	unsigned long pages = READ_ONCE(inode->i_data.nrpages);

	/* Do not use the return value, which includes shadow entries. */
	invalidate_mapping_pages(inode->i_mapping, 0, -1);
	pages -= min(pages, READ_ONCE(inode->i_data.nrpages));
	trace_dsfs_cache(inode, pages, why);
	return pages;
}

/* State of the file of a ring entry, or 0 if it was opened since */
static unsigned long dsfs_file_waits(struct inode *inode,
				     const struct dsfs_ring_entry *entry)
{
	const unsigned long state = READ_ONCE(*dsfs_file_state(inode));

	return (u32)(state >> DSFS_FILE_SHIFT) == entry->time ? state : 0;
}

static void dsfs_drop_transient(struct super_block *sb,
				const struct dsfs_ring_entry *entry)
{
	struct inode *inode = dsfs_cache_inode(sb, entry->ino);

	if (!inode)
		return;
	if ((dsfs_file_waits(inode, entry) &
	     (DSFS_FILE_TRANSIENT | DSFS_FILE_AHEAD)) == DSFS_FILE_TRANSIENT)
		dsfs_drop_pages(inode, DSFS_CACHE_DROPPED);
	iput(inode);
}

/* Drop a file that was read because of a hint and not used. */
static void dsfs_drop_ahead(struct super_block *sb,
			    const struct dsfs_ring_entry *entry)
{
	struct inode *inode = dsfs_cache_inode(sb, entry->ino);

	if (!inode)
		return;
	if (dsfs_file_waits(inode, entry) & DSFS_FILE_AHEAD &&
	    dsfs_file_change(inode, DSFS_FILE_AHEAD, 0, 0) & DSFS_FILE_AHEAD) {
		dsfs_count(sb, DSFS_COUNT_PREFETCH_DROPPED, 1);
		if (READ_ONCE(*dsfs_file_state(inode)) & DSFS_FILE_TRANSIENT)
			dsfs_drop_pages(inode, DSFS_CACHE_DROPPED);
	}
	iput(inode);
}

/* Remove the oldest entry if the ring is full or has too many pages. */
static bool dsfs_ring_pop(struct dsfs_ring *ring, unsigned long pages,
			  struct dsfs_ring_entry *entry)
{
	if (ring->used < 2 || (ring->used < ring->size && ring->pages <= pages))
		return false;
	*entry = ring->entries[ring->first];
	ring->first = (ring->first + 1) % ring->size;
	ring->used--;
	ring->pages -= entry->pages;
	return true;
}

static void dsfs_ring_push(struct dsfs_ring *ring, struct inode *inode)
{
	struct dsfs_ring_entry *entry;

	entry = &ring->entries[(ring->first + ring->used) % ring->size];
	entry->ino = inode->i_ino;
	/*
	 * Nothing is dropped of files that are admitted range by range. With
	 * all their pages, one of them would push out all others.
	 */
	entry->pages = i_size_read(inode) <= DSFS_ADMITTED_MAX ? dsfs_file_pages(inode) : 0;
	entry->time = READ_ONCE(*dsfs_file_state(inode)) >> DSFS_FILE_SHIFT;
	ring->pages += entry->pages;
	ring->used++;
}

/**
 * dsfs_ring_add - add a file to a ring, and drop the oldest ones
 * @cache: the epoch cache
 * @ring: the ring
 * @inode: the file
 * @most: maximum pages of all files in the ring
 */
void dsfs_ring_add(struct dsfs_cache *cache, struct dsfs_ring *ring,
		   struct inode *inode, unsigned long most)
{
	struct dsfs_ring_entry entry;
	bool popped;

	spin_lock(&cache->lock);
	popped = ring->used == ring->size && dsfs_ring_pop(ring, 0, &entry);
	dsfs_ring_push(ring, inode);
	spin_unlock(&cache->lock);
	do {
		if (popped)
			ring->drop(cache->sb, &entry);
		spin_lock(&cache->lock);
		popped = dsfs_ring_pop(ring, most, &entry);
		spin_unlock(&cache->lock);
	} while (popped);
}

/**
 * dsfs_file_drop_stale - drop the pages of a file if it is stale
 * @sb: the mount
 * @ino: inode number; the inode may not be in memory
 * @now: current time
 * @age: age after which a file is stale
 *
 * Return: pages dropped.
 */
unsigned long dsfs_file_drop_stale(struct super_block *sb, u32 ino,
				   unsigned long now, unsigned long age)
{
	struct inode *inode = dsfs_cache_inode(sb, ino);
	unsigned long state, pages = 0;

	if (!inode)
		return 0;
	state = READ_ONCE(*dsfs_file_state(inode));
	if (dsfs_time_since(state >> DSFS_FILE_SHIFT, now) > age)
		pages = dsfs_drop_pages(inode, DSFS_CACHE_REPLACED);
	iput(inode);
	if (pages)
		dsfs_count(sb, DSFS_COUNT_CACHE_REPLACED, 1);
	return pages;
}

static int dsfs_ring_init(struct dsfs_ring *ring, unsigned int size,
			  void (*drop)(struct super_block *sb,
				       const struct dsfs_ring_entry *entry))
{
	ring->size = size;
	ring->drop = drop;
	ring->entries = kvcalloc(size, sizeof(*ring->entries), GFP_KERNEL);
	return ring->entries ? 0 : -ENOMEM;
}

/**
 * dsfs_rings_init - allocate the rings of a mount
 * @cache: the epoch cache
 *
 * Return: 0 or -ENOMEM; free with dsfs_rings_free() in both cases.
 */
int dsfs_rings_init(struct dsfs_cache *cache)
{
	if (dsfs_ring_init(&cache->closed, DSFS_CLOSED_FILES, dsfs_drop_transient) ||
	    dsfs_ring_init(&cache->open, DSFS_OPEN_FILES, dsfs_drop_transient) ||
	    dsfs_ring_init(&cache->ahead, DSFS_AHEAD_FILES, dsfs_drop_ahead))
		return -ENOMEM;
	return 0;
}

/**
 * dsfs_rings_free - free the rings of a mount
 * @cache: the epoch cache, not in use
 */
void dsfs_rings_free(struct dsfs_cache *cache)
{
	kvfree(cache->closed.entries);
	kvfree(cache->open.entries);
	kvfree(cache->ahead.entries);
}
