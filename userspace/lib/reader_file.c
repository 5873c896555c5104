// SPDX-License-Identifier: GPL-2.0
/*
 * A reader of a file or a block device: the only place where the bytes of an image are read.
 *
 * READ_ONCE is for a daemon whose readers' bytes the kernel keeps already, as the files of a
 * mount by FUSE.  In the page cache the image would take the same memory once more, and to
 * bring it in and to drop it costs more processor time than the rest of a read.  So what is
 * not in the page cache is read past it (O_DIRECT).  What is there, or cannot be read so for
 * its alignment, its buffers or the file system, is read through it and dropped.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <unistd.h>

#include "reader.h"

/*
 * The kernel follows one advice no further than the device's readahead goes, 128 KiB if
 * nobody has set it.
 */
#define ADVICE_BYTES	(128 << 10)

/**
 * struct file_reader - a file
 * @once: READ_ONCE is not to stay in the page cache
 * @refused: the file system takes no reads past the page cache, which open(2) need not tell
 * @direct: of the same file, past the page cache; -1: none
 * @page: bytes of a page
 * @map: all of the file, never touched but asked about: one that is cut short would be
 *	answered with SIGBUS.  MAP_FAILED: none
 */
struct file_reader {
	struct dsfs_reader r;
	int fd;
	bool once;
	bool refused;
	int direct;
	size_t page;
	u8 *map;
};

static struct file_reader *file_of(struct dsfs_reader *r)
{
	return container_of(r, struct file_reader, r);
}

static int read_all(int fd, char *at, size_t len, u64 pos)
{
	ssize_t n;

	for (; len; at += n, pos += n, len -= n) {
		n = pread(fd, at, len, pos);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			return n ? -errno : -EIO;
	}
	return 0;
}

/* Read by one call, or if that reads less, piece by piece. */
static int read_cached(int fd, const struct iovec *iov, int n, size_t len, u64 pos)
{
	int i, ret = 0;

	if (n > 1 && preadv(fd, iov, n, pos) == len)
		return 0;
	for (i = 0; !ret && i < n; i++) {
		ret = read_all(fd, iov[i].iov_base, iov[i].iov_len, pos);
		pos += iov[i].iov_len;
	}
	return ret;
}

/* Ask for a page; to a user who may not know, the kernel answers "yes". */
static bool has_page(const struct file_reader *f, u64 pos)
{
	unsigned char has = 1;

	if (pos < f->r.bytes)
		mincore(f->map + (pos - pos % f->page), 1, &has);
	return has & 1;
}

/* Only the first page is asked for: the others are read and dropped together with it. */
static bool file_has(struct dsfs_reader *r, u64 pos)
{
	struct file_reader *f = file_of(r);

	return f->once && f->map != MAP_FAILED && has_page(f, pos);
}

static void file_drop(struct dsfs_reader *r, u64 pos, u64 len)
{
	if (len)
		posix_fadvise(file_of(r)->fd, pos, len, POSIX_FADV_DONTNEED);
}

static void file_ahead(struct dsfs_reader *r, u64 pos, u64 len)
{
	u64 n;

	for (; len; pos += n, len -= n) {
		n = len < ADVICE_BYTES ? len : ADVICE_BYTES;
		if (posix_fadvise(file_of(r)->fd, pos, n, POSIX_FADV_WILLNEED))
			return;
	}
}

/* Get the one buffer of a read, if its alignment allows O_DIRECT; NULL: there is no such one. */
static u8 *only_buffer(const struct iovec *iov, int n, size_t len)
{
	int i;

	for (i = 0; i < n && !iov[i].iov_len; i++)
		;
	if (i == n || iov[i].iov_len != len)
		return NULL;
	return (uintptr_t)iov[i].iov_base % READ_ALIGN ? NULL : iov[i].iov_base;
}

