// SPDX-License-Identifier: GPL-2.0
/*
 * A loop device for an image file: read-only, and removed with the mount.
 * Direct I/O avoids caching data twice, for the file and for the device.  The
 * device has blocks of 4 KiB if the alignment of the image allows it, because
 * file systems refuse direct I/O on less than their own blocks.
 */
#include <ctype.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include "mount.h"
#include "msg.h"

#define TRIES	64

/* 4096 if data and metadata are aligned to that, otherwise 512 */
static u32 block_size(const struct image *img, const struct mount_opts *o)
{
	if ((o->offset | o->sizelimit) & 4095 || !img->geo || img->geo->align_bits < 12)
		return 512;
	return 4096;
}

static bool same_file(const struct loop_info64 *info, const struct stat *st,
		      const struct mount_opts *o)
{
	return info->lo_device == st->st_dev && info->lo_inode == st->st_ino &&
	       info->lo_offset == o->offset &&
	       info->lo_sizelimit == o->sizelimit &&
	       info->lo_flags & LO_FLAGS_READ_ONLY;
}

/* Whether the image fits into the device; it may have grown since. */
static bool fits(int loop, const struct stat *st, const struct mount_opts *o)
{
	u64 bytes;

	return o->sizelimit || !S_ISREG(st->st_mode) ||
	       (!ioctl(loop, BLKGETSIZE64, &bytes) &&
		bytes >= ((st->st_size - o->offset) & ~511ULL));
}

/* Whether the device has no mount, or one with the same options. */
static bool shows(int loop, u64 generation)
{
	struct stat st;
	u64 mounted;

	if (fstat(loop, &st))
		return false;
	mounted = generation_mounted(st.st_rdev);
	return !mounted || mounted == generation;
}

/* Find the device of another mount of the same image, to share its caches. */
static int find_attached(const struct stat *st, const struct mount_opts *o,
			 u64 generation, char name[64])
{
	DIR *dir = opendir("/sys/block");
	struct loop_info64 info;
	struct dirent *de;
	int fd = -1;

	while (dir && (de = readdir(dir))) {
		if (strncmp(de->d_name, "loop", 4) || !isdigit(de->d_name[4]))
			continue;
		snprintf(name, 64, "/dev/%.32s", de->d_name);
		fd = open(name, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		/* an open device cannot be changed */
		if (!ioctl(fd, LOOP_GET_STATUS64, &info) && same_file(&info, st, o) &&
		    fits(fd, st, o) && shows(fd, generation))
			break;
		close(fd);
		fd = -1;
	}
	if (dir)
		closedir(dir);
	return fd;
}

static int configure(int loop, int file, const char *path, u32 block, const struct mount_opts *o)
{
	struct loop_config c = {
		.fd = file, .block_size = block,
		.info = {
			.lo_offset = o->offset, .lo_sizelimit = o->sizelimit,
			.lo_flags = LO_FLAGS_READ_ONLY | LO_FLAGS_AUTOCLEAR |
				    LO_FLAGS_DIRECT_IO,
		},
	};

	snprintf((char *)c.info.lo_file_name, LO_NAME_SIZE, "%s", path);
	if (!ioctl(loop, LOOP_CONFIGURE, &c))
		return 0;
	if (errno != EINVAL)
		return -errno;
	c.info.lo_flags &= ~LO_FLAGS_DIRECT_IO;
	return ioctl(loop, LOOP_CONFIGURE, &c) ? -errno : 0;
}

/* other processes look for a free device, too; the first one to configure it gets it */
static int take_free(int file, const char *path, u32 block, const struct mount_opts *o,
		     char name[64])
{
	int ctl = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int fd = -1, n, ret, i;

	if (ctl < 0)
		return -errno;
	for (i = 0, ret = -EBUSY; i < TRIES && ret == -EBUSY; i++) {
		n = ioctl(ctl, LOOP_CTL_GET_FREE);
		if (n < 0) {
			ret = -errno;
			break;
		}
		snprintf(name, 64, "/dev/loop%d", n);
		fd = open(name, O_RDONLY | O_CLOEXEC);
		if (fd < 0) {
			ret = -errno;
			break;
		}
		ret = configure(fd, file, path, block, o);
		if (ret)
			close(fd);
	}
	close(ctl);
	return ret ? ret : fd;
}

/* The generation that a mount would show; 0: the image does not say */
static u64 generation_wanted(const struct image *img, const struct mount_opts *o)
{
	/* an invalid image is reported by the kernel */
	return o->generation || img->ret || !img->geo ? o->generation : img->geo->generation;
}

int loop_attach(const struct image *img, const struct mount_opts *o, char name[64])
{
	struct stat st;
	int file = open(img->path, O_RDONLY | O_CLOEXEC);
	int fd;

	if (file < 0 || fstat(file, &st)) {
		msg_error(img->path, "open: %s", msg_why(errno));
		if (file >= 0)
			close(file);
		return -1;
	}
	/* EROFS shares no device with the module */
	fd = o->driver != DRIVER_MODULE ? -1 :
	     find_attached(&st, o, generation_wanted(img, o), name);
	if (fd < 0)
		fd = take_free(file, img->path, block_size(img, o), o, name);
	close(file);
	if (fd < 0)
		return msg_error(img->path, "no loop device: %s", msg_why(-fd));
	return fd;
}

int loop_attach_fd(int file, const char *path, char name[64])
{
	const struct mount_opts all = { 0 };
	int fd = take_free(file, path, 4096, &all, name);

	if (fd >= 0)
		return fd;
	return msg_error(path, "no loop device: %s", msg_why(-fd));
}
