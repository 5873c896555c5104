// SPDX-License-Identifier: GPL-2.0
/*
 * Large files: windows of page faults, and hints for ranges.
 *
 * A fault says which page is needed and no more, so the page cache reads a small
 * window on both sides of it, marks a page in that, and goes on in windows of its size when
 * a task comes to the mark. A device that takes a millisecond a request is idle for most of
 * the time then. So the fault says how long its window may be, as it is known here whether the
 * task is at a mark: a tenth of what lies in the cache before it, as a task that stops there
 * leaves little that was read in vain. With MADV_SEQUENTIAL it has its full length from
 * the first fault on.
 *
 * A hint for a range is served whole, up to the user's limit of bytes in flight.
 */
#include "read.h"

#include <linux/mm.h>
#include <linux/sched/signal.h>

/*
 * Part of the pages before it that a window in order may have. Two windows are read
 * ahead of a task: one that goes on for a MiB and stops leaves a quarter of it at most.
 */
#define DSFS_RUN_PART	10

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
 * dsfs_around_fault - pages around a fault
 *
 * ->readahead makes whole chunks of them, which on average are as many as the VFS has then.
 */
unsigned int dsfs_around_fault(const struct inode *inode)
{
	const unsigned long chunk = dsfs_chunk_pages(inode), pages = VM_READAHEAD_PAGES;

	return pages - min(chunk > 1 ? chunk : 0, pages / 2);
}

/* Pages that a fault may read: of a task that is at the mark of a window as many as behind it */
static unsigned int dsfs_fault_pages(const struct vm_fault *vmf)
{
	const struct file *file = vmf->vma->vm_file;
	const struct inode *inode = file_inode(file);
	const struct file_ra_state *ra = &file->f_ra;
	const pgoff_t most = dsfs_window(inode), around = dsfs_around_fault(inode);
	const pgoff_t end = ra->start + ra->size, mark = end - ra->async_size;

	if (!dsfs_ra_default(inode->i_sb))
		return ra->ra_pages;
	if (vmf->vma->vm_flags & VM_SEQ_READ && !(file->f_mode & FMODE_RANDOM))
		return most;
	/* The mark is on a folio, and a fault at its first page. */
	if (file->f_mode & FMODE_RANDOM || mark - vmf->pgoff >= DSFS_FOLIO_MAX >> PAGE_SHIFT)
		return around;
	return clamp(dsfs_run(file->f_mapping, end, most * DSFS_RUN_PART) / DSFS_RUN_PART,
		     around, most);
}

/* dsfs_fault - a page fault, which reads a whole file or sets the window of the page cache */
vm_fault_t dsfs_fault(struct vm_fault *vmf)
{
	struct file_ra_state *ra = &vmf->vma->vm_file->f_ra;

	if (dsfs_whole_fault(vmf))
		return VM_FAULT_MAJOR | VM_FAULT_RETRY;
	WRITE_ONCE(ra->ra_pages, dsfs_fault_pages(vmf));
	return filemap_fault(vmf);
}

/*
 * Read pages [index, end), up to a page that is cached or cannot be allocated. Return: their
 * number. The bytes of a hint are subtracted from @user when they are done.
 */
static pgoff_t dsfs_range_piece(struct inode *inode, pgoff_t index, pgoff_t end, bool mark,
				atomic_long_t *user)
{
	struct dsfs_read *rd = dsfs_read_alloc(inode, end - index, DSFS_REQUEST_AHEAD, false);
	pgoff_t pages;

	if (!rd)
		return 0;
	rd->hint = user;
	dsfs_give_way();
	if (!dsfs_read_take(rd, index, end, mapping_max_folio_order(inode->i_mapping)) ||
	    !dsfs_read_enter(rd)) {
		dsfs_read_free(rd);
		return 0;
	}
	pages = folio_next_index(rd->folios[rd->nr_cached - 1]) - index;
	rd->hinted = (u64)pages << PAGE_SHIFT;
	if (mark)
		folio_set_readahead(rd->folios[0]);
	dsfs_read_send(rd);
	return pages;
}

/*
 * Read what is not cached of pages [index, end), in pieces that are verified and unlocked on
 * their own. Return: the number of pages.
 */
static pgoff_t dsfs_range_read(struct file *file, pgoff_t index, pgoff_t end,
			       atomic_long_t *user)
{
	struct inode *inode = file_inode(file);
	const pgoff_t piece = dsfs_piece_pages(inode), window = READ_ONCE(file->f_ra.ra_pages);
	pgoff_t stop, n, mark = end, pages = 0;
	struct blk_plug plug;

	/*
	 * Who has asked for the range goes on behind it: without a state of its own the page
	 * cache looks for the end no farther than this. A hint for so little is for a random
	 * read. Reads end there, so it is at the start of a chunk.
	 */
	if (end - index > window)
		mark = min(round_up(end - window, dsfs_chunk_pages(inode)), end);
	blk_start_plug(&plug);
	for (; index < end && !fatal_signal_pending(current); index += n, pages += n) {
		rcu_read_lock();
		index = page_cache_next_miss(file->f_mapping, index, end - index);
		rcu_read_unlock();
		if (index >= end)
			break;
		stop = min(index < mark ? mark : end, round_down(index + piece, piece));
		n = dsfs_range_piece(inode, index, stop, index == mark, user);
		if (!n)
			break;
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
	atomic_long_t *user = NULL;

	dsfs_widen_to_chunks(inode, &index, &end);
	pages = min_t(pgoff_t, end - index, DSFS_HINT_MAX >> PAGE_SHIFT);
	/* Or a half, a quarter, ... if there is no room for more */
	while (pages && !(user = dsfs_hint_charge(sbi, pages << PAGE_SHIFT)))
		pages /= 2;
	if (!user) {
		dsfs_hint_done(inode, end - index, DSFS_PREFETCH_BUSY);
		return;
	}
	added = dsfs_range_read(file, index, index + pages, user);
	dsfs_hint_done(inode, added, added ? DSFS_PREFETCH_ISSUED : DSFS_PREFETCH_CACHED);
	dsfs_hint_add(sbi, user, (added - pages) << PAGE_SHIFT);
}
