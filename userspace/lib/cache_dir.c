// SPDX-License-Identifier: GPL-2.0
/*
 * The directory of the cache: its owner and its permissions.
 *
 * Checksums of the cache detect damage, not forgery: whoever can write a block can write its
 * checksum, too.  So only this user and root may write to the directory.
 *
 * An owner that has no id in this user namespace is shown as overflowuid, 65534: equal to the id
 * of a process that runs as nobody.  The kernel itself compares owners, so it is asked: it lets
 * nobody else set O_NOATIME, but who has CAP_FOWNER over a mapped owner (inode_owner_or_capable()
 * in fs/inode.c).
 */
#include <fcntl.h>
#include <unistd.h>

#include "cache.h"

static bool is_owned(int fd)
{
	const int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && !fcntl(fd, F_SETFL, flags | O_NOATIME);
}

bool cache_is_ours(int fd, const struct stat *st)
{
	return (!st->st_uid || (st->st_uid == geteuid() && is_owned(fd))) &&
	       !(st->st_mode & 0022);
}

/* Somebody may empty the cache, which takes the directory, between the two calls. */
static int make_and_open(const char *path)
{
	int fd = -1, made = 0;

	for (int tries = 0; tries < 4; tries++) {
		made = mkdir(path, 0700) ? errno : 0;
		if (made && made != EEXIST && made != EROFS && made != EACCES)
			return -made;
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 || errno != ENOENT)
			break;
	}
	if (fd < 0 && errno == ENOENT && made)
		return -made;
	return fd < 0 ? -errno : fd;
}

int cache_dir(const char *path, const char **what)
{
	struct stat st;
	int fd, ret;

	*what = "cache-dir";
	fd = make_and_open(path);
	if (fd < 0)
		return fd;
	ret = fstat(fd, &st) ? -errno : 0;
	if (!ret && !cache_is_ours(fd, &st)) {
		*what = "others can write in the cache-dir";
		ret = -EPERM;
	}
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

bool cache_is_name(const char *name)
{
	return strlen(name) == CACHE_NAME && strspn(name, "0123456789abcdef") == CACHE_NAME;
}
