// SPDX-License-Identifier: GPL-2.0
/*
 * Restores a tree.  The image may be hostile, so nothing is written
 * outside the target, which is new or empty.  Each object is made exclusively, relative to an
 * open directory that this run has made, by a name without a slash, and no symlink is followed.
 * A run with --resume also enters existing directories, and replaces nothing.
 * Whoever could write to a directory meanwhile could exchange what is made there, so that one
 * which exists is entered only if nobody else can: take_dir().
 *
 * Only the innermost directory is open, because trees are deeper than the limit of open files.
 * The way back is "..", whose identity is checked.  A file gets its name when its content and
 * attributes are complete, so an interrupted run leaves complete files.  Directories get owner,
 * mode and times in a second walk, when nothing is added to them any more.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "export.h"
#include "extract.h"
#include "io.h"
#include "msg.h"

/*
 * Judge what is there.  Return: 1: it is the image's; 0: nothing is there; -1: something
 * else is, which was reported.
 */
static int judge(struct extract *x, const struct walk_entry *e, enum resume found)
{
	if (found == RESUME_NOTHING)
		return 0;
	if (found == RESUME_SAME || found == RESUME_ATTRS)
		return 1;
	if (view_count(x->v, "exists"))
		msg_error(e->path, "exists, and %s",
			  found == RESUME_LINKED ? "has more names than in the image" :
			  "is not what the image has");
	return -1;
}

static int where(int fd, struct made_at *p)
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
	struct made_at *p = array_add(&x->trail);
	int fd = -1;

	if (p && !where(x->cwd, p))
		fd = openat(x->cwd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		x->trail.n -= !!p;
		return -1;
	}
	close(x->cwd);
	x->cwd = fd;
	x->born.known = false;
	return 0;
}

