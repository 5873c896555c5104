// SPDX-License-Identifier: GPL-2.0
/*
 * Temporary files.  They are no memory, so they are not in /tmp, which often is.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tempfile.h"

const char *tempfile_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/var/tmp";
}

int tempfile_open(void)
{
	int fd = open(tempfile_dir(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	FILE *f;

	if (fd >= 0)
		return fd;
	f = tmpfile();
	if (!f)
		return -errno;
	fd = dup(fileno(f));
	fclose(f);
	return fd < 0 ? -errno : fd;
}
