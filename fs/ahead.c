// SPDX-License-Identifier: GPL-2.0
/*
 * Large files: what is read ahead of page faults in order, and hints for ranges.
 *
 * A fault says which page is needed and no more, so the page cache reads a small
 * window on both sides of it, and goes on in windows of that size. A device that
 * takes a millisecond a request is idle for most of the time then. Here such a
 * window becomes longer when the task has come to the mark in the last one, by
 * a tenth of what lies in the cache before it: a task that stops there leaves
 * little that was read in vain. With MADV_SEQUENTIAL it has its full length from
 * the first fault on.
 *
 * A hint for a range is served whole, up to the user's limit of bytes in flight.
 */
#include "read.h"
#include "trace.h"

#include <linux/backing-dev.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>

/*
 * Part of the pages before it that a window in order may have. Two windows are read
 * ahead of a task: one that goes on for a MiB and stops leaves a quarter of it at most.
 */
#define DSFS_RUN_PART	10

static bool dsfs_is_cached(struct address_space *mapping, pgoff_t index)
{
	const void *entry = xa_load(&mapping->i_pages, index);

	return entry && !xa_is_value(entry);
}

/*
 * Number of pages before @index that are cached without a gap, up to @max. Not each
 * of them is looked at, which took a tenth of a load by several ranks, but one at twice the
 * distance as long as it is cached, and then halves of what is between the last two.
 */
static pgoff_t dsfs_run(struct address_space *mapping, pgoff_t index, pgoff_t max)
{
	pgoff_t run = 0, step = 1;

	max = min(max, index);
	while (run + step <= max && dsfs_is_cached(mapping, index - run - step)) {
		run += step;
		step *= 2;
	}
	while (step /= 2)
		if (run + step <= max && dsfs_is_cached(mapping, index - run - step))
			run += step;
	return run;
}

/*
 * What readahead of a mapped file is for is seen by the state that the page cache
 * has set: a window around a fault has its mark at three quarters. Behind a mark,
 * all of the window is ahead of the task. A fault with MADV_SEQUENTIAL is a
 * read of ra_pages without a state, or, at the start of the file, with the mark
 * in the middle. So is a read(2) of as much, which may be a random one: a descriptor
 * that was read since it was mapped has a prev_pos.
 */
static bool dsfs_is_marked(struct readahead_control *rac)
{
	const struct file_ra_state *ra = rac->ra;

	return ra->start == readahead_index(rac) &&
	       (ra->async_size == ra->size || ra->async_size == 1);
}

static bool dsfs_is_advised(struct readahead_control *rac)
{
	const struct file_ra_state *ra = rac->ra;
	const pgoff_t index = readahead_index(rac);

	if (ra->prev_pos >= 0)
		return false;
	if (ra->start == index)
		return !index && ra->size == ra->ra_pages && ra->async_size >= ra->size / 2;
	return readahead_count(rac) == ra->ra_pages;
}

/*
 * dsfs_in_order - how many pages to read for a fault of a task that goes on in
 * order, from the start of @rac; 0: those that the page cache has added
 *
 * The descriptor keeps whether its last window was for MADV_SEQUENTIAL.
 */
pgoff_t dsfs_in_order(struct readahead_control *rac)
{
	const struct dsfs_sb_info *sbi = DSFS_SB(rac->mapping->host->i_sb);
	const pgoff_t index = readahead_index(rac);

	/* A window of one page: dsfs_expand() adds all of a small file. */
	if (!rac->file || !dsfs_file_mapped(rac->file) || rac->ra->ra_pages <= 1 ||
	    rac->file->f_mode & FMODE_RANDOM || !dsfs_ra_default(rac->mapping->host->i_sb))
		return 0;
	if (dsfs_is_advised(rac))
		WRITE_ONCE(rac->file->private_data, DSFS_FILE_IN_ORDER);
	else if (!dsfs_is_marked(rac))
		WRITE_ONCE(rac->file->private_data, DSFS_FILE_MAPPED);
	else if (READ_ONCE(rac->file->private_data) != DSFS_FILE_IN_ORDER)
		return min(sbi->ra_pages, dsfs_run(rac->mapping, index, sbi->ra_pages *
						   DSFS_RUN_PART) / DSFS_RUN_PART);
	return READ_ONCE(rac->file->private_data) == DSFS_FILE_IN_ORDER ? sbi->ra_pages : 0;
}

/*
 * The page before the end of a range that gets a mark. The task that started the
 * range finds a mark of the page cache at its start. Another one, or one that had
 * asked for the range by a hint, goes on from here: without a state of its own
 * the page cache looks for the end no farther than this. Reads end there, so it is
 * at the start of a chunk.
 */
static pgoff_t dsfs_mark(const struct file *file, pgoff_t index, pgoff_t end,
			 const atomic_long_t *user)
{
	const pgoff_t chunk = dsfs_chunk_pages(file_inode(file));
	const pgoff_t pages = READ_ONCE(file->f_ra.ra_pages);

	if (end - index > pages)
		return min(round_up(end - pages, chunk), end);
	/* A hint for so little is for a random read. */
	return user ? end : index;
}

