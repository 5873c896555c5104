// SPDX-License-Identifier: GPL-2.0
/*
 * Files of the epoch cache: their state, and dropping of pages.
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

/**
 * dsfs_file_change - change the state of a file
 * @inode: the file
 * @clear: flags to clear
 * @set: flags to set
 * @now: time of a new open; 0: unchanged
 *
 * A file that waits for its use after a hint keeps its time, so that its entry
 * in the ring stays valid. The clock may not have advanced since the last open
 * of the file; ring entries of that one become void all the same.
 *
 * Return: the old state.
 */
unsigned long dsfs_file_change(struct inode *inode, unsigned long clear,
			       unsigned long set, unsigned long now)
{
	unsigned long *state = dsfs_file_state(inode);
	unsigned long old = READ_ONCE(*state), new, then;

	do {
		new = (old & ~clear) | set;
		then = old >> DSFS_FILE_SHIFT;
		if (now && !(new & DSFS_FILE_AHEAD)) {
			if (then && !dsfs_time_since(then, now))
				now = (then + 1) & DSFS_TIME_MASK;
			new &= DSFS_FILE_DECIDED;
			new |= now << DSFS_FILE_SHIFT;
		}
	} while (new != old && !try_cmpxchg(state, &old, new));
	return old;
}

/* Get a file with cached pages by number, if it is in the inode cache. */
static struct inode *dsfs_cache_inode(struct super_block *sb, u32 ino)
{
	struct inode *inode;

	rcu_read_lock();
	inode = find_inode_by_ino_rcu(sb, ino);
	if (inode)
		inode = S_ISREG(inode->i_mode) && inode->i_data.nrpages ?
			igrab(inode) : NULL;
	rcu_read_unlock();
	return inode;
}

static unsigned long dsfs_drop_file(struct inode *inode)
{
	unsigned long pages = READ_ONCE(inode->i_data.nrpages);

	/* Do not use the return value, which includes shadow entries. */
	invalidate_mapping_pages(inode->i_mapping, 0, -1);
	pages -= min(pages, READ_ONCE(inode->i_data.nrpages));
	trace_dsfs_cache(inode, pages, DSFS_CACHE_DROPPED);
	return pages;
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
	unsigned long pages = 0;

	if (!inode)
		return 0;
	if (dsfs_time_since(READ_ONCE(*dsfs_file_state(inode)) >> DSFS_FILE_SHIFT, now) > age)
		pages = dsfs_drop_file(inode);
	iput(inode);
	return pages;
}

static void dsfs_drop_entry(struct super_block *sb, bool ahead,
			    const struct dsfs_ring_entry *entry)
{
	struct inode *inode = dsfs_cache_inode(sb, entry->ino);
	unsigned long state;

	if (!inode)
		return;
	state = READ_ONCE(*dsfs_file_state(inode));
	if ((u32)(state >> DSFS_FILE_SHIFT) != entry->time)
		goto out;
	/* It was read because of a hint and not used. */
	if (ahead) {
		state = dsfs_file_change(inode, DSFS_FILE_AHEAD, 0, 0);
		if (!(state & DSFS_FILE_AHEAD))
			goto out;
		dsfs_count(sb, DSFS_COUNT_PREFETCH_DROPPED, 1);
		state &= ~DSFS_FILE_AHEAD;
	}
	if ((state & (DSFS_FILE_TRANSIENT | DSFS_FILE_AHEAD)) == DSFS_FILE_TRANSIENT)
		dsfs_drop_file(inode);
out:
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
	entry->pages = 0;
	if (i_size_read(inode) <= DSFS_ADMITTED_MAX)
		entry->pages = DIV_ROUND_UP_ULL(i_size_read(inode), PAGE_SIZE);
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
			dsfs_drop_entry(cache->sb, ring->ahead, &entry);
		spin_lock(&cache->lock);
		popped = dsfs_ring_pop(ring, most, &entry);
		spin_unlock(&cache->lock);
	} while (popped);
}

static int dsfs_ring_init(struct dsfs_ring *ring, unsigned int size, bool ahead)
{
	ring->size = size;
	ring->ahead = ahead;
	ring->entries = kvcalloc(size, sizeof(*ring->entries), GFP_KERNEL);
	return ring->entries ? 0 : -ENOMEM;
}

/**
 * dsfs_rings_init - allocate the rings of a mount
 * @cache: the epoch cache
 *
 * Pages that were added last are in per-CPU batches on their way to the LRU
 * lists and cannot be dropped, so 16 files must be closed first. Open files are
 * those of an NFS server.
 *
 * Return: 0 or -ENOMEM; free with dsfs_rings_free() in both cases.
 */
int dsfs_rings_init(struct dsfs_cache *cache)
{
	if (dsfs_ring_init(&cache->closed, 16, false) ||
	    dsfs_ring_init(&cache->open, 4096, false) ||
	    dsfs_ring_init(&cache->ahead, 16384, true))
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
