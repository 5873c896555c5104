// SPDX-License-Identifier: GPL-2.0
/*
 * An image that gets another generation.  It is mounted by others at any time, in its old or in
 * its new generation: nothing of it is overwritten before all that is new is on the disk, and of
 * the superblocks the one in use last.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include "inuse.h"
#include "msg.h"
#include "slots.h"
#include "stop.h"
#include "writable.h"

static int fail(const struct writable *w, const char *what)
{
	const int err = errno;

	msg_error(w->path, "%s: %s", what, msg_why(err));
	return -err;
}

static int open_device(struct writable *w)
{
	w->fd = open(w->path, O_RDWR | O_CLOEXEC | O_EXCL);
	if (w->fd < 0 && errno == EBUSY) {
		msg_error(w->path, "is mounted or in use: a change needs it alone");
		return -EBUSY;
	}
	if (w->fd < 0)
		return fail(w, "cannot open");
	if (ioctl(w->fd, BLKGETSIZE64, &w->limit))
		return fail(w, "cannot get the size");
	/* drop cached blocks, which another node may have written since */
	ioctl(w->fd, BLKFLSBUF, 0);
	return 0;
}

static int open_file(struct writable *w, const struct stat *st)
{
	int ret = inuse_check(w->path, st);

	if (ret)
		return ret;
	w->fd = open(w->path, O_RDWR | O_CLOEXEC);
	return w->fd < 0 ? fail(w, "cannot open") : 0;
}

/*
 * Two that write at the same time would write to the same place.  The length is what the one
 * before has left.
 */
static int take_lock(struct writable *w)
{
	struct stat st;

	if (flock(w->fd, LOCK_EX | LOCK_NB)) {
		if (errno != EWOULDBLOCK)
			return fail(w, "cannot lock");
		msg_error(w->path, "is being updated by another process");
		return -EBUSY;
	}
	if (fstat(w->fd, &st))
		return fail(w, "cannot read attributes");
	w->length = st.st_size;
	return 0;
}

int writable_open(struct writable *w, const char *path)
{
	struct stat st;
	int ret;

	*w = (struct writable){ .path = path, .fd = -1 };
	/* ignored: the call that caused it returns an error */
	signal(SIGXFSZ, SIG_IGN);
	stop_init(SA_RESTART);
	if (stat(path, &st))
		return fail(w, "cannot read attributes");
	if (!S_ISBLK(st.st_mode) && !S_ISREG(st.st_mode)) {
		msg_error(path, "is neither a regular file nor a block device");
		return -EINVAL;
	}
	ret = S_ISBLK(st.st_mode) ? open_device(w) : open_file(w, &st);
	return ret ?: take_lock(w);
}

int writable_fits(const struct writable *w, u64 pos, u64 bytes)
{
	if (!w->limit || pos + bytes <= w->limit)
		return 0;
	msg_error(w->path, "device too small: %llu bytes: no room for %llu bytes at byte %llu",
		  w->limit, bytes, pos);
	return -ENOSPC;
}

int writable_write(struct writable *w, const void *p, size_t bytes, u64 pos)
{
	w->touched = true;
	return slots_write(w->fd, w->path, p, bytes, pos);
}

int writable_commit(struct writable *w, const struct dsfs_super *super, unsigned int first)
{
	bool stays = false;
	int ret = fsync(w->fd) ? fail(w, "cannot write") : stop_asked() ? -EINTR :
		  slots_replace(w->fd, w->path, super, first,
				"is as it was: it has no new generation", &stays);

	w->touched = !stays;
	return ret;
}

void writable_close(struct writable *w)
{
	if (w->fd < 0)
		return;
	if (w->touched && !w->limit && ftruncate(w->fd, w->length))
		msg_warn(w->path, "cannot set the length: %s: unused bytes are behind the image",
			 msg_why(errno));
	close(w->fd);
	w->fd = -1;
}
