// SPDX-License-Identifier: GPL-2.0
/*
 * The bytes of an image, in a file or on a block device: the only place where
 * the tools touch it, so that tests can put memory in its stead.
 */
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "image_io.h"
#include "msg.h"

static int image_length(struct image *img)
{
	struct stat st;

	if (fstat(img->fd, &st))
		return -errno;
	if (S_ISREG(st.st_mode)) {
		img->bytes = st.st_size;
		return 0;
	}
	if (!S_ISBLK(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -ENOTBLK;
	return ioctl(img->fd, BLKGETSIZE64, &img->bytes) ? -errno : 0;
}

int image_io_open(struct image *img)
{
	int ret;

	img->fd = open(img->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (img->fd < 0) {
		ret = -errno;
		msg_error(img->path, "open: %s", msg_why(-ret));
		return ret;
	}
	ret = image_length(img);
	if (ret) {
		if (ret == -ENOTBLK)
			msg_error(img->path, "neither a file nor a block device");
		else
			msg_error(img->path, "size: %s", msg_why(-ret));
		image_io_close(img);
	}
	return ret;
}

void image_io_close(struct image *img)
{
	close(img->fd);
	img->fd = -1;
}

int image_pread(const struct image *img, void *buf, size_t len, u64 pos)
{
	char *at = buf;
	ssize_t n;

	while (len) {
		n = pread(img->fd, at, len, pos);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		at += n;
		pos += n;
		len -= n;
	}
	return 0;
}

u64 image_next_data(const struct image *img, u64 pos)
{
	off_t data = lseek(img->fd, pos, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? UINT64_MAX : pos;
	return data;
}
