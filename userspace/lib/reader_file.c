// SPDX-License-Identifier: GPL-2.0
/*
 * A reader of a file or a block device: the only place where the bytes of an image are read.
 *
 * READ_ONCE is for a daemon whose readers' bytes the kernel keeps already, as the files of a
 * mount by FUSE.  In the page cache the image would take the same memory once more, and to
 * bring it in and to drop it costs more processor time than the rest of a read.  So what is
 * not in the page cache is read past it (O_DIRECT), small reads of any alignment by a copy.  What
 * is there, or cannot be read so, is read through it and dropped; reads in the order of the image
 * are read ahead there (run.c).
 */
#include <fcntl.h>
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

/* Read at a time for reader_file_hold(), and what is small: a copy costs less than a call */
#define HOLD_BYTES	(64 << 10)
#define HOLD_SMALL	(16 << 10)

/**
 * struct file_reader - a file
 * @once: READ_ONCE is not to stay in the page cache
 * @refused: the file system takes no reads past the page cache, which open(2) need not tell
 * @direct: of the same file, past the page cache; -1: none
 * @page: bytes of a page
 * @map: all of the file, never touched but asked about: one that is cut short would be
 *	answered with SIGBUS.  MAP_FAILED: none
 * @run: small reads in order
 * @held: of reader_file_hold(): @held_len bytes at @held_pos; NULL: it was not called
 */
struct file_reader {
	struct dsfs_reader r;
	int fd;
	bool once;
	bool refused;
	int direct;
	size_t page;
	u8 *map;
	struct reader_run run;
	u8 *held;
	u64 held_pos;
	size_t held_len;
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

/* pread(2) past the page cache: whether that read as much */
static bool direct(struct file_reader *f, const struct iovec *iov, int n, u64 pos, size_t len)
{
	const ssize_t got = preadv(f->direct, iov, n, pos);

	if (got < 0 && (errno == EINVAL || errno == EOPNOTSUPP))
		__atomic_store_n(&f->refused, true, __ATOMIC_RELAXED);
	return got >= (ssize_t)len;
}

/* A part of a block at the end goes through @tail: @buf may have no room. */
static bool read_direct(struct file_reader *f, u8 *buf, size_t len, u64 pos)
{
	u8 tail[READ_ALIGN] __aligned(READ_ALIGN);
	const size_t rest = len % READ_ALIGN, whole = len - rest;
	const struct iovec iov[2] = { { buf, whole }, { tail, sizeof(tail) } };

	if (!direct(f, whole ? iov : iov + 1, !!whole + !!rest, pos, len))
		return false;
	memcpy(buf + whole, tail, rest);
	return true;
}

/* Whole blocks are read aside, and a part of them copied. */
static bool read_aside(struct file_reader *f, const struct iovec *iov, int n, size_t len, u64 pos)
{
	u8 blocks[8 * READ_ALIGN] __aligned(READ_ALIGN);
	const size_t skip = pos % READ_ALIGN;
	const struct iovec v = { blocks, (skip + len + READ_ALIGN - 1) & ~(READ_ALIGN - 1ull) };
	const u8 *from = blocks + skip;

	if (v.iov_len > sizeof(blocks) || !direct(f, &v, 1, pos - skip, skip + len))
		return false;
	for (int i = 0; i < n; from += iov[i++].iov_len)
		if (iov[i].iov_len)
			memcpy(iov[i].iov_base, from, iov[i].iov_len);
	return true;
}

static bool read_past(struct file_reader *f, const struct iovec *iov, int n, size_t len, u64 pos)
{
	u8 *buf = pos % READ_ALIGN ? NULL : only_buffer(iov, n, len);

	if (__atomic_load_n(&f->refused, __ATOMIC_RELAXED) || has_page(f, pos))
		return false;
	return buf ? read_direct(f, buf, len, pos) : read_aside(f, iov, n, len, pos);
}

/*
 * Take a read of a run out of what is held, which is read on where it ends.  Return: whether that
 * was possible.
 */
static bool read_held(struct file_reader *f, const struct iovec *iov, int n, size_t len, u64 pos)
{
	const u64 end = f->held_pos + f->held_len;
	const u8 *from;
	ssize_t got;

	if (len <= HOLD_SMALL && pos >= f->held_pos && pos + len > end) {
		got = pread(f->fd, f->held, HOLD_BYTES, pos);
		f->held_pos = pos;
		f->held_len = got < 0 ? 0 : got;
	}
	if (pos < f->held_pos || pos + len > f->held_pos + f->held_len)
		return false;
	from = f->held + (pos - f->held_pos);
	for (int i = 0; i < n; from += iov[i++].iov_len)
		if (iov[i].iov_len)
			memcpy(iov[i].iov_base, from, iov[i].iov_len);
	return true;
}

static int file_read(struct dsfs_reader *r, const struct iovec *iov, int n, size_t len, u64 pos,
		     unsigned int flags)
{
	struct file_reader *f = file_of(r);
	const bool once = f->once && flags & READ_ONCE;
	struct reader_step step;
	int ret;

	run_read(&f->run, pos, len, false, &step);
	file_ahead(r, step.ahead, step.ahead_len);
	if (f->once)
		file_drop(r, step.drop, step.drop_len);
	if (f->held && step.inside && read_held(f, iov, n, len, pos))
		return 0;
	if (once && !step.inside && read_past(f, iov, n, len, pos))
		return 0;
	/* Read through the page cache: that works if only O_DIRECT failed, or gives the error. */
	ret = read_cached(f->fd, iov, n, len, pos);
	if (once && !step.inside)
		file_drop(r, pos, len);
	return ret;
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

	if (f->once)
		file_drop(r, f->run.kept, f->run.ahead - f->run.kept);
	if (f->map != MAP_FAILED)
		munmap(f->map, f->r.bytes);
	if (f->direct >= 0)
		close(f->direct);
	close(f->fd);
	free(f->held);
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
	if (S_ISDIR(st.st_mode)) {
		*what = "expected an image: a file, a block device or an address";
		return -EISDIR;
	}
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
	run_init(&f->run, RUN_WINDOW);
	*out = &f->r;
	return 0;
}

int reader_file_at(int dir, const char *path, struct dsfs_reader **out, const char **what)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	*what = "open";
	return fd < 0 ? -errno : new_reader(fd, out, what);
}

int reader_file(const char *path, struct dsfs_reader **out, const char **what)
{
	return reader_file_at(AT_FDCWD, path, out, what);
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

void reader_file_hold(struct dsfs_reader *r)
{
	if (r->ops == &file_ops && !file_of(r)->held)
		file_of(r)->held = malloc(HOLD_BYTES);
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