static int go_up(struct extract *x)
{
	const struct made_at *above = (struct made_at *)x->trail.p + x->trail.n - 1;
	struct made_at p;
	int fd = openat(x->cwd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (where(fd, &p) || p.dev != above->dev || p.ino != above->ino) {
		close(fd);
		errno = ESTALE;	/* the directory was moved meanwhile */
		return -1;
	}
	close(x->cwd);
	x->cwd = fd;
	x->born.known = false;
	x->trail.n--;
	return 0;
}

/**
 * struct content - state of writing a file
 * @bar: the progress of the run
 * @end: end of the last data that is no hole
 */
struct content {
	struct progress *bar;
	int fd;
	u64 end;
};

static int put_piece(void *arg, u64 pos, const void *data, u64 len)
{
	struct content *c = arg;

	progress_add(c->bar, len);
	if (!data)
		return 0;
	c->end = pos + io_pwrite(c->fd, data, len, pos);
	return c->end < pos + len ? -errno : 0;
}

/*
 * Complete an object of an earlier run, which only needs its attributes.  Its mode may grant more
 * now than in the image, so the object is closed to others first.  Return: as judge().
 */
static int keep_file(struct extract *x, const struct walk_entry *e)
{
	enum resume found;
	int fd;

	if (!x->resume)
		return 0;
	found = resume_file(x->v, x->cwd, e, &fd);
	if (found != RESUME_NOTHING)
		progress_add(&x->bar, e->node.attr.size);
	if (found == RESUME_ATTRS) {
		if (fchmod(fd, 0600))
			extract_failed(x, e->path, "mode");
		else
			attrs_fd(x, e, fd);
		close(fd);
	}
	return judge(x, e, found);
}

static int keep_other(struct extract *x, const struct walk_entry *e, const char *target, dev_t dev)
{
	enum resume found;

	if (!x->resume)
		return 0;
	found = resume_other(x->cwd, e, target, dev);
	if (found == RESUME_ATTRS) {
		if (!S_ISLNK(e->node.attr.mode) &&
		    fchmodat(x->cwd, e->name, 0600, AT_SYMLINK_NOFOLLOW))
			extract_failed(x, e->path, "mode");
		else
			attrs_at(x, e);
	}
	return judge(x, e, found);
}

/* Write the content of the new file.  Return: whether it is complete. */
static bool fill_file(struct extract *x, const struct walk_entry *e)
{
	struct content c = { .bar = &x->bar, .fd = x->file.fd };
	struct dsfs_err err = { 0 };
	int ret = image_stream(x->v->src, &e->node.attr, &e->node.extra, true, put_piece, &c, &err);

	if (ret && !err.what && extract_is_lasting(-ret)) {
		errno = -ret;
		extract_failed(x, e->path, "content");
		return false;
	}
	if (ret) {
		view_error(x->v, e->path, "content", ret, &err);
		return false;
	}
	if (c.end < e->node.attr.size && ftruncate(c.fd, e->node.attr.size)) {
		extract_failed(x, e->path, "size");
		return false;
	}
	return true;
}

/*
 * Find out by the first file in a directory, made with @mode, what further ones will have.  The
 * umask is 0, so a mode stays what it was unless the directory passes on an ACL, or the file
 * system has its own ideas.
 */
static void look_at_newborn(struct extract *x, mode_t mode)
{
	struct newborn *b = &x->born;
	struct stat st = { };

	b->known = true;
	b->plain = x->file.way != NEWFILE_HIDDEN &&
		   fgetxattr(x->cwd, "system.posix_acl_default", NULL, 0) < 0 &&
		   (errno == ENODATA || errno == EOPNOTSUPP) &&
		   !fstat(x->file.fd, &st) && st.st_mode == (S_IFREG | mode);
	b->uid = st.st_uid;
	b->gid = st.st_gid;
}

/*
 * Make an incomplete file.  One that has no name can have its mode from the start: who has no
 * descriptor of it cannot open it.  Return: 1: it has; 0: it has not; -1: an error.
 */
static int begin_file(struct extract *x, const struct walk_entry *e)
{
	const mode_t mode = e->node.attr.mode & 07777;
	const bool plain = !(mode & ~0777) && !(e->node.attr.flags & DSFS_INODE_XATTRS) &&
			   (!x->born.known || x->born.plain);

	if (newfile_open(&x->file, x->cwd, plain ? mode : 0600))
		return -1;
	if (plain && !x->born.known)
		look_at_newborn(x, mode);
	return plain && x->born.plain;
}

/* Functions that make an object.  They return whether it exists now and is the image's. */
static bool make_file(struct extract *x, const struct walk_entry *e)
{
	const char *what;
	int ret = keep_file(x, e), born;

	if (ret)
		return ret > 0;
	born = begin_file(x, e);
	if (born < 0) {
		extract_failed(x, e->path, "create");
		return false;
	}
	ret = fill_file(x, e);
	if (ret && born)
		attrs_born(x, e, x->file.fd);
	else if (ret)
		attrs_fd(x, e, x->file.fd);
	if (!ret || x->stop) {
		newfile_drop(&x->file);
		return false;
	}
	what = newfile_publish(&x->file, e->name);
	if (what)
		extract_failed(x, e->path, what);
	return !what;
}

/* Make a symlink, a device, a pipe or a socket. */
static bool make_other(struct extract *x, const struct walk_entry *e)
{
	const struct dsfs_attr *attr = &e->node.attr;
	const dev_t dev = makedev(attr->rdev >> 20, attr->rdev & 0xfffff);
	const bool link = S_ISLNK(attr->mode);
	char target[DSFS_SYMLINK_MAX + 1];
	int ret;

	if (link && view_target(x->v, e->path, &e->node, target))
		return false;
	ret = keep_other(x, e, target, dev);
	if (ret)
		return ret > 0;
	if (link ? symlinkat(target, x->cwd, e->name) :
	    mknodat(x->cwd, e->name, (attr->mode & S_IFMT) | 0600, dev)) {
		extract_failed(x, e->path, link ? "symlink" : "mknod");
		return false;
	}
	attrs_at(x, e);
	return true;
}

/*
 * Open the directory of the object at @path of the image.  Mostly that is the current
 * directory, whose path is the beginning of @here.  Any other is opened from the root, step by
 * step.
 */
static int open_parent(struct extract *x, const char *path, const char *here, const char **name)
{
	const size_t len = strrchr(path, '/') - path;
	char part[DSFS_NAME_MAX + 1];
	const char *slash;
	int fd, next;

	*name = path + len + 1;
	if (strrchr(here, '/') - here == len && !memcmp(path, here, len))
		return dup(x->cwd);
	fd = dup(x->root);
	for (path++; fd >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
		memcpy(part, path, slash - path);
		part[slash - path] = '\0';
		next = openat(fd, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(fd);
		fd = next;
	}
	return fd;
}

static void make_link(struct extract *x, const struct walk_entry *e)
{
	const char *name;
	int fd;

	if (view_is_lost(x->v, e))
		return;
	fd = open_parent(x, e->first, e->path, &name);
	if (fd < 0 || !x->resume || !judge(x, e, resume_link(x->cwd, e->name, fd, name))) {
		if (fd < 0 || linkat(fd, name, x->cwd, e->name, 0))
			extract_failed(x, e->path, "link");
	}
	if (fd >= 0)
		close(fd);
}

/*
 * What others could do to a directory that exists.  One that --resume finds may be as the image
 * has it, @e.  Whether it belongs to who is not root, the kernel says when its mode is set: where
 * file systems map owners, st_uid need not be the caller.
 *
 * Return: NULL: nothing.
 */
static const char *unsafe(const struct extract *x, int fd, const struct walk_entry *e,
			  struct stat *st)
{
	if (fstat(fd, st))
		return strerror(errno);
	if (x->is_root && st->st_uid && (!e || st->st_uid != e->node.uid))
		return "belongs to another user, who could exchange what is in it";
	if (st->st_mode & 022 & ~(e ? e->node.attr.mode : 0))
		return "others can write to it: name one that does not exist, or chmod go-w";
	return NULL;
}

/* Shut an open directory to all others until it gets its attributes.  Return: as unsafe(). */
static const char *take_dir(struct extract *x, int fd, const struct walk_entry *e)
{
	struct stat st;
	const char *why = unsafe(x, fd, x->resume ? e : NULL, &st);

	/* the owner first, who could undo the mode */
	if (!why && ((x->is_root && st.st_uid && fchown(fd, 0, -1)) || fchmod(fd, 0700)))
		why = strerror(errno);
	return why;
}

/* Enter an existing directory, whose final mode may keep its owner out. */
static int enter_kept(struct extract *x, const struct walk_entry *e)
{
	const char *why;

	if (go_down(x, e->name) &&
	    (errno != EACCES || fchmodat(x->cwd, e->name, 0700, AT_SYMLINK_NOFOLLOW) ||
	     go_down(x, e->name)))
		return -1;
	why = take_dir(x, x->cwd, e);
	if (!why)
		return 0;
	go_up(x);
	if (view_count(x->v, "exists"))
		msg_error(e->path, "%s", why);
	return 1;
}

static int dir_is_empty(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), empty = 1;
	struct dirent *de;
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);

	if (!dir) {
		if (copy >= 0)
			close(copy);
		return -1;
	}
	while (empty && (de = readdir(dir)))
		empty = !strcmp(de->d_name, ".") || !strcmp(de->d_name, "..");
	closedir(dir);
	return empty;
}

