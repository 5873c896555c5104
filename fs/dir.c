// SPDX-License-Identifier: GPL-2.0
/*
 * Readdir: names in sorted order.  The position of a name is its cookie, so a
 * cookie means the same for as long as the image is mounted, and on every node.
 */
#include "internal.h"

/* ".", "..", then names from position 0 on */
#define DSFS_DIR_DOTS	2

static int dsfs_emit_names(struct super_block *sb, struct dir_context *ctx,
			   struct dsfs_dir_iter *it, struct dsfs_err *err)
{
	struct dsfs_name name;
	u32 ino;
	int ret;

	while ((ret = dsfs_dir_iter_next(it, &name, err)) > 0) {
		ino = it->dir->first + name.pos;
		if (name.type == DSFS_DT_STUB) {
			ret = dsfs_stub_follow(dsfs_src(sb), &ino, &name.type,
					       err);
			if (ret)
				return ret;
		}
		if (!dir_emit(ctx, name.name, name.len, ino, name.type))
			return 0;
		ctx->pos++;
	}
	return ret;
}

static int dsfs_iterate(struct file *file, struct dir_context *ctx)
{
	struct inode *inode = file_inode(file);
	struct super_block *sb = inode->i_sb;
	struct dsfs_dir_iter it;
	struct dsfs_err err = {};
	int ret = 0;

	if (!dir_emit_dots(file, ctx))
		return 0;
	if (ctx->pos - DSFS_DIR_DOTS < dsfs_dir(inode)->count) {
		dsfs_dir_iter_init(&it, dsfs_src(sb), dsfs_dir(inode),
				   ctx->pos - DSFS_DIR_DOTS);
		ret = dsfs_emit_names(sb, ctx, &it, &err);
		dsfs_dir_iter_end(&it);
	}
	return ret ? dsfs_corrupt(sb, inode->i_ino, &err, ret) : 0;
}

const struct file_operations dsfs_dir_fops = {
	.llseek		= generic_file_llseek,
	.read		= generic_read_dir,
	.iterate_shared	= dsfs_iterate,
	.unlocked_ioctl	= dsfs_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.fsync		= noop_fsync,
	.setlease	= generic_setlease,
};
