// SPDX-License-Identifier: GPL-2.0
/*
 * Reads of what nobody reads again, as the kernel keeps the files of a mount by FUSE: in the
 * page cache it would take the same memory once more, and to bring it in there and to drop
 * it costs more processor time than the rest of a read.  So what is not there is read past
 * it (O_DIRECT).
 *
 * What is there, or cannot be read so for its alignment, its buffers or the file system, is
 * read through the page cache and dropped.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "internal.h"

/**
 * struct image_once - a second way to an image
 * @fd: of the same file, past the page cache
 * @page: bytes of a page
 * @map: @bytes of the file, never touched but asked about: one that is cut short would be
 *	answered with SIGBUS
 * @refused: the file system takes no such reads, which open(2) need not tell
 */
struct image_once {
	int fd;
	size_t page;
	size_t bytes;
	u8 *map;
	bool refused;
};

static int open_direct(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
}

void image_once_open(struct image *img)
{
	const u64 bytes = img->start + img->bytes;
	struct image_once *o = calloc(1, sizeof(*o));

	if (!o)
		return;
	o->page = sysconf(_SC_PAGESIZE);
	o->bytes = bytes;
	o->fd = open_direct(img->fd);
	o->map = MAP_FAILED;
	if (o->fd >= 0 && o->bytes == bytes)
		o->map = mmap(NULL, o->bytes, PROT_READ, MAP_SHARED, img->fd, 0);
	/* It is known then that pages are to be dropped, and no more. */
	o->refused = o->map == MAP_FAILED;
	img->once = o;
}

void image_once_close(struct image *img)
{
	struct image_once *o = img->once;

	if (!o)
		return;
	if (o->map != MAP_FAILED)
		munmap(o->map, o->bytes);
	if (o->fd >= 0)
		close(o->fd);
	free(o);
	img->once = NULL;
}

/* Whom the kernel does not tell, it tells that the page is there. */
static bool has_page(const struct image_once *o, u64 at)
{
	unsigned char there = 1;

	if (at < o->bytes)
		mincore(o->map + (at - at % o->page), 1, &there);
	return there & 1;
}

/* The first page is asked about: the others were read with it, and are dropped with it. */
bool image_is_cached(const struct image *img, u64 pos)
{
	const struct image_once *o = img->once;

	return o && o->map != MAP_FAILED && has_page(o, img->start + pos);
}

void image_drop(const struct image *img, u64 pos, u64 len)
{
	if (img->once && len)
		posix_fadvise(img->fd, img->start + pos, len, POSIX_FADV_DONTNEED);
}

/* Whole blocks go to @buf; of the last one, which may be a part, @buf has no room for all. */
static bool read_direct(struct image_once *o, u8 *buf, size_t len, u64 at)
{
	u8 tail[IMAGE_ONCE_ALIGN] __aligned(IMAGE_ONCE_ALIGN);
	const size_t rest = len % IMAGE_ONCE_ALIGN, whole = len - rest;
	const struct iovec iov[2] = { { buf, whole }, { tail, sizeof(tail) } };
	ssize_t n;

	n = preadv(o->fd, whole ? iov : iov + 1, !!whole + !!rest, at);
	if (n < 0 && (errno == EINVAL || errno == EOPNOTSUPP))
		__atomic_store_n(&o->refused, true, __ATOMIC_RELAXED);
	if (n < (ssize_t)len)
		return false;
	memcpy(buf + whole, tail, rest);
	return true;
}

/* The only buffer that has room, if it may be read into past the page cache. */
static u8 *only_buffer(const struct iovec *iov, int n, size_t len)
{
	int i;

	for (i = 0; i < n && !iov[i].iov_len; i++)
		;
	if (i == n || iov[i].iov_len != len)
		return NULL;
	return (uintptr_t)iov[i].iov_base % IMAGE_ONCE_ALIGN ? NULL : iov[i].iov_base;
}

int image_preadv_once(const struct image *img, const struct iovec *iov, int n, size_t len,
		      u64 pos)
{
	struct image_once *o = img->once;
	const u64 at = img->start + pos;
	u8 *buf;
	int ret;

	if (!o)
		return image_preadv(img, iov, n, len, pos);
	buf = at % IMAGE_ONCE_ALIGN ? NULL : only_buffer(iov, n, len);
	if (buf && !__atomic_load_n(&o->refused, __ATOMIC_RELAXED) &&
	    !has_page(o, at) && read_direct(o, buf, len, at))
		return 0;
	/* What is wrong with it, if it is not only the way, this tells. */
	ret = image_preadv(img, iov, n, len, pos);
	image_drop(img, pos, len);
	return ret;
}
