// SPDX-License-Identifier: GPL-2.0
/*
 * The bytes of an image, in a file or on a block device: the only place where
 * it is touched, so that tests can put memory in its stead.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/uio.h>
#include <unistd.h>

#include "internal.h"

int image_io_length(struct image *img, const char **what)
{
	struct stat st;

	*what = "size";
	if (fstat(img->fd, &st))
		return -errno;
	if (S_ISREG(st.st_mode)) {
		img->bytes = st.st_size;
		return 0;
	}
	if (S_ISBLK(st.st_mode))
		return ioctl(img->fd, BLKGETSIZE64, &img->bytes) ? -errno : 0;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	*what = "neither a file nor a block device";
	return -ENOTBLK;
}

int image_io_open(struct image *img, const char **what)
{
	int ret;

	*what = "open";
	img->fd = open(img->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (img->fd < 0)
		return -errno;
	ret = image_io_length(img, what);
	if (ret)
		image_close(img);
	return ret;
}

void image_close(struct image *img)
{
	close(img->fd);
	img->fd = -1;
}

int image_pread(const struct image *img, void *buf, size_t len, u64 pos)
{
	char *at = buf;
	ssize_t n;

	while (len) {
		n = pread(img->fd, at, len, img->start + pos);
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

/* What a single call does not bring in is read piece by piece. */
int image_preadv(const struct image *img, const struct iovec *iov, int n, size_t len,
		 u64 pos)
{
	int i, ret = 0;

	if (preadv(img->fd, iov, n, img->start + pos) == len)
		return 0;
	for (i = 0; !ret && i < n; i++) {
		ret = image_pread(img, iov[i].iov_base, iov[i].iov_len, pos);
		pos += iov[i].iov_len;
	}
	return ret;
}

u64 image_next_data(const struct image *img, u64 pos)
{
	off_t data = lseek(img->fd, img->start + pos, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? UINT64_MAX : pos;
	return data - img->start;
}
