// SPDX-License-Identifier: GPL-2.0
/*
 * Making of nodes: from the attributes of a source file to a node of the tree.
 */
#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../file.h"
#include "msg.h"
#include "nsec.h"
#include "directory.h"

static s64 node_time(struct worker *w, const struct dir *dir,
		     const struct node *n, const struct timespec *ts)
{
	s64 ns;
	char *path;

	if (w->s->src->o->fixed_time)
		return w->s->src->o->build_time;
	if (nsec_join(ts->tv_sec, ts->tv_nsec, &ns))
		return ns;
	path = tree_path(w->s->src->tree, dir, n, false);
	msg_warn(path, "modification time %lld: outside 1677 to 2262: clamped",
		 (long long)ts->tv_sec);
	free(path);
	__atomic_add_fetch(&w->s->src->clamped, 1, __ATOMIC_RELAXED);
	return ns;
}

/* Most files of a source have one owner, so the last one's number is kept. */
static int node_owner(struct worker *w, struct node *n, const struct stat *st)
{
	int ret = 0;

	if (!w->owner_known || st->st_uid != w->uid || st->st_gid != w->gid) {
		ret = source_set_owner(w->s->src, n, st->st_uid, st->st_gid);
		w->owner = n->owner;
		w->uid = st->st_uid;
		w->gid = st->st_gid;
		w->owner_known = !ret;
	}
	n->owner = w->owner;
	return ret;
}

/* Path of a file for system calls that take no directory descriptor. */
static const char *worker_path(struct worker *w, int fd, const char *name)
{
	if (w->cwd)
		return name;
	snprintf(w->path, sizeof(w->path), "/proc/self/fd/%d/%s", fd, name);
	return w->path;
}

static int node_xattrs(struct worker *w, struct node *n, int fd, const char *name)
{
	struct source *src = w->s->src;

	return xattr_read(&src->tree->xsets, &w->xattr, src->o, worker_path(w, fd, name), n);
}

static int node_symlink(struct worker *w, struct node *n, int fd, const char *name)
{
	char buf[DSFS_SYMLINK_MAX + 1];
	ssize_t len = readlinkat(fd, name, buf, sizeof(buf));

	if (len < 0)
		return -errno;
	if (!len || len > DSFS_SYMLINK_MAX)
		return -ENAMETOOLONG;
	return node_set_target(&w->arena, n, buf, len);
}

static int node_link(struct worker *w, struct node *n, const struct stat *st)
{
	struct hlink *l = node_new_link(&w->arena, n);

	if (!l)
		return -ENOMEM;
	l->dev = st->st_dev;
	l->ino = st->st_ino;
	return 0;
}

/* What every type has. */
static int node_attrs(struct worker *w, struct dir *dir, struct node *n, const struct stat *st)
{
	n->mode = st->st_mode;
	n->mtime = node_time(w, dir, n, &st->st_mtim);
	n->source = file_check(st);
	return node_owner(w, n, st);
}

int stat_fill_again(struct worker *w, struct dir *dir, int fd, const struct stat *st)
{
	struct node *n = dir->self;
	int ret = node_attrs(w, dir->parent, n, st);

	if (!ret && w->cwd && fchdir(fd))
		ret = -errno;
	return ret ? ret : node_xattrs(w, n, fd, ".");
}

static int node_device(struct node *n, dev_t dev)
{
	if (major(dev) > 0xfff || minor(dev) > 0xfffff)
		return -EOVERFLOW;
	n->size = major(dev) << 20 | minor(dev);
	return 0;
}

static int node_type(struct worker *w, struct dir *dir, struct node *n, int fd, const char *name,
		     const struct stat *st)
{
	switch (st->st_mode & S_IFMT) {
	case S_IFREG:
		n->size = st->st_size;
		return n->size >= DSFS_MAX_OFFSET ? -EFBIG : 0;
	case S_IFDIR:
		return n == &w->s->src->tree->root || node_new_dir(&w->arena, n, dir) ? 0 : -ENOMEM;
	case S_IFLNK:
		return node_symlink(w, n, fd, name);
	case S_IFCHR:
	case S_IFBLK:
		return node_device(n, st->st_rdev);
	}
	return 0;
}

int stat_fill(struct worker *w, struct dir *dir, struct node *n, int fd, const char *name,
	      const struct stat *st)
{
	const bool link = st->st_nlink > 1 && !S_ISDIR(st->st_mode);

	return node_attrs(w, dir, n, st) ?: (link ? node_link(w, n, st) : 0) ?:
	       node_type(w, dir, n, fd, name, st) ?: node_xattrs(w, n, fd, name);
}
