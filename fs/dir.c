// SPDX-License-Identifier: GPL-2.0
/*
 * Readdir, in sorted order. The cookie is the position of a name, so it is
 * valid for the life of a generation, on every node.
 */
#include "internal.h"

#include <linux/filelock.h>

/* Cookies 0 and 1 are "." and ".."; names follow. */
#define DSFS_DIR_DOTS	2

/*
 * Check whether all names of the current name block are valid, and the rows of its hard links.
 *
 * Validating one costs more than emitting it, and resident metadata does not change. So the
 * result is remembered: in a bitmap for name blocks that begin with a metadata block. Only the
 * first one of a directory may begin elsewhere, and several directories may claim the same
 * bytes in an image that is damaged: its mark is in the inode. Not covered are name blocks in the
 * page cache.
 */
static bool dsfs_resident_block_good(struct dsfs_dir_state *dir, const struct dsfs_dir_iter *it)
{
	const struct dsfs_geo *geo = &it->src->geo;
	const u64 pos = dsfs_names_pos(it->dir, it->block);
	const u64 at = geo->regions[DSFS_REGION_NAMES].pos - geo->meta_start + pos;
	const bool first = at & (DSFS_BLOCK_SIZE - 1);
	unsigned long *marks = first ? &dir->first_good : it->src->names_good;
	const unsigned long mark = first ? 0 : at >> DSFS_BLOCK_BITS;

	if (it->ref.priv)
		return false;
	if (test_bit(mark, marks))
		return true;
	if (!dsfs_names_good(&it->names) ||
	    !dsfs_links_good(geo, &it->names, dsfs_names_avail(geo, pos),
			     it->dir->first + it->names.first))
		return false;
	set_bit(mark, marks);
	return true;
}

/* Number and type of the file of a hard-link entry; @good as of dsfs_resident_block_good() */
static __always_inline int dsfs_emit_link(struct dsfs_dir_iter *it, const struct dsfs_name *name,
					  bool good, u32 *ino, u8 *type, struct dsfs_err *err)
{
	if (!good)
		return dsfs_hardlink_follow(it->src, dsfs_iter_place(it, name), ino, type, err);
	dsfs_link_good(it->names.raw, name->pos - it->names.first, ino, type);
	return 0;
}

/* Emit one name. Return: 0, 1 if the buffer is full, or an error. */
static __always_inline int dsfs_emit(struct dsfs_dir_iter *it, struct dir_context *ctx,
				     const struct dsfs_name *name, u32 ino, bool good,
				     struct dsfs_err *err)
{
	u8 type = name->type;

	if (unlikely(type == DSFS_DT_HARDLINK)) {
		/* Copies, so that ino and type stay in registers */
		u8 of_type = type;
		u32 of = ino;
		int ret = dsfs_emit_link(it, name, good, &of, &of_type, err);

		if (ret)
			return ret;
		ino = of;
		type = of_type;
	}
	if (!dir_emit(ctx, name->name, name->len, ino, type))
		return 1;
	ctx->pos++;
	return 0;
}

/* Emit the remaining names of a validated name block. */
static int dsfs_emit_good(struct dir_context *ctx, struct dsfs_dir_iter *it,
			  struct dsfs_err *err)
{
	const struct dsfs_names_info names = it->names;
	const u32 ino = it->dir->first + names.first;
	u32 slot = it->pos - names.first;
	struct dsfs_name name;
	int ret = 0;

	dsfs_names_prefix(&names, &name);
	for (; !ret && slot < names.count; slot++) {
		dsfs_names_good_slot(&names, slot, &name);
		ret = dsfs_emit(it, ctx, &name, ino + slot, true, err);
	}
	it->pos = names.first + slot;
	return ret;
}

/* Emit the remaining names of any other name block. */
static int dsfs_emit_any(struct dir_context *ctx, struct dsfs_dir_iter *it,
			 struct dsfs_err *err)
{
	struct dsfs_name name;
	int ret;

	do {
		ret = dsfs_dir_iter_next(it, &name, err);
		if (ret < 0)
			return ret;
		ret = dsfs_emit(it, ctx, &name, it->dir->first + name.pos, false, err);
	} while (!ret && it->pos - it->names.first < it->names.count);
	return ret;
}

static int dsfs_emit_names(struct inode *dir, struct dir_context *ctx, struct dsfs_dir_iter *it,
			   struct dsfs_err *err)
{
	int ret = 0;

	while (!ret && it->pos < it->dir->count) {
		ret = dsfs_dir_iter_load(it, err);
		if (ret)
			return ret;
		ret = dsfs_resident_block_good(dsfs_dir_state(dir), it) ?
		      dsfs_emit_good(ctx, it, err) : dsfs_emit_any(ctx, it, err);
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return ret < 0 ? ret : 0;
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
		ret = dsfs_emit_names(inode, ctx, &it, &err);
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
