// SPDX-License-Identifier: GPL-2.0
/*
 * Whole-file reads: the first read of a small file reads all of it with one
 * request, whatever the size of the program's reads.
 *
 * The reader waits for the device and verifies the data itself, on the CPU that will
 * copy it. Readahead would send several requests, and a worker and the reader would wake
 * each other.
 *
 * Whole-file reads are limited to files without any cached page. That check is
 * one test of a counter in the path of cached reads. The rest of a partly
 * reclaimed file is read by the page cache.
 */
#include "read.h"

#include <linux/file.h>
#include <linux/mm.h>
#include <linux/psi.h>

static bool dsfs_whole_wanted(const struct file *file)
{
	const struct inode *inode = file_inode(file);
	const u64 size = i_size_read(inode);

	return size && size <= DSFS_READ_MAX &&
	       size <= READ_ONCE(DSFS_SB(inode->i_sb)->opt.wholefile) &&
	       !(file->f_mode & FMODE_RANDOM);
}

/*
 * Allocate a read of a whole file and add its folios to the page cache. NULL:
 * do not read the whole file.
 */
static struct dsfs_read *dsfs_whole_begin(struct file *file, bool sync)
{
	struct inode *inode = file_inode(file);
	const u64 pages = DIV_ROUND_UP_ULL(i_size_read(inode), PAGE_SIZE);
	struct dsfs_read *rd;

	if (!dsfs_whole_wanted(file))
		return NULL;
	rd = dsfs_read_alloc(inode, pages, DSFS_REQUEST_WHOLE, sync);
	if (!rd)
		return NULL;
	/* The task that adds the first folio reads the file alone. */
	if (dsfs_read_take(rd, 0, pages, dsfs_whole_order(inode)) && dsfs_read_enter(rd))
		return rd;
	dsfs_read_free(rd);
	return NULL;
}

/*
 * dsfs_whole_read - read a whole file without cached pages, and wait
 *
 * The task verifies the data itself. If a page of the file was reclaimed recently, that
 * is memory pressure, as in the page cache. Best effort: after an error or if another task
 * reads the file, the caller reads through the page cache, which also returns the error.
 */
void dsfs_whole_read(struct file *file)
{
	struct dsfs_read *rd = dsfs_whole_begin(file, true);
	unsigned long pressure;
	bool refaults = false;
	unsigned int i;

	if (!rd)
		return;
	dsfs_count(file_inode(file)->i_sb, DSFS_COUNT_WHOLE, 1);
	for (i = 0; i < rd->nr_cached && !refaults; i++)
		refaults = folio_test_workingset(rd->folios[i]);
	if (refaults)
		psi_memstall_enter(&pressure);
	dsfs_read_send(rd);
	if (refaults)
		psi_memstall_leave(&pressure);
}

/*
 * dsfs_whole_fault - read a whole file without cached pages because of a fault in it
 *
 * Without the lock of the fault, so that whoever waits for memory or for the device stops neither
 * fork(2) nor ps(1). Return: true if the lock was given back.
 */
bool dsfs_whole_fault(struct vm_fault *vmf)
{
	struct file *file = vmf->vma->vm_file;

	if (file->f_mapping->nrpages || !dsfs_whole_wanted(file) ||
	    vmf->vma->vm_flags & VM_RAND_READ ||
	    !fault_flag_allow_retry_first(vmf->flags) || vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		return false;
	get_file(file);
	release_fault_lock(vmf);
	dsfs_whole_read(file);
	fput(file);
	return true;
}

/*
 * dsfs_whole_hint - read a whole file because of a hint
 *
 * A hint that would have to wait for memory, or that exceeds the user's limit of
 * bytes in flight, is dropped.
 *
 * Return: true if the hint is done or dropped; false if the file is not to be read whole, or
 * some of it is cached.
 */
bool dsfs_whole_hint(struct file *file)
{
	struct inode *inode = file_inode(file);
	struct dsfs_sb_info *sbi = DSFS_SB(inode->i_sb);
	const long bytes = i_size_read(inode);
	struct dsfs_read *rd = NULL;
	atomic_long_t *user;

	/* Another task reads it, or some of it is cached. */
	if (!dsfs_whole_wanted(file) || file->f_mapping->nrpages)
		return false;
	user = dsfs_hint_charge(sbi, bytes);
	if (user)
		rd = dsfs_whole_begin(file, false);
	if (rd) {
		rd->hint = user;
		rd->hinted = bytes;
		dsfs_hint_done(inode, rd->len >> PAGE_SHIFT, DSFS_PREFETCH_ISSUED);
		dsfs_read_send(rd);
		return true;
	}
	if (user)
		dsfs_hint_add(sbi, user, -bytes);
	if (file->f_mapping->nrpages)
		return false;
	dsfs_hint_done(inode, bytes >> PAGE_SHIFT,
		       user ? DSFS_PREFETCH_PRESSURE : DSFS_PREFETCH_BUSY);
	return true;
}
