// SPDX-License-Identifier: GPL-2.0
/*
 * Page cache operations: read_folio and readahead.
 *
 * read(2) and page faults have read a small file whole in whole.c before they get here.
 * Reads that must not wait get here through readahead, and read it whole, too.
 */
#include "cache.h"
#include "read.h"

#include <linux/mm.h>
#include <linux/sched/mm.h>

/*
 * Replace a folio that readahead could not fill and that is larger than a chunk
 * by folios of one chunk, so that an error affects its chunk only. Waiters for
 * the large folio are woken after the small ones are in the cache, or they
 * would start readahead for the gap. A gap that is left, for lack of memory or
 * beside a folio of somebody else, is filled by later reads.
 */
static int dsfs_break_folio(struct folio *folio)
{
	struct address_space *mapping = folio->mapping;
	const unsigned int order = dsfs_chunk_order(mapping->host);
	const pgoff_t end = folio_next_index(folio);
	pgoff_t index = folio->index;
	struct folio *part;
	int ret;

	ret = generic_error_remove_folio(mapping, folio);
	while (!ret && index < end) {
		part = dsfs_add_part(mapping, folio, index, order);
		if (!part)
			break;
		index = folio_next_index(part);
		folio_unlock(part);
	}
	folio_unlock(folio);
	return ret ? ret : AOP_TRUNCATED_PAGE;
}

/*
 * Add folios for the rest of the chunks around @folio, which must be read and
 * verified for it anyway. Otherwise random reads and faults would read a chunk
 * for each page. The range ends at pages that are cached or cannot be
 * allocated; the rest of the chunk goes to bounce pages.
 */
static void dsfs_read_add_chunk(struct dsfs_read *rd, struct folio *folio,
				pgoff_t first, pgoff_t end)
{
	struct address_space *mapping = folio->mapping;
	const unsigned int nofs = memalloc_nofs_save();
	pgoff_t index = folio->index;
	struct folio *part;

	/* Downwards to a page that is cached, and then in order: they are locked. */
	while (index > first && dsfs_add_part(mapping, folio, index - 1, 0))
		index--;
	for (; index < folio->index; index++)
		dsfs_read_add_folio(rd, xa_load(&mapping->i_pages, index));
	dsfs_read_add_folio(rd, folio);
	for (index = folio_next_index(folio); index < end; index++) {
		part = dsfs_add_part(mapping, folio, index, 0);
		if (!part)
			break;
		dsfs_read_add_folio(rd, part);
	}
	memalloc_nofs_restore(nofs);
}

/* Read one folio and wait. Returns the error of that folio. */
static int dsfs_read_folio(struct file *file, struct folio *folio)
{
	struct inode *inode = folio->mapping->host;
	pgoff_t first = folio->index, end = folio_next_index(folio);
	struct dsfs_read *rd;

	if (folio_order(folio) > dsfs_chunk_order(inode))
		return dsfs_break_folio(folio);
	dsfs_widen_to_chunks(inode, &first, &end);
	/* RWF_DONTCACHE: pages before it were read and dropped. */
	if (folio_test_dropbehind(folio))
		first = folio->index;
	rd = dsfs_read_alloc(inode, end - first, DSFS_REQUEST_PAGE, true);
	if (!rd) {
		folio_unlock(folio);
		return -ENOMEM;
	}
	rd->wanted = folio;
	dsfs_read_add_chunk(rd, folio, first, end);
	return dsfs_read_submit(rd);
}

/*
 * Widen the readahead range: to all of a small file, unless access is random;
 * otherwise to whole chunks. Return: the page that the read ends before. Of a
 * file that is larger than one read, the range is the part of that size around
 * the access, and dsfs_readahead_more() adds the rest.
 */
static pgoff_t dsfs_expand(struct readahead_control *rac)
{
	struct inode *inode = rac->mapping->host;
	const u64 size = i_size_read(inode);
	const bool random = rac->file && rac->file->f_mode & FMODE_RANDOM;
	const bool drops = rac->dropbehind;
	pgoff_t first = readahead_index(rac), last;
	pgoff_t end = first + readahead_count(rac);

	if (!random && size <= READ_ONCE(DSFS_SB(inode->i_sb)->opt.wholefile)) {
		last = max(end, DIV_ROUND_UP_ULL(size, PAGE_SIZE));
		first = round_down(first, DSFS_READ_MAX >> PAGE_SHIFT);
		end = clamp(first + (DSFS_READ_MAX >> PAGE_SHIFT), end, last);
	} else {
		dsfs_widen_to_chunks(inode, &first, &end);
		last = end;
	}
	/* Expand the end first: a cached page before the range stops both. */
	readahead_expand(rac, readahead_pos(rac),
			 (end - readahead_index(rac)) << PAGE_SHIFT);
	/* RWF_DONTCACHE: pages before the range were read and dropped. */
	if (first < readahead_index(rac) && !drops)
		readahead_expand(rac, (loff_t)first << PAGE_SHIFT,
				 (end - first) << PAGE_SHIFT);
	return last;
}

/*
 * The folios of a range are locked until their read is sent, so the next part
 * of a file is added after the reads of the last one were. Return: its first
 * folio; NULL at the end, at a cached page, or after a fatal signal.
 */
static struct folio *dsfs_readahead_more(struct readahead_control *rac, pgoff_t last)
{
	const pgoff_t next = readahead_index(rac);

	if (next >= last || fatal_signal_pending(current))
		return NULL;
	readahead_expand(rac, readahead_pos(rac),
			 min_t(u64, (u64)(last - next) << PAGE_SHIFT, DSFS_READ_MAX));
	return readahead_folio(rac);
}

static void dsfs_readahead(struct readahead_control *rac)
{
	const unsigned int max = dsfs_piece_pages(rac->mapping->host);
	const pgoff_t last = dsfs_expand(rac);
	struct folio *folio = readahead_folio(rac);
	struct dsfs_read *rd;

	while (folio) {
		/* Count and position of @rac still include the current folio. */
		rd = dsfs_read_alloc(rac->mapping->host,
				     min(readahead_count(rac), max), DSFS_REQUEST_AHEAD, false);
		if (!rd) {
			/* The caller drops the folios that are left in @rac. */
			folio_unlock(folio);
			return;
		}
		do {
			dsfs_read_add_folio(rd, folio);
			folio = readahead_folio(rac);
		} while (folio && rd->len >> PAGE_SHIFT < max);
		dsfs_read_submit(rd);
		if (!folio)
			folio = dsfs_readahead_more(rac, last);
	}
}

const struct address_space_operations dsfs_aops = {
	.read_folio	= dsfs_read_folio,
	.readahead	= dsfs_readahead,
	.release_folio	= dsfs_cache_release_folio,
	.invalidate_folio = dsfs_cache_invalidate_folio,
	.migrate_folio	= filemap_migrate_folio,
};