/* Read with O_DIRECT.  A part of a block at the end goes through @tail: @buf may have no room. */
static bool read_direct(struct file_reader *f, u8 *buf, size_t len, u64 pos)
{
	u8 tail[READ_ALIGN] __aligned(READ_ALIGN);
	const size_t rest = len % READ_ALIGN, whole = len - rest;
	const struct iovec iov[2] = { { buf, whole }, { tail, sizeof(tail) } };
	ssize_t n;

	n = preadv(f->direct, whole ? iov : iov + 1, !!whole + !!rest, pos);
	if (n < 0 && (errno == EINVAL || errno == EOPNOTSUPP))
		__atomic_store_n(&f->refused, true, __ATOMIC_RELAXED);
	if (n < (ssize_t)len)
		return false;
	memcpy(buf + whole, tail, rest);
	return true;
}

static int read_once(struct file_reader *f, const struct iovec *iov, int n, size_t len, u64 pos)
{
	u8 *buf = pos % READ_ALIGN ? NULL : only_buffer(iov, n, len);
	int ret;

	if (buf && !__atomic_load_n(&f->refused, __ATOMIC_RELAXED) && !has_page(f, pos) &&
	    read_direct(f, buf, len, pos))
		return 0;
	/* Read through the page cache: that works if only O_DIRECT failed, or gives the error. */
	ret = read_cached(f->fd, iov, n, len, pos);
	file_drop(&f->r, pos, len);
	return ret;
}

static int file_read(struct dsfs_reader *r, const struct iovec *iov, int n, size_t len, u64 pos,
		     unsigned int flags)
{
	struct file_reader *f = file_of(r);

	if (f->once && flags & READ_ONCE)
		return read_once(f, iov, n, len, pos);
	return read_cached(f->fd, iov, n, len, pos);
}

static u64 file_next_data(struct dsfs_reader *r, u64 pos)
{
	off_t data = lseek(file_of(r)->fd, pos, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? UINT64_MAX : pos;
	return data;
}

static void file_close(struct dsfs_reader *r)
{
	struct file_reader *f = file_of(r);

	if (f->map != MAP_FAILED)
		munmap(f->map, f->r.bytes);
	if (f->direct >= 0)
		close(f->direct);
	close(f->fd);
	free(f);
}

static const struct dsfs_reader_ops file_ops = {
	.read = file_read,
	.ahead = file_ahead,
	.drop = file_drop,
	.has = file_has,
	.next_data = file_next_data,
	.close = file_close,
};

static int find_length(int fd, u64 *bytes, const char **what)
{
	struct stat st;

	*what = "size";
	if (fstat(fd, &st))
		return -errno;
	if (S_ISREG(st.st_mode)) {
		*bytes = st.st_size;
		return 0;
	}
	if (S_ISBLK(st.st_mode))
		return ioctl(fd, BLKGETSIZE64, bytes) ? -errno : 0;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	*what = "neither a file nor a block device";
	return -ENOTBLK;
}

/* @fd becomes the reader's, or is closed. */
static int new_reader(int fd, struct dsfs_reader **out, const char **what)
{
	struct file_reader *f;
	u64 bytes;
	int ret = find_length(fd, &bytes, what);

	f = ret ? NULL : malloc(sizeof(*f));
	if (!f) {
		close(fd);
		return ret ? ret : -ENOMEM;
	}
	*f = (struct file_reader){
		.r = { .ops = &file_ops, .bytes = bytes },
		.fd = fd, .direct = -1, .map = MAP_FAILED,
	};
	*out = &f->r;
	return 0;
}

int reader_file(const char *path, struct dsfs_reader **out, const char **what)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*what = "open";
	return fd < 0 ? -errno : new_reader(fd, out, what);
}

int reader_fd(int fd, struct dsfs_reader **out, const char **what)
{
	*what = "descriptor";
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? -errno : new_reader(fd, out, what);
}

int reader_descriptor(const struct dsfs_reader *r)
{
	return r->ops == &file_ops ? file_of((struct dsfs_reader *)r)->fd : -1;
}

static int open_direct(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
}

void reader_file_once(struct dsfs_reader *r)
{
	struct file_reader *f = file_of(r);

	f->once = true;
	f->page = sysconf(_SC_PAGESIZE);
	f->direct = open_direct(f->fd);
	if (f->direct >= 0 && r->bytes == (size_t)r->bytes)
		f->map = mmap(NULL, r->bytes, PROT_READ, MAP_SHARED, f->fd, 0);
	/* without the map nothing is known of the page cache: read through it, and drop all */
	f->refused = f->map == MAP_FAILED;
}
