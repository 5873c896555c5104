// SPDX-License-Identifier: GPL-2.0
/*
 * How much of a file is in the page cache: cachestat(2), which Linux has from 6.5 on,
 * and mincore(2) before.  Neither answers every user: to one who could not write to the file,
 * mincore(2) says that all of it is there.  A read that must not wait (RWF_NOWAIT) would answer
 * any user, but it begins to read what is missing, and so changes the answer.
 *
 * On overlayfs cachestat(2) looks at a file that never has pages, and answers 0; a mapping
 * is one of the real file.
 *
 * sendfile(2) to /dev/null brings data in: it waits for pages and reports errors, but moves
 * references to pages and copies nothing.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "cached.h"

#ifndef __NR_cachestat
#define __NR_cachestat 451
#endif

#define COPY		(256 << 10)

/* OVERLAYFS_SUPER_MAGIC, which older headers lack */
#define OVERLAY_MAGIC 0x794c7630

/* Definitions of the kernel, which headers of libc may lack */
struct range {
	__u64 off;
	__u64 len;
};

struct counts {
	__u64 cached;
	__u64 dirty;
	__u64 writeback;
	__u64 evicted;
	__u64 recently_evicted;
};

static bool is_overlay(int fd)
{
	struct statfs st;

	return !fstatfs(fd, &st) && (u32)st.f_type == OVERLAY_MAGIC;
}

static s64 by_cachestat(int fd, u64 pos, u64 len)
{
	struct range range = { .off = pos, .len = len };
	struct counts counts;

	if (is_overlay(fd) || syscall(__NR_cachestat, fd, &range, &counts, 0))
		return -1;
	return counts.cached;
}

/* Whether it owns the file, or has CAP_FOWNER: as mincore(2) asks, O_NOATIME asks, too. */
static bool mincore_is_true(int fd)
{
	const int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && !fcntl(fd, F_SETFL, flags | O_NOATIME);
}

static s64 by_mincore(int fd, u64 pos, u64 len, u64 page)
{
	const size_t pages = (len + page - 1) / page;
	unsigned char *there;
	s64 n = -1;
	void *map;

	if (!mincore_is_true(fd))
		return -1;
	map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, pos);
	if (map == MAP_FAILED)
		return -1;
	there = malloc(pages);
	if (there && !mincore(map, len, there)) {
		n = 0;
		for (size_t i = 0; i < pages; i++)
			n += there[i] & 1;
	}
	free(there);
	munmap(map, len);
	return n;
}

s64 cached_bytes(int fd, u64 size, u64 pos, u64 len)
{
	const u64 page = sysconf(_SC_PAGESIZE);
	s64 n;

	if (pos >= size)
		return 0;
	if (len > size - pos)
		len = size - pos;
	if (!len)
		return 0;
	n = by_cachestat(fd, pos, len);
	if (n < 0)
		n = by_mincore(fd, pos, len, page);
	if (n < 0)
		return -1;
	return n * page < len ? n * page : len;
}

int cached_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOATIME);

	/* only the owner may read without a new access time */
	if (fd < 0 && errno == EPERM)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd;
}

/* Read a range by pread(2), for files and systems where sendfile(2) to /dev/null fails. */
static int copy_range(int fd, u64 pos, u64 end)
{
	char *buf = malloc(COPY);
	ssize_t n = 0;

	if (!buf)
		return -ENOMEM;
	for (; pos < end; pos += n) {
		n = pread(fd, buf, COPY, pos);
		if (n <= 0)
			break;
	}
	free(buf);
	return n < 0 ? -errno : 0;
}

int cached_bring(int null, int fd, u64 pos, u64 len)
{
	const u64 end = pos + len;
	off_t at = pos;
	ssize_t n;

	if (null < 0)
		return copy_range(fd, pos, end);
	while ((u64)at < end) {
		n = sendfile(null, fd, &at, end - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EINVAL)
			return copy_range(fd, at, end);
		if (n < 0)
			return -errno;
		/* the file has become shorter */
		if (!n)
			break;
	}
	return 0;
}
