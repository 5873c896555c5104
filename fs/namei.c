// SPDX-License-Identifier: GPL-2.0
/*
 * Lookup. The position of a name in its directory gives the inode number, and
 * the row of the inode lies behind the names. With resident metadata lookups do not
 * wait for the device.
 */
#include "internal.h"

/* Check what an inode and the directory entry that leads to it must agree on. */
static int dsfs_check_entry(struct inode *dir, struct inode *inode, u8 type,
			    struct dsfs_err *err)
{
	const u8 has = inode->i_mode >> 12;	/* dsfs_mode_to_dt() of a checked inode */

	if (type != has)
		return dsfs_bad(err, "type of an entry", type, has, -EUCLEAN);
	return S_ISDIR(inode->i_mode) ? dsfs_dir_in(dsfs_dir(inode), dir->i_ino, err) : 0;
}

static struct inode *dsfs_lookup_inode(struct inode *dir,
				       const struct qstr *name,
				       struct dsfs_err *err)
{
	const struct dsfs_dir_info *info = dsfs_dir(dir);
	struct super_block *sb = dir->i_sb;
	struct dsfs_found found;
	struct inode *inode;
	u32 ino;
	int ret;

	ret = dsfs_dir_find(dsfs_src(sb), info, name->name, name->len, &found, err);
	if (ret)
		return ERR_PTR(ret);
	ino = info->first + found.pos;
	if (found.type == DSFS_DT_HARDLINK) {
		ret = dsfs_hardlink_follow(dsfs_src(sb), found.place, &ino, &found.type,
					   err);
		if (ret)
			return ERR_PTR(ret);
		found.place = DSFS_NO_PLACE;
	}
	inode = dsfs_iget(sb, ino, found.place);
	if (IS_ERR(inode)) {
		/* Reported, except for a number that a stale file handle may have */
		if (inode == ERR_PTR(-ESTALE))
			return ERR_PTR(dsfs_bad(err, "inode of an entry", ino,
						0, -EUCLEAN));
		err->what = NULL;
		return inode;
	}
	ret = dsfs_check_entry(dir, inode, found.type, err);
	if (ret) {
		iput(inode);
		return ERR_PTR(ret);
	}
	return inode;
}

static struct dentry *dsfs_lookup(struct inode *dir, struct dentry *dentry,
				  unsigned int flags)
{
	struct dsfs_err err = {};
	struct inode *inode;

	if (dentry->d_name.len > DSFS_NAME_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	inode = dsfs_lookup_inode(dir, &dentry->d_name, &err);
	if (inode == ERR_PTR(-ENOENT))
		inode = NULL;
	else if (IS_ERR(inode) && err.what)
		dsfs_corrupt(dir->i_sb, dir->i_ino, &err, PTR_ERR(inode));
	return d_splice_alias(inode, dentry);
}

/* dsfs_get_parent - get the parent of a directory; -ESTALE for other inodes */
struct dentry *dsfs_get_parent(struct dentry *child)
{
	struct inode *inode = d_inode(child);

	/* A forged file handle may name any inode as a parent. */
	if (!S_ISDIR(inode->i_mode))
		return ERR_PTR(-ESTALE);
	return d_obtain_alias(dsfs_iget(inode->i_sb, dsfs_dir(inode)->parent,
					DSFS_NO_PLACE));
}

const struct inode_operations dsfs_dir_iops = {
	.lookup		= dsfs_lookup,
	.getattr	= dsfs_getattr,
	.listxattr	= dsfs_listxattr,
	.get_inode_acl	= dsfs_get_acl,
	.fileattr_get	= dsfs_fileattr_get,
};
