// SPDX-License-Identifier: GPL-2.0
/*
 * --extract: restores a tree.  The image may be hostile, so nothing is written
 * outside the target, which is new or empty.  Each object is made exclusively,
 * relative to an open directory that this run has made, by a name without a
 * slash, and no symlink is followed.  A run with --resume also enters existing
 * directories, and replaces nothing.
 *
 * Only the innermost directory is open, because trees are deeper than the limit
 * of open files.  The way back is "..", whose identity is checked.  A file gets
 * its name when its content and attributes are complete, so an interrupted run
 * leaves complete files.  Directories get owner, mode and times in a second
 * walk, when nothing is added to them any more.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "filter.h"
#include "msg.h"
#include "newfile.h"
#include "resume.h"

struct place {
	dev_t dev;
	ino_t ino;
};

/**
 * struct extract - a run
 * @root: the target, open
 * @cwd: the directory that entries are made in, open; -1: @root
 * @trail: the directories above it
 * @file: the one that is being made
 * @skipped: attributes that only root can restore
 * @stop: why there is no use in going on, as a negative errno
 * @part: not everything is wanted
 * @resume: what is there already may be the image's
 */
struct extract {
	struct dump *d;
	int root;
	int cwd;
	struct place *trail;
	size_t depth;
	size_t room;
	struct listing_links links;
	struct newfile file;
	u64 skipped;
	int stop;
	bool is_root;
	bool part;
	bool resume;
};

/* Whether an error would be that of every further object, too. */
static bool is_lasting(int err)
{
	return err == ENOSPC || err == EDQUOT || err == EMFILE || err == ENFILE ||
	       err == EROFS;
}

/* Report an error; end the command if further objects would fail, too. */
static void failed(struct extract *x, const char *path, const char *what)
{
	int err = errno;

	if (x->stop)
		return;
	if (is_lasting(err)) {
		x->stop = -err;
		x->d->errors++;
		msg_error(path, "%s: %s: stopped here", what, strerror(err));
	} else if (dump_count(x->d, what)) {
		msg_error(path, "%s: %s", what, msg_why(err));
	}
}

/*
 * The same for an attribute.  ENOSPC may mean that the attribute is too large
 * for its inode; if it means the disk, the next object fails, too.
 */
static void failed_xattr(struct extract *x, const char *path, const char *name)
{
	int err = errno;

	if (dump_count(x->d, "xattrs"))
		msg_error(path, "%s: %s", name, strerror(err));
}

/* Check that an existing object is that of the image; report it if it is not. */
static bool is_there(struct extract *x, const char *path, enum resume found)
{
	if (found == RESUME_OTHER && dump_count(x->d, "exists"))
		msg_error(path, "exists, and is not what the image has");
	return found != RESUME_NOTHING;
}

static int where(int fd, struct place *p)
{
	struct stat st;

	if (fstat(fd, &st))
		return -1;
	p->dev = st.st_dev;
	p->ino = st.st_ino;
	return 0;
}

