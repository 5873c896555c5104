// SPDX-License-Identifier: GPL-2.0
/*
 * Operations of open regular files: read, mmap, splice, fadvise, lseek, fiemap,
 * ioctl.
 */
#include "cache.h"
#include "trace.h"

#include <linux/backing-dev.h>
#include <linux/fadvise.h>
#include <linux/fiemap.h>
#include <linux/filelock.h>
#include <linux/iomap.h>
#include <linux/splice.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

/*
 * The extent or hole at an offset: for O_DIRECT, and, as there may be 2^25 of
 * them, killable for FIEMAP and SEEK_HOLE. Data in a block that is shared or
 * not at its start is told as inline, which FIEMAP calls not aligned.
 */
static int dsfs_iomap_begin(struct inode *inode, loff_t pos, loff_t length,
			    unsigned int flags, struct iomap *iomap,
			    struct iomap *srcmap)
{
	struct dsfs_source *src = dsfs_src(inode->i_sb);
	struct dsfs_extra_info extra;
	struct dsfs_mapping map;
	struct dsfs_err err = {};
	struct dsfs_attr attr;
	int ret;

	if (pos >= i_size_read(inode))
		return -ENOENT;
	if (fatal_signal_pending(current))
		return -EINTR;
	cond_resched();
	ret = dsfs_inode_attr(inode, &attr, &err);
	if (!ret)
		ret = dsfs_extra_get(src, &attr, &extra, &err);
	if (!ret)
		ret = dsfs_map(src, &attr, &extra, pos, &map, &err);
	if (ret)
		return dsfs_corrupt(inode->i_sb, inode->i_ino, &err, ret);
	iomap->bdev = inode->i_sb->s_bdev;
	iomap->offset = pos;
	iomap->length = map.len;
	iomap->addr = map.hole ? IOMAP_NULL_ADDR : attr.start + map.stored;
	iomap->type = map.hole ? IOMAP_HOLE : IOMAP_MAPPED;
	if (!map.hole && flags & IOMAP_REPORT &&
	    (attr.flags & DSFS_INODE_SHARED || attr.start & (DSFS_BLOCK_SIZE - 1)))
		iomap->type = IOMAP_INLINE;
	/* With meta=lazy the record may be another one than when it was checked. */
	if (flags & IOMAP_DIRECT && !map.hole &&
	    iomap->addr & (bdev_logical_block_size(iomap->bdev) - 1))
		return -EIO;
	return 0;
}

static const struct iomap_ops dsfs_iomap_ops = {
	.iomap_begin = dsfs_iomap_begin,
};

/* The number of bios depends on the layout of the caller's memory. */
static void dsfs_dio_submit(const struct iomap_iter *iter, struct bio *bio, loff_t pos)
{
	dsfs_count_request(iter->inode->i_sb, DSFS_REQUEST_DIRECT, bio->bi_iter.bi_size);
	submit_bio(bio);
}

static const struct iomap_dio_ops dsfs_dio_ops = {
	.submit_io = dsfs_dio_submit,
};

/*
 * Before the page cache reads: read the whole file if nothing of it is cached, and @len bytes
 * at @pos would be.
 *
 * Set the readahead window, unless read_ahead_kb was changed. The default of the VFS, 128
 * KiB, is small for devices that take requests of megabytes. A window of a compressed file
 * has more contents, so that what is stored of it is as long as of other files.
 */
static void dsfs_read_begin(struct file *file, loff_t pos, size_t len)
{
	const struct inode *inode = file_inode(file);
	const unsigned int pages = dsfs_window(inode);

	if (!file->f_mapping->nrpages && len && pos >= 0 && pos < i_size_read(inode))
		dsfs_whole_read(file);
	if (dsfs_ra_default(inode->i_sb) && READ_ONCE(file->f_ra.ra_pages) < pages)
		WRITE_ONCE(file->f_ra.ra_pages, pages);
}

