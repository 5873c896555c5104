// SPDX-License-Identifier: GPL-2.0
/*
 * The first read of a small file brings in all of it, with one request.
 *
 * Programs read a sample in pieces: torchvision's default loader takes 4,096,
 * 61,440, then 65,536 bytes, and the page cache's readahead makes three requests
 * of that and more.  Readahead is also meant to run ahead of a reader, which has
 * its price: data is checked by a worker, and reader and worker wake each other.
 * Here nobody is ahead of anybody.  The reader needs the data now, so it waits
 * for the device itself and checks the data itself, on the CPU that will copy it.
 *
 * Only a file of which nothing is cached is read this way: that is one test of a
 * counter in the way of cached reads, and what is left of a file that was
 * reclaimed in part is the page cache's business.
 */
#include "read.h"
#include "stats.h"
#include "trace.h"

#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/psi.h>

/*
 * Add the next folio: as large as fits the place, smaller if memory is short.
 * None if it is very short: that a small part was asked for must not bring the
 * OOM killer, so what does not come easily is left to the page cache.
 */
static struct folio *dsfs_whole_folio(struct address_space *mapping,
				      pgoff_t index, pgoff_t pages)
{
	unsigned int order = min_t(unsigned int,
				   dsfs_chunk_order(mapping->host->i_sb),
				   ilog2(pages - index));

	return dsfs_add_folio(mapping, index, order, readahead_gfp_mask(mapping));
}

static bool dsfs_whole_wanted(const struct file *file)
{
	const struct inode *inode = file_inode(file);
	const u64 size = i_size_read(inode);

	return size && size <= DSFS_READ_MAX &&
	       size <= READ_ONCE(DSFS_SB(inode->i_sb)->opt.wholefile) &&
	       !(file->f_mode & FMODE_RANDOM);
}

/* A read of all of a file, with its folios in the page cache; NULL if it is not to be. */
static struct dsfs_read *dsfs_whole_begin(struct file *file, gfp_t gfp)
{
	struct address_space *mapping = file->f_mapping;
	struct dsfs_read *rd;
	struct folio *folio;
	pgoff_t pages, index;

	if (!dsfs_whole_wanted(file))
		return NULL;
	pages = DIV_ROUND_UP_ULL(i_size_read(mapping->host), PAGE_SIZE);
	rd = dsfs_read_alloc(mapping->host, pages, gfp);
	if (!rd)
		return NULL;
	for (index = 0; index < pages; index += folio_nr_pages(folio)) {
		folio = dsfs_whole_folio(mapping, index, pages);
		if (IS_ERR(folio))
			break;
		dsfs_read_add_folio(rd, folio);
	}
	/* Who added the first folio has the file to himself. */
	if (rd->nr_folios) {
		dsfs_cache_forget(mapping->host);
		return rd;
	}
	dsfs_read_free(rd);
	return NULL;
}

/* Whether memory was too short to keep a part of it. */
static bool dsfs_whole_refaults(const struct dsfs_read *rd)
{
	unsigned int i;

	for (i = 0; i < rd->nr_folios; i++)
		if (folio_test_workingset(rd->folios[i]))
			return true;
	return false;
}

/**
 * dsfs_whole_read - bring a file into the page cache with one request
 * @file: a regular file of which nothing is cached
 *
 * Waits for the device.  If it fails or is beaten by another reader, what is
 * missing is the caller's to read as usual, and so is the error.
 */
void dsfs_whole_read(struct file *file)
{
	struct dsfs_read *rd = dsfs_whole_begin(file, GFP_KERNEL);
	unsigned long pressure;
	bool refaults;

	if (!rd)
		return;
	dsfs_count(file_inode(file)->i_sb, DSFS_COUNT_WHOLE, 1);
	rd->sync = true;
	/* Time lost to lack of memory, as the page cache counts it. */
	refaults = dsfs_whole_refaults(rd);
	if (refaults)
		psi_memstall_enter(&pressure);
	dsfs_read_submit(rd, REQ_OP_READ, GFP_KERNEL);
	if (refaults)
		psi_memstall_leave(&pressure);
}

/* What does not come easily is left to the page cache. */
#define DSFS_GFP_AHEAD	(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN)

/**
 * dsfs_whole_ahead - the same without waiting
 * @file: a regular file of which nothing is cached
 *
 * For a page fault, which lets go of locks before it waits.  Does nothing where
 * memory or metadata are not to be had at once.
 */
void dsfs_whole_ahead(struct file *file)
{
	struct dsfs_read *rd;

	if (dsfs_meta_may_block(file_inode(file)->i_sb))
		return;
	rd = dsfs_whole_begin(file, DSFS_GFP_AHEAD);
	if (rd)
		dsfs_read_submit(rd, REQ_OP_READ | REQ_RAHEAD, DSFS_GFP_AHEAD);
}

/*
 * Bytes that hints may have in flight: of a device that gives 5 GB a second and takes
 * 10 ms for it five times as many, but a part of memory.  A hint beyond that costs its
 * reader all of the device's latency: an eighth has room for windows of hundreds of files.
 */
static unsigned long dsfs_hint_max(void)
{
	return min_t(u64, SZ_256M, (u64)totalram_pages() << PAGE_SHIFT >> 3);
}

/**
 * dsfs_whole_hint - the same for who says that a file will be wanted
 * @file: a regular file
 *
 * A hint that would have to wait for memory, or for others, is dropped.
 *
 * Return: whether that is all that there is to do; else the file is not one to be
 * read whole, or some of it is cached.
 */
bool dsfs_whole_hint(struct file *file)
{
	struct inode *inode = file_inode(file);
	struct dsfs_sb_info *sbi = DSFS_SB(inode->i_sb);
	const u64 size = i_size_read(inode);
	const bool busy = atomic_long_read(&sbi->hinted) + size > dsfs_hint_max();
	struct dsfs_read *rd = NULL;

	if (!dsfs_whole_wanted(file))
		return false;
	if (file->f_mapping->nrpages) {
		trace_dsfs_prefetch(inode, DSFS_PREFETCH_CACHED);
		return false;
	}
	if (!busy)
		rd = dsfs_whole_begin(file, DSFS_GFP_AHEAD);
	/* Somebody else reads it. */
	if (!rd && file->f_mapping->nrpages) {
		trace_dsfs_prefetch(inode, DSFS_PREFETCH_CACHED);
		return true;
	}
	if (!rd) {
		dsfs_count(inode->i_sb, DSFS_COUNT_PREFETCH_DROPPED, 1);
		trace_dsfs_prefetch(inode, busy ? DSFS_PREFETCH_BUSY :
					   DSFS_PREFETCH_PRESSURE);
		return true;
	}
	trace_dsfs_prefetch(inode, DSFS_PREFETCH_ISSUED);
	rd->hint = true;
	atomic_long_add(rd->len, &sbi->hinted);
	dsfs_cache_hinted(file, true);
	dsfs_read_submit(rd, REQ_OP_READ | REQ_RAHEAD, DSFS_GFP_AHEAD);
	return true;
}
