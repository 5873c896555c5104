// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes as the kernel wants them.  An image does not change while it is mounted, so
 * the kernel may keep all it was told for as long as it likes.
 */
#include <sys/sysmacros.h>

#include "fuse.h"

void attr_fill(const struct fuse_fs *fs, const struct dsfs_stat *st, struct stat *attr)
{
	const struct timespec mtime = { st->mtime_sec, st->mtime_nsec };

	*attr = (struct stat){
		.st_ino = st->ino,
		.st_mode = st->mode,
		.st_nlink = st->nlink,
		.st_uid = fs->opt.uid < 0 ? st->uid : fs->opt.uid,
		.st_gid = fs->opt.gid < 0 ? st->gid : fs->opt.gid,
		.st_rdev = makedev(st->rdev_major, st->rdev_minor),
		.st_size = st->size,
		.st_blksize = 4096,
		.st_blocks = (st->stored + 511) / 512,
		.st_atim = mtime,
		.st_mtim = mtime,
		.st_ctim = mtime,
	};
}

void attr_entry(const struct fuse_fs *fs, const struct dsfs_stat *st, struct fuse_entry_param *e)
{
	*e = (struct fuse_entry_param){
		.ino = st->ino,
		.generation = fs->info.inode_generation,
		.attr_timeout = CACHE_FOREVER,
		.entry_timeout = CACHE_FOREVER,
	};
	attr_fill(fs, st, &e->attr);
}
