// SPDX-License-Identifier: GPL-2.0
/*
 * Whether an image file is mounted.  A mounted block device cannot be opened
 * exclusively; a mounted file is attached to a loop device.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "inuse.h"
#include "msg.h"

bool path_leads_to(const char *path, const struct stat *st)
{
	struct stat other;

	return !stat(path, &other) && other.st_dev == st->st_dev && other.st_ino == st->st_ino;
}

/* Ask a loop device.  Return: 1: it has the file; 0: it has not; -errno. */
static int loop_has(const char *name, const struct stat *st)
{
	struct loop_info64 info = { 0 };	/* valgrind does not know the ioctl */
	char path[300];
	int fd, ret;

	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = ioctl(fd, LOOP_GET_STATUS64, &info) ? -errno :
	      info.lo_device == st->st_dev && info.lo_inode == st->st_ino;
	close(fd);
	return ret == -ENXIO ? 0 : ret;
}

/* Compare the name in sysfs, for a user who may not open the loop device. */
static bool loop_names(const char *name, const struct stat *st)
{
	char path[300], file[PATH_MAX];
	bool same = false;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file", name);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (fgets(file, sizeof(file), f)) {
		file[strcspn(file, "\n")] = '\0';
		same = path_leads_to(file, st);
	}
	fclose(f);
	return same;
}

int inuse_check(const char *path, const struct stat *st)
{
	DIR *dir = opendir("/sys/block");
	struct dirent *d;
	int ret = 0;

	while (!ret && dir && (d = readdir(dir))) {
		if (strncmp(d->d_name, "loop", 4))
			continue;
		ret = loop_has(d->d_name, st);
		if (ret < 0)
			ret = loop_names(d->d_name, st);
		if (ret)
			msg_error(path, "is in use by /dev/%s: unmount it first", d->d_name);
	}
	if (dir)
		closedir(dir);
	return ret ? -EBUSY : 0;
}
