// SPDX-License-Identifier: GPL-2.0
/*
 * Going on: comparison of existing objects with the image.  No existing object
 * is replaced: those of an earlier extraction are complete, and others stay and
 * are reported.  No symlink is followed.
 */
#include <fcntl.h>
#include <unistd.h>

#include "nsec.h"
#include "extract.h"
#include "io.h"

#define PIECE	65536

static bool look(int dir, const char *name, struct stat *st)
{
	return !fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW);
}

static bool same_time(const struct stat *st, s64 mtime)
{
	const struct nsec_time t = nsec_split(mtime);

	return st->st_mtim.tv_sec == t.sec && st->st_mtim.tv_nsec == t.nsec;
}

/* Read a file and compare; holes read as zeros. */
static int compare_piece(void *arg, u64 pos, const void *data, u64 len)
{
	static const u8 zeros[PIECE];
	u8 have[PIECE];
	const int *fd = arg;
	u64 n;

	for (u64 at = 0; at < len; at += n) {
		n = len - at < PIECE ? len - at : PIECE;
		if (io_pread(*fd, have, n, pos + at) != n ||
		    memcmp(have, data ? data + at : zeros, n))
			return -EEXIST;
	}
	return 0;
}

/* The result for an object that is the image's, but for its attributes. */
static enum resume attrs_of(const struct stat *st, const struct walk_entry *e)
{
	return st->st_nlink > e->node.nlink ? RESUME_LINKED : RESUME_ATTRS;
}

enum resume resume_file(struct view *v, int dir, const struct walk_entry *e, int *fd)
{
	const struct dsfs_attr *attr = &e->node.attr;
	struct dsfs_err err = { 0 };
	enum resume found;
	struct stat st;

	if (!look(dir, e->name, &st))
		return RESUME_NOTHING;
	if (!S_ISREG(st.st_mode) || st.st_size != attr->size)
		return RESUME_OTHER;
	if (same_time(&st, attr->mtime))
		return RESUME_SAME;
	*fd = openat(dir, e->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0)
		return RESUME_OTHER;
	/* the open file's: the name may belong to another file by now */
	found = fstat(*fd, &st) || !S_ISREG(st.st_mode) ||
		image_stream(v->src, attr, &e->node.extra, true, compare_piece, fd, &err) ?
		RESUME_OTHER : attrs_of(&st, e);
	if (found != RESUME_ATTRS)
		close(*fd);
	return found;
}

/* Whether an object is the one that would be made. */
static bool same_other(int dir, const struct walk_entry *e, const struct stat *st,
		       const char *target, dev_t dev)
{
	const u32 mode = e->node.attr.mode;
	char have[DSFS_SYMLINK_MAX + 1];
	ssize_t len;

	if ((st->st_mode ^ mode) & S_IFMT)
		return false;
	if (S_ISCHR(mode) || S_ISBLK(mode))
		return st->st_rdev == dev;
	if (!S_ISLNK(mode))
		return true;
	len = readlinkat(dir, e->name, have, sizeof(have));
	return len == strlen(target) && !memcmp(have, target, len);
}

enum resume resume_other(int dir, const struct walk_entry *e, const char *target, dev_t dev)
{
	struct stat st;

	if (!look(dir, e->name, &st))
		return RESUME_NOTHING;
	return same_other(dir, e, &st, target, dev) ? attrs_of(&st, e) : RESUME_OTHER;
}

enum resume resume_link(int dir, const char *name, int first_dir, const char *first)
{
	struct stat st, of;

	if (!look(dir, name, &st))
		return RESUME_NOTHING;
	return look(first_dir, first, &of) && st.st_dev == of.st_dev &&
	       st.st_ino == of.st_ino ? RESUME_SAME : RESUME_OTHER;
}