static ssize_t dsfs_read_buffered(struct kiocb *iocb, struct iov_iter *to)
{
	/* To read a whole file waits, and leaves pages in the cache. */
	const int not_whole = IOCB_NOWAIT | IOCB_NOIO | IOCB_WAITQ | IOCB_DONTCACHE;

	dsfs_read_begin(iocb->ki_filp, iocb->ki_pos,
			iocb->ki_flags & not_whole ? 0 : iov_iter_count(to));
	return generic_file_read_iter(iocb, to);
}

/*
 * Direct read, if it is aligned, and ends at or before the end of the last whole logical block
 * of the file. The bytes after the end of the file in its last block may belong to another
 * file and must not reach the caller's memory. Return: its result, or -ENOTBLK: read through
 * the page cache.
 */
static ssize_t dsfs_try_direct(struct kiocb *iocb, struct iov_iter *to)
{
	const struct inode *inode = file_inode(iocb->ki_filp);
	const u64 lbs = bdev_logical_block_size(inode->i_sb->s_bdev);
	const u64 mem = bdev_dma_alignment(inode->i_sb->s_bdev) | (lbs - 1);
	const u64 end = iocb->ki_pos + iov_iter_count(to);
	struct dsfs_attr attr;

	/* The row would have to be waited for. */
	if (iocb->ki_flags & IOCB_NOWAIT && dsfs_meta_may_block(inode->i_sb))
		return -ENOTBLK;
	if (!dsfs_dio_direct(inode, &attr) || iocb->ki_pos & (lbs - 1) ||
	    iov_iter_alignment(to) & mem ||
	    end > round_down(i_size_read(inode), lbs))
		return -ENOTBLK;
	return iomap_dio_rw(iocb, to, &dsfs_iomap_ops, &dsfs_dio_ops, 0, NULL, 0);
}

/*
 * True if a read may start readahead: it may wait, or readahead does not. It waits for
 * metadata that is not in memory. IOCB_WAITQ is the second try of io_uring, still by the task
 * that submits.
 */
static bool dsfs_read_may_start(const struct kiocb *iocb)
{
	return !(iocb->ki_flags & (IOCB_NOWAIT | IOCB_WAITQ)) ||
	       !dsfs_meta_may_block(file_inode(iocb->ki_filp)->i_sb);
}

static ssize_t dsfs_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	const int flags = iocb->ki_flags;
	ssize_t ret;

	if (flags & IOCB_DIRECT) {
		ret = dsfs_try_direct(iocb, to);
		if (ret != -ENOTBLK)
			return ret;
		iocb->ki_flags &= ~IOCB_DIRECT;
	}
	if (dsfs_read_may_start(iocb))
		return dsfs_read_buffered(iocb, to);
	/* Return cached pages only. */
	iocb->ki_flags |= IOCB_NOIO;
	ret = generic_file_read_iter(iocb, to);
	/* A retry with the same iocb may wait and may be direct. */
	iocb->ki_flags = flags;
	return ret;
}

static ssize_t dsfs_splice_read(struct file *in, loff_t *ppos,
				struct pipe_inode_info *pipe, size_t len,
				unsigned int flags)
{
	dsfs_read_begin(in, *ppos, len);
	return filemap_splice_read(in, ppos, pipe, len, flags);
}

static const struct vm_operations_struct dsfs_vm_ops = {
	.fault		= dsfs_fault,
	.map_pages	= filemap_map_pages,
};

static int dsfs_mmap(struct file *file, struct vm_area_struct *vma)
{
	int ret = generic_file_readonly_mmap(file, vma);

	if (ret)
		return ret;
	vma->vm_ops = &dsfs_vm_ops;
	/* For hints before the first fault */
	if (dsfs_ra_default(file_inode(file)->i_sb))
		WRITE_ONCE(file->f_ra.ra_pages, dsfs_around_fault(file_inode(file)));
	/* It is a read for dsfs_cache_closed(). */
	file->f_ra.prev_pos = max_t(loff_t, file->f_ra.prev_pos, 0);
	return 0;
}

