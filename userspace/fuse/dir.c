// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes and directories.  An image does not change while it is mounted, so the kernel may keep
 * all it was told for as long as it likes.  The daemon keeps nothing between calls: a position is
 * the number of a name, so a call can begin at any.
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

#define DOTS	2	/* "." and "..", in front of the names of the image */

/**
 * struct dir_reply - names for the kernel
 * @plus: with attributes
 * @room: bytes at @buf
 * @used: how many of them hold names
 */
struct dir_reply {
	struct fuse_fs *fs;
	fuse_req_t req;
	bool plus;
	char *buf;
	size_t room;
	size_t used;
};

/* Return: whether it fit. */
static bool add(struct dir_reply *r, const char *name, const struct fuse_entry_param *e, u64 next)
{
	char *at = r->buf + r->used;
	const size_t room = r->room - r->used;
	const size_t n = r->plus ? fuse_add_direntry_plus(r->req, at, room, name, e, next) :
				   fuse_add_direntry(r->req, at, room, name, &e->attr, next);

	if (n > room)
		return false;
	r->used += n;
	return true;
}

static int add_dots(struct dir_reply *r, u64 dir, off_t *off, struct dsfs_error *error)
{
	/* e.ino is 0: the kernel takes no attributes of these two. */
	struct fuse_entry_param e = { .attr.st_mode = S_IFDIR };
	struct dsfs_stat st;
	int ret;

	for (; *off < DOTS; ++*off) {
		ret = dsfs_lookup(r->fs->image, dir, "..", *off + 1, &st, error);
		if (ret)
			return ret;
		e.attr.st_ino = st.ino;
		if (!add(r, *off ? ".." : ".", &e, *off + 1))
			break;
	}
	return 0;
}

/* A name with a damaged inode is listed, too; who asks for the inode gets the error. */
static void entry_of(const struct dir_reply *r, const struct dsfs_dirent *d,
		     struct fuse_entry_param *e)
{
	struct dsfs_stat st;

	if (r->plus && !dsfs_stat(r->fs->image, d->ino, &st, NULL)) {
		attr_entry(r->fs, &st, e);
		return;
	}
	*e = (struct fuse_entry_param){
		.attr.st_ino = d->ino,
		.attr.st_mode = DTTOIF(d->type),
	};
}

static int add_names(struct dir_reply *r, u64 dir, off_t off, struct dsfs_error *error)
{
	struct fuse_entry_param e;
	struct dsfs_dirstream *stream;
	struct dsfs_dirent d;
	int ret = dsfs_opendir(r->fs->image, dir, &stream, error);

	if (ret)
		return ret;
	dsfs_seekdir(stream, off - DOTS);
	while ((ret = dsfs_readdir(stream, &d, error)) > 0) {
		entry_of(r, &d, &e);
		if (!add(r, d.name, &e, d.next + DOTS))
			break;
	}
	dsfs_closedir(stream);
	return ret < 0 ? ret : 0;
}

static void read_names(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, bool plus)
{
	struct dir_reply r = { .fs = fs_of(req), .req = req, .plus = plus, .room = size };
	struct dsfs_error error;
	int ret;

	r.buf = malloc(size);
	if (!r.buf) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	ret = add_dots(&r, ino, &off, &error);
	if (!ret && off >= DOTS)
		ret = add_names(&r, ino, off, &error);
	/* Names found before an error are returned; the next call meets the error again. */
	if (ret && !r.used)
		reply_failed(req, ino, ret, &error);
	else
		fuse_reply_buf(req, r.buf, r.used);
	free(r.buf);
}

void op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off, struct fuse_file_info *fi)
{
	read_names(req, ino, size, off, false);
}

void op_readdirplus(fuse_req_t req, fuse_ino_t ino, size_t size, off_t off,
		    struct fuse_file_info *fi)
{
	read_names(req, ino, size, off, true);
}
