// SPDX-License-Identifier: GPL-2.0
/*
 * The only place where superblocks of an image are overwritten.  After a loss of power at any time
 * one of them is valid, and all that it refers to is there.
 */
#include <unistd.h>

#include "io.h"
#include "msg.h"
#include "slots.h"

int slots_write(int fd, const char *path, const void *p, size_t bytes, u64 pos)
{
	const size_t done = io_pwrite(fd, p, bytes, pos);
	const int err = errno;

	if (done == bytes)
		return 0;
	msg_error(path, "cannot write %zu bytes at byte %llu: %s", bytes - done, pos + done,
		  msg_why(err));
	return -err;
}

static int put(int fd, const char *path, const void *slot, unsigned int n)
{
	int ret = slots_write(fd, path, slot, DSFS_SB_SIZE, DSFS_SB_POS(n));

	if (!ret && fsync(fd)) {
		ret = -errno;
		msg_error(path, "cannot write: %s", msg_why(-ret));
	}
	return ret;
}

/*
 * The first superblock could not be written, or nobody knows whether it was.  If its slot does not
 * get the bytes of before, either, all that the new generation refers to has to stay.
 */
static bool restore(int fd, const char *path, const void *old, unsigned int n, const char *refused)
{
	const int ret = put(fd, path, old, n);

	if (!ret)
		msg_error(path, "%s", refused);
	else
		msg_error(path,
			  "superblock slot %u may be damaged: the other one is as it was: run fsck.dsfs",
			  n);
	return ret;
}

int slots_replace(int fd, const char *path, const struct dsfs_super *super, unsigned int first,
		  const char *refused, bool *stays)
{
	char old[DSFS_SB_SIZE];
	int ret;

	errno = EIO;
	if (io_pread(fd, old, sizeof(old), DSFS_SB_POS(first)) < sizeof(old)) {
		ret = errno ? -errno : -EIO;
		msg_error(path, "cannot read superblock slot %u: %s", first, msg_why(-ret));
		return ret;
	}
	ret = put(fd, path, super, first);
	*stays = ret ? restore(fd, path, old, first, refused) : true;
	if (ret)
		return ret;
	ret = put(fd, path, super, !first);
	if (ret)
		msg_error(path,
			  "has the new generation, but superblock slot %u may be damaged: the next update writes both",
			  !first);
	return ret;
}
