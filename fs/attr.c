// SPDX-License-Identifier: GPL-2.0
/*
 * Inode attributes: the row, which is decoded again where an operation
 * needs fields that the VFS inode does not have, and stat.
 */
#include "internal.h"

#include <linux/fileattr.h>

/*
 * dsfs_inode_attr - decode the row of a VFS inode
 *
 * Return: 0, -EUCLEAN, or an error of dsfs_meta_get(), with @err filled in.
 */
int dsfs_inode_attr(const struct inode *inode, struct dsfs_attr *attr,
		    struct dsfs_err *err)
{
	int ret = dsfs_inode_at(dsfs_src(inode->i_sb), inode->i_ino, dsfs_inode_get_place(inode),
				attr, err);

	if (ret)
		return ret;
	/* With meta=lazy it is read again, and the device may have changed. */
	if (attr->mode != inode->i_mode || attr->size != i_size_read(inode))
		return dsfs_bad(err, "inode that changed", attr->mode,
				inode->i_mode, -EUCLEAN);
	return 0;
}

/*
 * dsfs_dio_direct - true if O_DIRECT reads of a regular file bypass the page cache
 *
 * So they do for aligned data as it is, without checksums to verify, and @attr is filled in.
 * Direct reads of other files go through the page cache.
 */
bool dsfs_dio_direct(const struct inode *inode, struct dsfs_attr *attr)
{
	const struct super_block *sb = inode->i_sb;
	const u64 lbs = bdev_logical_block_size(sb->s_bdev);
	struct dsfs_err err;

	return !dsfs_verifies(sb) && i_size_read(inode) >= lbs &&
	       !dsfs_inode_attr(inode, attr, &err) &&
	       !(attr->flags & (DSFS_INODE_HOLES | DSFS_INODE_COMPRESSED)) &&
	       !(attr->start & (lbs - 1));
}

/* Not inlined, to keep its stack frame out of stat without STATX_DIOALIGN */
static noinline_for_stack void dsfs_stat_dio(const struct inode *inode,
					     struct kstat *stat)
{
	struct block_device *bdev = inode->i_sb->s_bdev;
	const u32 lbs = bdev_logical_block_size(bdev);
	struct dsfs_attr attr;

	stat->result_mask |= STATX_DIOALIGN;
	if (!dsfs_dio_direct(inode, &attr))
		return;
	/* the conditions of dsfs_try_direct() */
	stat->dio_mem_align = max(lbs, bdev_dma_alignment(bdev) + 1);
	stat->dio_offset_align = lbs;
}

/* dsfs_getattr - stat */
int dsfs_getattr(struct mnt_idmap *idmap, const struct path *path,
		 struct kstat *stat, u32 request_mask, unsigned int flags)
{
	struct inode *inode = d_inode(path->dentry);

	generic_fillattr(idmap, request_mask, inode, stat);
	stat->attributes |= STATX_ATTR_IMMUTABLE;
	stat->attributes_mask |= STATX_ATTR_IMMUTABLE;
	if (request_mask & STATX_DIOALIGN && S_ISREG(inode->i_mode))
		dsfs_stat_dio(inode, stat);
	return 0;
}

/*
 * dsfs_fileattr_get - the flags that lsattr shows: none
 *
 * Immutable would be true, but programs that copy flags would make copies immutable.
 */
int dsfs_fileattr_get(struct dentry *dentry, struct file_kattr *fa)
{
	fileattr_fill_flags(fa, 0);
	return 0;
}
