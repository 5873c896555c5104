// SPDX-License-Identifier: GPL-2.0
/*
 * The requests of the kernel.  It may keep every answer forever, because an image does not
 * change.  Inode numbers are those of the image, so the daemon counts no references: an inode
 * that the kernel dropped is found again by its number.
 */
#include <sys/statvfs.h>

#include "fuse.h"

#define BACKGROUND	64	/* pieces read ahead at a time; the default is 12 */

static void op_init(void *data, struct fuse_conn_info *conn)
{
	struct fuse_fs *fs = data;
	unsigned int want;

	want = FUSE_CAP_ASYNC_READ | FUSE_CAP_ASYNC_DIO | FUSE_CAP_PARALLEL_DIROPS |
	       FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO | FUSE_CAP_CACHE_SYMLINKS |
	       FUSE_CAP_EXPORT_SUPPORT | FUSE_CAP_EXPLICIT_INVAL_DATA;
	if (!fs->opt.check)
		want |= FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE;
	/* The kernel asks for the ACL of each inode when it is used first. */
	if (fs->has_xattrs)
		want |= FUSE_CAP_POSIX_ACL;
	conn->want = want & conn->capable;
	fs->no_open = conn->capable & FUSE_CAP_NO_OPEN_SUPPORT;
	fs->no_opendir = conn->capable & FUSE_CAP_NO_OPENDIR_SUPPORT;
	/* libfuse wants to hear it here as well as by the option */
	conn->max_read = fs->opt.max_read;
	conn->max_background = BACKGROUND;
	conn->congestion_threshold = BACKGROUND;
}

/* An NFS server, and open_by_handle_at(2), ask for "." of any inode. */
static int look_up(const struct fuse_fs *fs, u64 dir, const char *name,
		   struct dsfs_stat *st, struct dsfs_error *error)
{
	if (!strcmp(name, "."))
		return dsfs_stat(fs->image, dir, st, error);
	return dsfs_lookup(fs->image, dir, name, strlen(name), st, error);
}

static void op_lookup(fuse_req_t req, fuse_ino_t dir, const char *name)
{
	const struct fuse_fs *fs = fs_of(req);
	struct fuse_entry_param e = { .entry_timeout = CACHE_FOREVER };
	struct dsfs_error error;
	struct dsfs_stat st;
	int ret = look_up(fs, dir, name, &st, &error);

	if (ret && ret != -ENOENT) {
		reply_failed(req, dir, ret, &error);
		return;
	}
	/* An entry without an inode number says that there is no such name. */
	if (!ret)
		attr_entry(fs, &st, &e);
	fuse_reply_entry(req, &e);
}

static void op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	const struct fuse_fs *fs = fs_of(req);
	struct dsfs_error error;
	struct dsfs_stat st;
	struct stat attr;
	int ret = dsfs_stat(fs->image, ino, &st, &error);

	if (ret) {
		reply_failed(req, ino, ret, &error);
		return;
	}
	attr_fill(fs, &st, &attr);
	fuse_reply_attr(req, &attr, CACHE_FOREVER);
}

static void op_readlink(fuse_req_t req, fuse_ino_t ino)
{
	char target[DSFS_SYMLINK_MAX + 1];
	struct dsfs_error error;
	ssize_t ret = dsfs_readlink(fs_of(req)->image, ino, target, sizeof(target), &error);

	if (ret < 0)
		reply_failed(req, ino, ret, &error);
	else
		fuse_reply_readlink(req, target);
}

/*
 * There is nothing to open: a kernel that understands ENOSYS neither asks again nor tells of
 * close(), and keeps the cache.  libfuse hands other kernels the same number, as an error,
 * so these get an answer.
 */
static void reply_open(fuse_req_t req, struct fuse_file_info *fi, bool spared)
{
	if (spared) {
		fuse_reply_err(req, ENOSYS);
		return;
	}
	fi->keep_cache = 1;
	fi->cache_readdir = 1;
	fuse_reply_open(req, fi);
}

static void op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	reply_open(req, fi, fs_of(req)->no_open);
}

static void op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *fi)
{
	reply_open(req, fi, fs_of(req)->no_opendir);
}

static void op_statfs(fuse_req_t req, fuse_ino_t ino)
{
	const struct dsfs_info *info = &fs_of(req)->info;
	const struct statvfs st = {
		.f_bsize = 4096,
		.f_frsize = 4096,
		.f_blocks = info->image_bytes / 4096,
		.f_files = info->inodes,
		.f_namemax = DSFS_NAME_MAX,
	};

	fuse_reply_statfs(req, &st);
}

/*
 * Extended attributes, POSIX ACLs among them, which the kernel asks for and obeys.  The
 * answer ENOSYS tells it that there are none in the whole image: it never asks again.
 */

/* The prefixes that the module has handlers for; FUSE passes on any name. */
static bool is_known(const char *name)
{
	static const char * const prefixes[] = { "user.", "trusted.", "security." };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return !strcmp(name, "system.posix_acl_access") ||
	       !strcmp(name, "system.posix_acl_default");
}

static void read_xattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size)
{
	struct fuse_fs *fs = fs_of(req);
	struct dsfs_error error;
	char *buf = NULL;
	ssize_t ret;

	if (!fs->has_xattrs) {
		fuse_reply_err(req, ENOSYS);
		return;
	}
	if (size) {
		buf = malloc(size);
		if (!buf) {
			fuse_reply_err(req, ENOMEM);
			return;
		}
	}
	ret = name ? dsfs_getxattr(fs->image, ino, name, buf, size, &error) :
		     dsfs_listxattr(fs->image, ino, buf, size, &error);
	if (ret < 0)
		reply_failed(req, ino, ret, &error);
	else if (!size)
		fuse_reply_xattr(req, ret);
	else
		fuse_reply_buf(req, buf, ret);
	free(buf);
}

static void op_getxattr(fuse_req_t req, fuse_ino_t ino, const char *name, size_t size)
{
	if (is_known(name))
		read_xattr(req, ino, name, size);
	else
		fuse_reply_err(req, EOPNOTSUPP);
}

static void op_listxattr(fuse_req_t req, fuse_ino_t ino, size_t size)
{
	read_xattr(req, ino, NULL, size);
}

const struct fuse_lowlevel_ops fuse_ops = {
	.init		= op_init,
	.lookup		= op_lookup,
	.getattr	= op_getattr,
	.readlink	= op_readlink,
	.open		= op_open,
	.read		= op_read,
	.lseek		= op_lseek,
	.opendir	= op_opendir,
	.readdir	= op_readdir,
	.readdirplus	= op_readdirplus,
	.statfs		= op_statfs,
	.getxattr	= op_getxattr,
	.listxattr	= op_listxattr,
};