/* Open a target.  Return: 0; -1 after a message. */
static int open_target(struct extract *x, int flags)
{
	x->root = open(x->target, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
	if (x->root >= 0)
		return 0;
	/* the directory exists, so ENOTDIR is an error of the object itself */
	return msg_error(x->target, "open: %s",
			 errno == ENOTDIR ? strerror(errno) : msg_why(errno));
}

/*
 * Check the target before the walk, so that an unusable one is reported at once.  One that
 * does not exist is made when there is something to put into it.
 */
static int check_target(struct extract *x)
{
	const char *why;
	struct stat st;
	int empty;

	if (stat(x->target, &st))
		return 0;
	if (open_target(x, 0))
		return -1;
	if (x->resume)
		return 0;
	why = unsafe(x, x->root, NULL, &st);
	empty = why ? 1 : dir_is_empty(x->root);
	if (empty != 1)
		why = strerror(empty ? errno : ENOTEMPTY);
	if (!why)
		return 0;
	return msg_error(x->target, "%s", why);
}

/*
 * Make the target, and shut it until it gets its attributes.  Whoever may write above it can put
 * another in its place before it is open.
 */
static int begin_target(struct extract *x, const struct walk_entry *e)
{
	const char *why;

	if (x->root < 0 && mkdir(x->target, 0700))
		return msg_fail(-ECANCELED, x->target, "mkdir: %s", msg_why(errno));
	if (x->root < 0 && open_target(x, O_NOFOLLOW))
		return -ECANCELED;
	why = take_dir(x, x->root, e);
	if (!why) {
		x->cwd = dup(x->root);
		why = x->cwd < 0 ? strerror(errno) : NULL;
	}
	if (!why)
		return 0;
	return msg_fail(-ECANCELED, x->target, "%s", why);
}

static int make_dir(struct extract *x, const struct walk_entry *e)
{
	int ret;

	if (!*e->name)
		return begin_target(x, e);
	ret = mkdirat(x->cwd, e->name, 0700);
	if (ret && errno == EEXIST && x->resume)
		ret = enter_kept(x, e);
	else if (!ret)
		ret = go_down(x, e->name);
	if (ret >= 0)
		return ret;
	extract_failed(x, e->path, "mkdir");
	return x->stop ? x->stop : 1;
}

static int enter_make(void *arg, const struct walk_entry *e)
{
	struct extract *x = arg;

	if (S_ISDIR(e->node.attr.mode))
		return make_dir(x, e);
	if (e->first)
		make_link(x, e);
	else if (S_ISREG(e->node.attr.mode) ? !make_file(x, e) : !make_other(x, e))
		listing_lose(&x->v->links, 0, e->node.attr.ino);
	return x->stop;
}

static int leave_make(void *arg, const struct walk_entry *e)
{
	struct extract *x = arg;

	if (!*e->name || !go_up(x))
		return 0;
	if (errno == ESTALE && !x->stop) {
		x->v->errors->count++;
		msg_error(e->path, "was moved away while it was filled: stopped here");
		x->stop = -ESTALE;
	}
	extract_failed(x, e->path, "way back");
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
	extract_failed(x, e->path, "directory");
	return x->stop ? x->stop : 1;
}

static int leave_finish(void *arg, const struct walk_entry *e)
{
	struct extract *x = arg;
	int fd = dup(x->cwd), ret;

	if (fd < 0) {
		extract_failed(x, e->path, "directory");
		return x->stop;
	}
	ret = leave_make(arg, e);
	attrs_fd(x, e, fd);
	close(fd);
	return ret ? ret : x->stop;
}

/* Attributes that only root can restore are expected to be left out, so this is no error. */
static void report_skipped(const struct extract *x)
{
	if (x->skipped)
		msg_warn(x->target, "%llu set-id bit%s, trusted and security attributes not restored: only root can",
			 x->skipped, msg_s(x->skipped));
	if (x->owners)
		msg_warn(x->target, "owners of %llu object%s not restored: only root can",
			 x->owners, msg_s(x->owners));
}

static void extract_free(struct extract *x)
{
	array_free(&x->trail);
	if (x->cwd >= 0)
		close(x->cwd);
	if (x->root >= 0)
		close(x->root);
}

int export_files(struct view *v, const char *dir, struct filter *f, bool resume)
{
	static const struct walk_ops make = {
		.enter = enter_make, .leave = leave_make,
	};
	static const struct walk_ops finish = {
		.enter = enter_finish, .leave = leave_finish, .dirs_only = true,
	};
	struct extract x = {
		.v = v, .target = dir, .root = -1, .cwd = -1, .is_root = !geteuid(),
		.part = f->count, .resume = resume, .trail.size = sizeof(struct made_at),
	};
	int ret;

	umask(0);
	/* A file beyond RLIMIT_FSIZE is an error of that file. */
	signal(SIGXFSZ, SIG_IGN);
	ret = check_target(&x);
	/* the size of a part is not known */
	reader_file_hold(v->img.reader);
	progress_start(&x.bar, "extract", f->count ? 0 : v->img.geo->content_bytes);
	if (!ret)
		ret = view_walk(v, f, &make, &x);
	progress_end(&x.bar);
	if (!ret)
		filter_check(v, f);
	/* without a target, nothing was selected, or the root cannot be read */
	if (!ret && x.cwd >= 0)
		ret = view_walk(v, f, &finish, &x);
	/* any other error was reported where it happened */
	if (ret == -ENOMEM)
		view_error(v, dir, "extract", ret, NULL);
	view_hidden(v, dir);
	report_skipped(&x);
	extract_free(&x);
	return ret || v->errors->count ? -1 : 0;
}