/* Enter a directory of the target. */
static int go_down(struct extract *x, const char *name)
{
	struct place *p;
	int fd;

	if (x->depth == x->room) {
		p = realloc(x->trail, (x->room * 2 + 64) * sizeof(*p));
		if (!p)
			return -1;
		x->trail = p;
		x->room = x->room * 2 + 64;
	}
	if (where(x->cwd, &x->trail[x->depth]))
		return -1;
	fd = openat(x->cwd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	close(x->cwd);
	x->cwd = fd;
	x->depth++;
	return 0;
}

static int go_up(struct extract *x)
{
	struct place p;
	int fd = openat(x->cwd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (where(fd, &p) || p.dev != x->trail[x->depth - 1].dev ||
	    p.ino != x->trail[x->depth - 1].ino) {
		close(fd);
		errno = ESTALE;	/* the directory was moved meanwhile */
		return -1;
	}
	close(x->cwd);
	x->cwd = fd;
	x->depth--;
	return 0;
}

static struct timespec when(s64 ns)
{
	const struct nsec_time t = nsec_split(ns);

	return (struct timespec){ .tv_sec = t.sec, .tv_nsec = t.nsec };
}

/* Whether an attribute can be restored by root only. */
static bool privileged_xattr(const char *name)
{
	return !strncmp(name, "trusted.", 8) || !strncmp(name, "security.", 9);
}

static void set_xattrs(struct extract *x, const struct walk_entry *e, int fd)
{
	struct dsfs_err err = { 0 };
	struct xattr_list list;
	size_t i;
	int ret;

	ret = xattr_list_get(x->d, &e->node, &list, &err);
	if (ret)
		dump_error(x->d, e->path, "xattrs", ret, &err);
	if (list.count && fd < 0 && fchdir(x->cwd)) {
		failed(x, e->path, "xattrs");
		goto out;
	}
	for (i = 0; i < list.count; i++) {
		const struct listing_xattr *a = &list.v[i];

		if (!x->is_root && privileged_xattr(a->name))
			x->skipped++;
		else if (fd >= 0 ? fsetxattr(fd, a->name, a->value, a->len, 0) :
			 lsetxattr(e->name, a->name, a->value, a->len, 0))
			failed_xattr(x, e->path, a->name);
	}
out:
	xattr_list_free(&list);
}

/*
 * Mode to restore; set-id bits refer to the owner in the image, so they need
 * that owner.
 */
static mode_t mode_of(struct extract *x, const struct dsfs_attr *attr)
{
	mode_t mode = attr->mode & 07777;

	if (!x->is_root && mode & (S_ISUID | S_ISGID) && !S_ISDIR(attr->mode)) {
		x->skipped++;
		mode &= ~(S_ISUID | S_ISGID);
	}
	return mode;
}

/* Restore owner, mode, xattrs and time of an open object. */
static void set_attrs_fd(struct extract *x, const struct walk_entry *e, int fd)
{
	const struct dsfs_attr *attr = &e->node.attr;
	struct timespec ts[2] = { when(attr->mtime), when(attr->mtime) };

	if (x->is_root && fchown(fd, e->node.uid, e->node.gid))
		failed(x, e->path, "owner");
	/* chown() clears set-id bits, so the mode is set after it */
	if (fchmod(fd, mode_of(x, attr)))
		failed(x, e->path, "mode");
	set_xattrs(x, e, fd);
	if (futimens(fd, ts))
		failed(x, e->path, "time");
}

/* The same for an object that cannot be opened. */
static void set_attrs_at(struct extract *x, const struct walk_entry *e)
{
	const struct dsfs_attr *attr = &e->node.attr;
	struct timespec ts[2] = { when(attr->mtime), when(attr->mtime) };

	if (x->is_root && fchownat(x->cwd, e->name, e->node.uid, e->node.gid,
				   AT_SYMLINK_NOFOLLOW))
		failed(x, e->path, "owner");
	if (!S_ISLNK(attr->mode) &&
	    fchmodat(x->cwd, e->name, mode_of(x, attr), AT_SYMLINK_NOFOLLOW))
		failed(x, e->path, "mode");
	set_xattrs(x, e, -1);
	if (utimensat(x->cwd, e->name, ts, AT_SYMLINK_NOFOLLOW))
		failed(x, e->path, "time");
}

/**
 * struct content - state of writing a file
 * @end: end of the last data that is no hole
 */
struct content {
	int fd;
	u64 end;
};

static int put_piece(void *arg, u64 pos, const void *data, u64 len)
{
	struct content *c = arg;
	const u8 *at = data;
	ssize_t n;

	for (; data && len; at += n, pos += n, len -= n, c->end = pos) {
		n = pwrite(c->fd, at, len, pos);
		if (!n)
			return -ENOSPC;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n < 0)
			n = 0;
	}
	return 0;
}

/* Complete an object of an earlier run, which only needs its attributes. */
static bool keep_file(struct extract *x, const struct walk_entry *e)
{
	enum resume found;
	int fd;

	if (!x->resume)
		return false;
	found = resume_file(x->d, x->cwd, e, &fd);
	if (found == RESUME_ATTRS) {
		set_attrs_fd(x, e, fd);
		close(fd);
	}
	return is_there(x, e->path, found);
}

static bool keep_other(struct extract *x, const struct walk_entry *e, enum resume found)
{
	if (found == RESUME_ATTRS)
		set_attrs_at(x, e);
	return is_there(x, e->path, found);
}

static void make_file(struct extract *x, const struct walk_entry *e)
{
	struct dsfs_err err = { 0 };
	struct content c = { 0 };
	const char *what;
	int ret;

	if (keep_file(x, e))
		return;
	if (newfile_open(&x->file, x->cwd)) {
		failed(x, e->path, "create");
		return;
	}
	c.fd = x->file.fd;
	ret = image_stream(x->d->src, &e->node.attr, &e->node.extra, true,
			   put_piece, &c, &err);
	if (ret && !err.what && is_lasting(-ret)) {
		errno = -ret;
		failed(x, e->path, "content");
	} else if (ret) {
		dump_error(x->d, e->path, "content", ret, &err);
	}
	if (ret) {
		newfile_drop(&x->file);
		return;
	}
	if (c.end < e->node.attr.size && ftruncate(c.fd, e->node.attr.size)) {
		failed(x, e->path, "size");
		newfile_drop(&x->file);
		return;
	}
	set_attrs_fd(x, e, c.fd);
	if (x->stop) {
		newfile_drop(&x->file);
		return;
	}
	what = newfile_publish(&x->file, e->name);
	if (what)
		failed(x, e->path, what);
}

static void make_symlink(struct extract *x, const struct walk_entry *e)
{
	char target[DSFS_SYMLINK_MAX + 1];
	struct dsfs_err err = { 0 };
	int ret = image_symlink(x->d->src, &e->node.attr, target, &err);

	if (ret)
		dump_error(x->d, e->path, "target", ret, &err);
	else if (x->resume &&
		 keep_other(x, e, resume_symlink(x->cwd, e->name, target)))
		return;
	else if (symlinkat(target, x->cwd, e->name))
		failed(x, e->path, "symlink");
	else
		set_attrs_at(x, e);
}

static void make_special(struct extract *x, const struct walk_entry *e)
{
	const struct dsfs_attr *attr = &e->node.attr;
	dev_t dev = makedev(attr->rdev >> 20, attr->rdev & 0xfffff);

	if (x->resume && keep_other(x, e, resume_special(x->cwd, e->name, attr->mode, dev)))
		return;
	if (mknodat(x->cwd, e->name, (attr->mode & S_IFMT) | 0600, dev))
		failed(x, e->path, "mknod");
	else
		set_attrs_at(x, e);
}

/* Open the directory of the object at @path of the image. */
static int open_parent(struct extract *x, const char *path, const char **name)
{
	char part[DSFS_NAME_MAX + 1];
	int fd = dup(x->root), next;
	const char *slash;

	for (path++; fd >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
		memcpy(part, path, slash - path);
		part[slash - path] = '\0';
		next = openat(fd, part, O_PATH | O_DIRECTORY | O_NOFOLLOW |
			      O_CLOEXEC);
		close(fd);
		fd = next;
	}
	*name = path;
	return fd;
}

static void make_link(struct extract *x, const struct walk_entry *e,
		      const char *first)
{
	const char *name;
	int fd = open_parent(x, first, &name);

	if (fd >= 0 && x->resume &&
	    is_there(x, e->path, resume_link(x->cwd, e->name, fd, name))) {
		close(fd);
		return;
	}
	if (fd < 0 || linkat(fd, name, x->cwd, e->name, 0))
		failed(x, e->path, "link");
	if (fd >= 0)
		close(fd);
}

/* Enter an existing directory, whose final mode may keep its owner out. */
static int enter_kept(struct extract *x, const char *name)
{
	if (go_down(x, name) &&
	    (errno != EACCES || fchmodat(x->cwd, name, 0700, AT_SYMLINK_NOFOLLOW) ||
	     go_down(x, name)))
		return -1;
	if (!fchmod(x->cwd, 0700))
		return 0;
	go_up(x);
	errno = EPERM;
	return -1;
}

static int make_dir(struct extract *x, const struct walk_entry *e)
{
	int ret;

	if (!*e->name)
		return 0;
	ret = mkdirat(x->cwd, e->name, 0700);
	if (ret && errno == EEXIST && x->resume)
		ret = enter_kept(x, e->name);
	else if (!ret)
		ret = go_down(x, e->name);
	if (!ret)
		return 0;
	failed(x, e->path, "mkdir");
	return x->stop ? x->stop : 1;
}

static int enter_make(void *arg, const struct walk_entry *e)
{
	struct extract *x = arg;
	const char *first;
	int ret;

	if (S_ISDIR(e->node.attr.mode))
		return make_dir(x, e);
	ret = listing_link(&x->links, 0, e->node.attr.ino, e->node.nlink,
			   e->path, &first);
	if (ret)
		return ret;
	if (first)
		make_link(x, e, first);
	else if (S_ISREG(e->node.attr.mode))
		make_file(x, e);
	else if (S_ISLNK(e->node.attr.mode))
		make_symlink(x, e);
	else
		make_special(x, e);
	return x->stop;
}

static int leave_make(void *arg, const struct walk_entry *e)
{
	struct extract *x = arg;

	if (!*e->name || !go_up(x))
		return 0;
	if (errno == ESTALE && !x->stop) {
		x->d->errors++;
		msg_error(e->path, "was moved away while it was filled: stopped here");
		x->stop = -ESTALE;
	}
	failed(x, e->path, "way back");
	return x->stop ? x->stop : -EIO;
}

static int enter_finish(void *arg, const struct walk_entry *e)
{
	struct extract *x = arg;

	if (!*e->name || !go_down(x, e->name))
		return 0;
	/* no object in it was selected */
	if (x->part && errno == ENOENT)
		return 1;
	failed(x, e->path, "directory");
	return x->stop ? x->stop : 1;
}

static int leave_finish(void *arg, const struct walk_entry *e)
{
	struct extract *x = arg;
	int fd = dup(x->cwd), ret;

	if (fd < 0) {
		failed(x, e->path, "directory");
		return x->stop;
	}
	ret = leave_make(arg, e);
	set_attrs_fd(x, e, fd);
	close(fd);
	return ret ? ret : x->stop;
}

static int dir_is_empty(int fd)
{
	struct dirent *de;
	DIR *dir;
	int copy = dup(fd), empty = 1;

	dir = copy < 0 ? NULL : fdopendir(copy);
	if (!dir)
		return -1;
	while (empty && (de = readdir(dir)))
		empty = !strcmp(de->d_name, ".") || !strcmp(de->d_name, "..");
	closedir(dir);
	return empty;
}

static int open_target(struct extract *x, const char *dir)
{
	int empty = 1;

	if (mkdir(dir, 0700) && errno != EEXIST) {
		msg_error(dir, "mkdir: %s", msg_why(errno));
		return -1;
	}
	x->root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (x->root < 0) {
		/* the directory exists, so ENOTDIR is an error of the object itself */
		msg_error(dir, "open: %s", errno == ENOTDIR ? strerror(errno) :
			  msg_why(errno));
		return -1;
	}
	if (!x->resume)
		empty = dir_is_empty(x->root);
	else if (fchmod(x->root, 0700))
		empty = -1;
	if (empty != 1)
		msg_error(dir, "%s", empty ? strerror(errno) :
			  strerror(ENOTEMPTY));
	x->cwd = empty == 1 ? dup(x->root) : -1;
	if (x->cwd >= 0)
		return 0;
	close(x->root);
	return -1;
}

int dump_extract(struct dump *d, const char *dir, struct filter *f, bool resume)
{
	static const struct walk_ops make = {
		.enter = enter_make, .leave = leave_make,
	};
	static const struct walk_ops finish = {
		.enter = enter_finish, .leave = leave_finish, .dirs_only = true,
	};
	struct extract x = {
		.d = d, .is_root = !geteuid(), .part = f->count, .resume = resume,
	};
	int ret;

	if (open_target(&x, dir))
		return -1;
	umask(0);
	/* A file beyond RLIMIT_FSIZE is an error of that file. */
	signal(SIGXFSZ, SIG_IGN);
	ret = filter_walk(d, f, &make, &x);
	if (!ret)
		filter_check(d, f);
	if (!ret)
		ret = filter_walk(d, f, &finish, &x);
	/* any other error was reported where it happened */
	if (ret == -ENOMEM)
		dump_error(d, dir, "extract", ret, &(struct dsfs_err){ 0 });
	dump_hidden(d, dir);
	if (x.skipped)
		msg_warn(dir, "%llu set-id bits, trusted and security attributes not restored: only root can",
			 x.skipped);
	listing_links_free(&x.links);
	free(x.trail);
	close(x.cwd);
	close(x.root);
	return ret || d->errors ? -1 : 0;
}
