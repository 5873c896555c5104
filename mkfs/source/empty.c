// SPDX-License-Identifier: GPL-2.0
/*
 * Files with a size of 0 that have content: those of procfs, and of FUSE file
 * systems that learn a size by reading.  The plan needs the size of each file,
 * and a change between two reads of such a file could not be noticed, so they
 * are not packed.  Packing them as empty files would lose their content.
 */
#include <sys/sysmacros.h>
#include <unistd.h>

#include "file.h"

const char *empty_check(const struct options *o, int dirfd, const char *path,
			bool follow, const struct stat *st, int *err)
{
	const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC |
			  (follow ? 0 : O_NOFOLLOW);
	const char *why = NULL;
	ssize_t n;
	char c;
	int fd;

	*err = 0;
	/* a file system on a device knows its sizes; a dry run reads no contents */
	if (!S_ISREG(st->st_mode) || st->st_size || major(st->st_dev) ||
	    (o->plan_only && !o->digest))
		return NULL;
	fd = openat(dirfd, path, flags | O_NOATIME);
	if (fd < 0 && errno == EPERM)	/* not its owner */
		fd = openat(dirfd, path, flags);
	if (fd < 0) {
		*err = -errno;
		return "cannot open";
	}
	do {
		n = read(fd, &c, 1);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		*err = -errno;
		why = "cannot read";
	} else if (n) {
		why = "has content and says that its size is 0: pack a copy of it";
	}
	close(fd);
	return why;
}