static int dsfs_open(struct inode *inode, struct file *file)
{
	dsfs_count(inode->i_sb, DSFS_COUNT_OPENS, 1);
	trace_dsfs_open(inode);
	file->f_mode |= FMODE_NOWAIT | FMODE_CAN_ODIRECT;
	dsfs_cache_opened(inode);
	return generic_file_open(inode, file);
}

/* Also called for readahead(2) and MADV_WILLNEED */
static int dsfs_fadvise(struct file *file, loff_t offset, loff_t len, int advice)
{
	if (advice != POSIX_FADV_WILLNEED || offset < 0 || len < 0)
		return generic_fadvise(file, offset, len, advice);
	if (offset < i_size_read(file_inode(file)) && !dsfs_whole_hint(file))
		dsfs_range_hint(file, offset, len);
	return 0;
}

static loff_t dsfs_llseek(struct file *file, loff_t offset, int whence)
{
	struct inode *inode = file_inode(file);

	if (whence == SEEK_HOLE)
		offset = iomap_seek_hole(inode, offset, &dsfs_iomap_ops);
	else if (whence == SEEK_DATA)
		offset = iomap_seek_data(inode, offset, &dsfs_iomap_ops);
	else
		return generic_file_llseek(file, offset, whence);
	if (offset < 0)
		return offset;
	return vfs_setpos(file, offset, inode->i_sb->s_maxbytes);
}

/* One extent, of which nobody but a decoder could use a part */
static int dsfs_fiemap_compressed(struct inode *inode, struct fiemap_extent_info *fi,
				  u64 start, u64 len, const struct dsfs_attr *attr)
{
	int ret = fiemap_prep(inode, fi, start, &len, 0);

	if (ret || start >= attr->size)
		return ret;
	ret = fiemap_fill_next_extent(fi, 0, attr->start, attr->size,
				      FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_LAST |
				      (attr->start & (DSFS_BLOCK_SIZE - 1) ?
				       FIEMAP_EXTENT_NOT_ALIGNED : 0));
	return min(ret, 0);
}

static int dsfs_fiemap(struct inode *inode, struct fiemap_extent_info *fi,
		       u64 start, u64 len)
{
	struct dsfs_err err = {};
	struct dsfs_attr attr;
	int ret = dsfs_inode_attr(inode, &attr, &err);

	if (ret)
		return dsfs_corrupt(inode->i_sb, inode->i_ino, &err, ret);
	if (attr.flags & DSFS_INODE_COMPRESSED)
		return dsfs_fiemap_compressed(inode, fi, start, len, &attr);
	return iomap_fiemap(inode, fi, start, len, &dsfs_iomap_ops);
}

/* dsfs_ioctl - get the label of the file system, of any file or directory */
long dsfs_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	const struct dsfs_geo *geo = dsfs_geo(file_inode(file)->i_sb);
	char label[FSLABEL_MAX] = {};

	BUILD_BUG_ON(DSFS_LABEL_MAX >= FSLABEL_MAX);
	if (cmd != FS_IOC_GETFSLABEL)
		return -ENOTTY;
	memcpy(label, geo->label, DSFS_LABEL_MAX);
	if (copy_to_user((void __user *)arg, label, sizeof(label)))
		return -EFAULT;
	return 0;
}

const struct inode_operations dsfs_file_iops = {
	.getattr	= dsfs_getattr,
	.listxattr	= dsfs_listxattr,
	.get_inode_acl	= dsfs_get_acl,
	.fileattr_get	= dsfs_fileattr_get,
	.fiemap		= dsfs_fiemap,
};

const struct file_operations dsfs_file_fops = {
	.llseek		= dsfs_llseek,
	.read_iter	= dsfs_read_iter,
	.mmap		= dsfs_mmap,
	.open		= dsfs_open,
	.release	= dsfs_cache_closed,
	.fadvise	= dsfs_fadvise,
	.splice_read	= dsfs_splice_read,
	.unlocked_ioctl	= dsfs_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.fsync		= noop_fsync,
	.setlease	= generic_setlease,
	.fop_flags	= FOP_BUFFER_RASYNC | FOP_DONTCACHE,
};
