// SPDX-License-Identifier: GPL-2.0
/*
 * File handles, for NFS export, open_by_handle_at() and overlayfs.
 *
 * A handle consists of the inode number and the i_generation of the image. Each
 * generation numbers its inodes anew, so handles of other generations are
 * stale.
 *
 * get_name() computes the position of a name from the inode number.
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

/* Copy the name at a position, which is below the number of entries. */
static int dsfs_name_at(struct dsfs_source *src, const struct dsfs_dir_info *dir,
			u32 pos, char *name, struct dsfs_err *err)
{
	struct dsfs_dir_iter it;
	struct dsfs_name found;
	int ret;

	dsfs_dir_iter_init(&it, src, dir, pos);
	ret = dsfs_dir_iter_next(&it, &found, err);
	if (ret > 0) {
		memcpy(name, found.name, found.len);
		name[found.len] = 0;
	}
	dsfs_dir_iter_end(&it);
	return ret < 0 ? ret : 0;
}

/* Position of a hard-link entry of inode @ino, or -ENOENT */
static s64 dsfs_find_hard_link(struct dsfs_source *src,
			       const struct dsfs_dir_info *dir, u32 ino,
			       struct dsfs_err *err)
{
	struct dsfs_dir_iter it;
	struct dsfs_name name;
	u32 of = 0;
	int ret;

	dsfs_dir_iter_init(&it, src, dir, 0);
	do {
		ret = fatal_signal_pending(current) ? -EINTR :
		      dsfs_dir_iter_next(&it, &name, err);
		if (ret > 0 && name.type == DSFS_DT_HARDLINK) {
			of = dir->first + name.pos;
			ret = dsfs_hardlink_follow(src, dsfs_iter_place(&it, &name), &of,
						   &name.type, err) ? : 1;
		}
		cond_resched();
	} while (ret > 0 && of != ino);
	dsfs_dir_iter_end(&it);
	if (ret > 0)
		return name.pos;
	return ret ? : -ENOENT;
}

static int dsfs_get_name(struct dentry *parent, char *name, struct dentry *child)
{
	const struct inode *inode = d_inode(child), *dir = d_inode(parent);
	struct dsfs_source *src = dsfs_src(dir->i_sb);
	const struct dsfs_dir_info *info;
	struct dsfs_err err = {};
	s64 pos;

	/* A forged file handle may name any inode as a parent. */
	if (!S_ISDIR(dir->i_mode))
		return -ENOTDIR;
	info = dsfs_dir(dir);
	pos = (s64)inode->i_ino - info->first;
	/*
	 * The primary name may be in another directory, with a hard-link entry
	 * in this one. A directory has one name.
	 */
	if (pos < 0 || pos >= info->count)
		pos = S_ISDIR(inode->i_mode) || inode->i_nlink == 1 ? -ENOENT :
		      dsfs_find_hard_link(src, info, inode->i_ino, &err);
	if (pos >= 0)
		pos = dsfs_name_at(src, info, pos, name, &err);
	if (pos && pos != -ENOENT)
		dsfs_corrupt(dir->i_sb, dir->i_ino, &err, pos);
	return pos;
}

const struct export_operations dsfs_export_ops = {
	.encode_fh	= generic_encode_ino32_fh,
	.fh_to_dentry	= dsfs_fh_to_dentry,
	.fh_to_parent	= dsfs_fh_to_parent,
	.get_name	= dsfs_get_name,
	.get_parent	= dsfs_get_parent,
};