/*
 * Read pages [index, end) in pieces that are verified and unlocked on their own,
 * up to a page that is cached or cannot be allocated. Return: the page after the last
 * one. The bytes of a hint are subtracted from @user as pieces are done.
 */
static pgoff_t dsfs_ahead_add(struct file *file, pgoff_t index, pgoff_t end,
			      atomic_long_t *user)
{
	struct inode *inode = file_inode(file);
	const unsigned int order = mapping_max_folio_order(inode->i_mapping);
	const pgoff_t piece = dsfs_piece_pages(inode);
	const pgoff_t mark = dsfs_mark(file, index, end, user);
	struct dsfs_read *rd;
	pgoff_t stop;

	for (stop = index; index == stop && index < end; ) {
		stop = min(index < mark ? mark : end, round_down(index + piece, piece));
		rd = dsfs_read_alloc(inode, stop - index, DSFS_REQUEST_AHEAD, false);
		if (!rd)
			break;
		rd->hint = user;
		index = dsfs_read_add_range(rd, index, stop, order);
		if (!rd->nr_folios) {
			dsfs_read_free(rd);
			break;
		}
		rd->hinted = rd->len;
		if (rd->pos >> PAGE_SHIFT == mark)
			folio_set_readahead(rd->folios[0]);
		dsfs_read_submit(rd);
		cond_resched();
	}
	return index;
}

/*
 * dsfs_ahead_on - read on behind what readahead has read, up to page @end
 *
 * As readahead_expand() does, but with large folios, and in pieces whose pages are
 * locked one piece after the other. @first is where @rac began.
 */
void dsfs_ahead_on(struct readahead_control *rac, pgoff_t first, pgoff_t end)
{
	const struct inode *inode = rac->mapping->host;
	const pgoff_t index = readahead_index(rac);
	pgoff_t first_chunk = index, added;

	end = min_t(u64, end, DIV_ROUND_UP_ULL(i_size_read(inode), PAGE_SIZE));
	dsfs_widen_to_chunks(inode, &first_chunk, &end);
	if (index >= end)
		return;
	added = dsfs_ahead_add(rac->file, index, end, NULL) - index;
	if (rac->ra->start != first)
		return;
	rac->ra->size += added;
	rac->ra->async_size += added;
}

/*
 * Charge a hint for *@pages, or for a half, a quarter, ... if there is no room for
 * more. Return: as dsfs_hint_charge().
 */
static atomic_long_t *dsfs_range_charge(struct dsfs_sb_info *sbi, pgoff_t *pages)
{
	atomic_long_t *user = NULL;

	while (*pages) {
		user = dsfs_hint_charge(sbi, *pages << PAGE_SHIFT);
		if (user)
			break;
		*pages /= 2;
	}
	return user;
}

/* Read what is not cached of pages [index, end). Return: the number of pages. */
static pgoff_t dsfs_range_read(struct file *file, pgoff_t index, pgoff_t end,
			       atomic_long_t *user)
{
	pgoff_t next, pages = 0;
	struct blk_plug plug;

	blk_start_plug(&plug);
	while (index < end && !fatal_signal_pending(current)) {
		rcu_read_lock();
		index = page_cache_next_miss(file->f_mapping, index, end - index);
		rcu_read_unlock();
		if (index >= end)
			break;
		next = dsfs_ahead_add(file, index, end, user);
		if (next == index)
			break;
		pages += next - index;
		index = next;
	}
	blk_finish_plug(&plug);
	return pages;
}

/*
 * dsfs_range_hint - read a range because of a hint, and do not wait
 *
 * What exceeds the user's limit of bytes in flight is dropped: the end of the
 * range, as tasks begin at its start.
 */
void dsfs_range_hint(struct file *file, loff_t pos, loff_t len)
{
	struct inode *inode = file_inode(file);
	struct dsfs_sb_info *sbi = DSFS_SB(inode->i_sb);
	const u64 size = i_size_read(inode), to = len ? (u64)pos + len : size;
	pgoff_t index = pos >> PAGE_SHIFT, pages, added;
	pgoff_t end = DIV_ROUND_UP_ULL(min(to, size), PAGE_SIZE);
	atomic_long_t *user;

	dsfs_widen_to_chunks(inode, &index, &end);
	pages = min_t(pgoff_t, end - index, DSFS_HINT_MAX >> PAGE_SHIFT);
	user = dsfs_range_charge(sbi, &pages);
	if (!user) {
		dsfs_count(inode->i_sb, DSFS_COUNT_PREFETCH_DROPPED, 1);
		trace_dsfs_prefetch(inode, DSFS_PREFETCH_BUSY);
		return;
	}
	added = dsfs_range_read(file, index, index + pages, user);
	if (added)
		dsfs_count(inode->i_sb, DSFS_COUNT_PREFETCH_ISSUED, 1);
	trace_dsfs_prefetch(inode, added ? DSFS_PREFETCH_ISSUED : DSFS_PREFETCH_CACHED);
	dsfs_hint_uncharge(sbi, user, (pages - added) << PAGE_SHIFT);
}
