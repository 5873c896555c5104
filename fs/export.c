// SPDX-License-Identifier: GPL-2.0
/*
 * File handles, for NFS export, open_by_handle_at() and overlayfs.
 *
 * A handle consists of the inode number and the i_generation of the image. Each
 * generation numbers its inodes anew, so handles of other generations are
 * stale.
 */
#include "internal.h"

#include <linux/exportfs.h>

static struct inode *dsfs_nfs_get_inode(struct super_block *sb, u64 ino, u32 generation)
{
	if (ino > DSFS_MAX_INODES || generation != dsfs_geo(sb)->igeneration)
		return ERR_PTR(-ESTALE);
	return dsfs_iget(sb, ino, DSFS_NO_PLACE);
}

static struct dentry *dsfs_fh_to_dentry(struct super_block *sb, struct fid *fid,
					int fh_len, int fh_type)
{
	return generic_fh_to_dentry(sb, fid, fh_len, fh_type, dsfs_nfs_get_inode);
}

static struct dentry *dsfs_fh_to_parent(struct super_block *sb, struct fid *fid,
					int fh_len, int fh_type)
{
	return generic_fh_to_parent(sb, fid, fh_len, fh_type, dsfs_nfs_get_inode);
}

const struct export_operations dsfs_export_ops = {
	.encode_fh	= generic_encode_ino32_fh,
	.fh_to_dentry	= dsfs_fh_to_dentry,
	.fh_to_parent	= dsfs_fh_to_parent,
	.get_parent	= dsfs_get_parent,
};
