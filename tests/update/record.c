// SPDX-License-Identifier: GPL-2.0
/*
 * record - a library for LD_PRELOAD that records the writes to one file, in order.
 *
 * A power failure must be tested at every point of an update.  For that each write
 * has to be known, with its bytes, and each flush.
 *
 *   RECORD_FILE=PATH	the file or device
 *   RECORD_LOG=PATH	where records go: a line "write POS LEN", "truncate LEN"
 *			or "flush", behind "write" its bytes
 *
 * A record is made behind the call, when it has succeeded.  Writes of several
 * threads are in the order in which they ended; all that counts is which flush
 * they came before.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE *records;
static struct stat target;

static void __attribute__((constructor)) begin(void)
{
	const char *path = getenv("RECORD_FILE"), *to = getenv("RECORD_LOG");

	if (!path || !to || stat(path, &target))
		return;
	records = fopen(to, "we");
	if (!records)
		abort();
}

static int is_target(int fd)
{
	struct stat st;

	return records && !fstat(fd, &st) && st.st_dev == target.st_dev &&
	       st.st_ino == target.st_ino;
}

static void record(const char *line, const void *p, size_t bytes)
{
	pthread_mutex_lock(&lock);
	if (fputs(line, records) < 0 || fwrite(p, 1, bytes, records) != bytes ||
	    fflush(records))
		abort();
	pthread_mutex_unlock(&lock);
}

static ssize_t recorded_write(int fd, const void *p, size_t bytes, off_t pos,
			      const char *name)
{
	ssize_t (*real)(int, const void *, size_t, off_t) = dlsym(RTLD_NEXT, name);
	ssize_t n = real(fd, p, bytes, pos);
	char line[80];

	if (n > 0 && is_target(fd)) {
		snprintf(line, sizeof(line), "write %lld %zd\n", (long long)pos, n);
		record(line, p, n);
	}
	return n;
}

ssize_t pwrite(int fd, const void *p, size_t bytes, off_t pos)
{
	return recorded_write(fd, p, bytes, pos, "pwrite");
}

ssize_t pwrite64(int fd, const void *p, size_t bytes, off_t pos)
{
	return recorded_write(fd, p, bytes, pos, "pwrite64");
}

/* What the kernel copies has no bytes to record, so it does not copy to the file. */
ssize_t copy_file_range(int from, off64_t *from_pos, int to, off64_t *to_pos, size_t bytes,
			unsigned int flags)
{
	ssize_t (*real)(int, off64_t *, int, off64_t *, size_t, unsigned int) =
		dlsym(RTLD_NEXT, "copy_file_range");

	if (!is_target(to))
		return real(from, from_pos, to, to_pos, bytes, flags);
	errno = EXDEV;
	return -1;
}

/* Nor do blocks become the file's. */
int ioctl(int fd, unsigned long request, ...)
{
	int (*real)(int, unsigned long, void *) = dlsym(RTLD_NEXT, "ioctl");
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (request != FICLONERANGE || !is_target(fd))
		return real(fd, request, arg);
	errno = EOPNOTSUPP;
	return -1;
}

/* Each part is a write of its own: more places to be cut off at. */
static ssize_t recorded_writev(int fd, const struct iovec *parts, int n,
			       off_t pos, const char *name)
{
	ssize_t (*real)(int, const struct iovec *, int, off_t) =
		dlsym(RTLD_NEXT, name);
	ssize_t ret = real(fd, parts, n, pos), left = ret;
	char line[80];

	if (ret <= 0 || !is_target(fd))
		return ret;
	for (int i = 0; i < n && left > 0; i++) {
		ssize_t part = left;

		if ((size_t)part > parts[i].iov_len)
			part = parts[i].iov_len;
		snprintf(line, sizeof(line), "write %lld %zd\n", (long long)pos,
			 part);
		record(line, parts[i].iov_base, part);
		pos += part;
		left -= part;
	}
	return ret;
}

ssize_t pwritev(int fd, const struct iovec *parts, int n, off_t pos)
{
	return recorded_writev(fd, parts, n, pos, "pwritev");
}

ssize_t pwritev64(int fd, const struct iovec *parts, int n, off_t pos)
{
	return recorded_writev(fd, parts, n, pos, "pwritev64");
}

static int recorded_truncate(int fd, off_t bytes, const char *name)
{
	int (*real)(int, off_t) = dlsym(RTLD_NEXT, name);
	int ret = real(fd, bytes);
	char line[80];

	if (!ret && is_target(fd)) {
		snprintf(line, sizeof(line), "truncate %lld\n", (long long)bytes);
		record(line, "", 0);
	}
	return ret;
}

int ftruncate(int fd, off_t bytes)
{
	return recorded_truncate(fd, bytes, "ftruncate");
}

int ftruncate64(int fd, off_t bytes)
{
	return recorded_truncate(fd, bytes, "ftruncate64");
}

static int recorded_sync(int fd, const char *name)
{
	int (*real)(int) = dlsym(RTLD_NEXT, name);
	int ret = real(fd);

	if (!ret && is_target(fd))
		record("flush\n", "", 0);
	return ret;
}

int fsync(int fd)
{
	return recorded_sync(fd, "fsync");
}

int fdatasync(int fd)
{
	return recorded_sync(fd, "fdatasync");
}
