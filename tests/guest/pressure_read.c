// SPDX-License-Identifier: GPL-2.0
/*
 * The readers of pressure: each round opens a file, reads some of it in one way
 * and compares it.  They run at the same time, so no reader assumes that anything
 * is cached.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "pressure.h"
#include "ring.h"

#ifndef RWF_NOWAIT
#define RWF_NOWAIT	0x00000008
#endif

static unsigned char *buf;

static uint64_t pick(void)
{
	if (!buf && posix_memalign((void **)&buf, PAGE, ROOM))
		t_die("memory", "posix_memalign");
	return pressure_random(pressure_opts.files);
}

static int pick_open(struct t_case *c, uint64_t *file, int flags)
{
	*file = pick();
	return pressure_open(c, pressure_opts.dir, *file, flags);
}

/* What a read of @len at @pos gave. */
static void compare(struct t_case *c, uint64_t file, uint64_t pos, size_t len, ssize_t n)
{
	uint64_t size = pressure_size(file);
	size_t want = pos >= size ? 0 : len < size - pos ? len : size - pos;

	if (t_check(c, n == (ssize_t)want, pressure_name("", file),
		    "%zd bytes at %llu instead of %zu: %s", n, (unsigned long long)pos, want,
		    n < 0 ? strerror(errno) : ""))
		pressure_same(c, file, buf, pos, want);
}

static void by_read(struct t_case *c)
{
	pressure_whole(c, pressure_opts.dir, pick());
}

static void by_pread(struct t_case *c)
{
	uint64_t file, pos;
	size_t len;
	int fd = pick_open(c, &file, 0), i;

	if (fd < 0)
		return;
	for (i = 0; i < 8; i++) {
		pos = pressure_random(pressure_size(file) + 5000);
		len = 1 + pressure_random(i % 2 ? 100000 : 5000);
		compare(c, file, pos, len, pread(fd, buf, len, pos));
	}
	if (pressure_random(2))
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
}

static void by_loader(struct t_case *c)
{
	uint64_t file, pos = 0;
	size_t step = 4096;
	ssize_t n;
	int fd = pick_open(c, &file, 0);

	if (fd < 0)
		return;
	do {
		n = read(fd, buf, step);
		compare(c, file, pos, step, n);
		pos += n > 0 ? n : 0;
		step = step == 4096 ? 61440 : 65536;
	} while (n > 0);
	close(fd);
}

static void by_hint(struct t_case *c)
{
	uint64_t file;
	int fd = pick_open(c, &file, 0);

	if (fd < 0)
		return;
	posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED);
	compare(c, file, 0, 100000, pread(fd, buf, 100000, 0));
	close(fd);
}

static void by_random(struct t_case *c)
{
	uint64_t file, pos;
	int fd = pick_open(c, &file, 0), i;

	if (fd < 0)
		return;
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	for (i = 0; i < 4; i++) {
		pos = pressure_random(pressure_size(file));
		compare(c, file, pos, 4096, pread(fd, buf, 4096, pos));
	}
	close(fd);
}

static void by_nowait(struct t_case *c)
{
	struct iovec v;
	uint64_t file, pos;
	ssize_t n;
	int fd = pick_open(c, &file, 0);

	if (fd < 0)
		return;
	pos = pressure_random(pressure_size(file));
	v = (struct iovec){ buf, 30000 };
	n = preadv2(fd, &v, 1, pos, RWF_NOWAIT);
	/* Nothing, or as much as is cached, but no wrong byte. */
	if (n < 0)
		t_check(c, errno == EAGAIN, pressure_name("", file), "RWF_NOWAIT: %s",
			strerror(errno));
	else
		pressure_same(c, file, buf, pos, n);
	compare(c, file, pos, 30000, pread(fd, buf, 30000, pos));
	close(fd);
}

static void by_splice(struct t_case *c)
{
	uint64_t file, at;
	off_t pos;
	ssize_t n;
	int fd = pick_open(c, &file, 0), p[2];

	if (fd < 0)
		return;
	if (pipe2(p, O_CLOEXEC))
		t_die("pipe", "pipe2");
	pos = pressure_random(pressure_size(file));
	for (;;) {
		at = pos;
		n = splice(fd, &pos, p[1], NULL, 32768, 0);
		if (!t_check(c, n >= 0, pressure_name("", file), "splice: %s", strerror(errno)) ||
		    !n)
			break;
		t_check(c, read(p[0], buf, ROOM) == n, pressure_name("", file), "pipe: %s",
			strerror(errno));
		pressure_same(c, file, buf, at, n);
	}
	t_check(c, pos == (off_t)pressure_size(file), pressure_name("", file),
		"splice ended at %lld", (long long)pos);
	close(p[0]);
	close(p[1]);
	close(fd);
}

static void by_sendfile(struct t_case *c)
{
	static int to = -1;
	uint64_t file;
	off_t pos;
	ssize_t n;
	int fd = pick_open(c, &file, 0);

	if (fd < 0)
		return;
	if (to < 0)
		to = memfd_create("to", MFD_CLOEXEC);
	if (to < 0 || ftruncate(to, 0) || lseek(to, 0, SEEK_SET))
		t_die("memfd", "sendfile");
	pos = pressure_random(pressure_size(file));
	n = sendfile(to, fd, &(off_t){ pos }, 200000);
	if (t_check(c, n > 0, pressure_name("", file), "sendfile: %zd: %s", n, strerror(errno)) &&
	    pread(to, buf, n, 0) == n)
		pressure_same(c, file, buf, pos, n);
	close(fd);
}

static void by_direct(struct t_case *c)
{
	uint64_t file, pos;
	size_t len;
	int fd = pick_open(c, &file, O_DIRECT), i;

	if (fd < 0)
		return;
	for (i = 0; i < 4; i++) {
		pos = pressure_random(pressure_size(file)) / PAGE * PAGE;
		len = PAGE << pressure_random(6);
		compare(c, file, pos, len, pread(fd, buf, len, pos));
	}
	close(fd);
}

#define RING_ROOM	65536

static void by_ring(struct t_case *c)
{
	uint64_t file, pos[RING_ENTRIES];
	struct io_uring_cqe cqe;
	int fd, i;

	if (!ring_open(RING_ENTRIES)) {
		c->skip = "no io_uring here";
		return;
	}
	fd = pick_open(c, &file, pressure_random(4) ? 0 : O_DIRECT);
	if (fd < 0)
		return;
	for (i = 0; i < RING_ENTRIES; i++) {
		pos[i] = pressure_random(pressure_size(file)) / PAGE * PAGE;
		ring_queue(fd, buf + i * RING_ROOM, RING_ROOM, pos[i], false, i);
	}
	ring_submit(RING_ENTRIES, RING_ENTRIES);
	for (i = 0; i < RING_ENTRIES; i++) {
		uint64_t size = pressure_size(file), at;

		while (!ring_reap(&cqe))
			ring_submit(0, 1);
		at = pos[cqe.user_data];
		if (t_check(c, cqe.res == (int)(size - at < RING_ROOM ? size - at : RING_ROOM),
			    pressure_name("", file), "io_uring at %llu: %d",
			    (unsigned long long)at, cqe.res))
			pressure_same(c, file, buf + cqe.user_data * RING_ROOM, at, cqe.res);
	}
	close(fd);
}

/* A mapped file: some pages, in any order, and what is behind the end. */
static void by_map(struct t_case *c, int flags, int advice, int later)
{
	uint64_t file, size, len, at, end;
	int fd = pick_open(c, &file, 0), i;
	unsigned char *p;

	if (fd < 0)
		return;
	size = pressure_size(file);
	len = (size + PAGE - 1) / PAGE * PAGE;
	p = mmap(NULL, len, PROT_READ, flags, fd, 0);
	close(fd);
	if (!t_check(c, p != MAP_FAILED, pressure_name("", file), "mmap: %s", strerror(errno)))
		return;
	if (madvise(p, len, advice))
		t_die("madvise", "mmap");
	for (i = 0; i < 8; i++) {
		at = pressure_random(size);
		pressure_same(c, file, p + at, at, size - at < 9000 ? size - at : 9000);
		/* The page goes and comes back. */
		if (later && madvise(p, len, later) && errno != EBUSY)
			t_die("madvise", "mmap");
	}
	for (end = size; end < len && !p[end]; end++)
		;
	t_check(c, end == len, pressure_name("", file), "0x%02x behind the end",
		end < len ? p[end] : 0);
	munmap(p, len);
}

static void map_plain(struct t_case *c)
{
	by_map(c, MAP_SHARED, MADV_NORMAL, 0);
}

static void map_random(struct t_case *c)
{
	by_map(c, MAP_SHARED, MADV_RANDOM, 0);
}

static void map_dontneed(struct t_case *c)
{
	by_map(c, MAP_PRIVATE, MADV_NORMAL, MADV_DONTNEED);
}

static void map_pageout(struct t_case *c)
{
	by_map(c, MAP_SHARED, MADV_NORMAL, MADV_PAGEOUT);
}

static void map_populate(struct t_case *c)
{
	by_map(c, MAP_SHARED | MAP_POPULATE, MADV_WILLNEED, 0);
}

struct pressure_job pressure_readers[] = {
	{ { .name = "read" }, by_read, 1, false },
	{ { .name = "pread" }, by_pread, 2, false },
	{ { .name = "a loader's steps" }, by_loader, 2, false },
	{ { .name = "POSIX_FADV_RANDOM" }, by_random, 1, false },
	{ { .name = "POSIX_FADV_WILLNEED" }, by_hint, 2, false },
	{ { .name = "RWF_NOWAIT" }, by_nowait, 1, false },
	{ { .name = "splice" }, by_splice, 1, false },
	{ { .name = "sendfile" }, by_sendfile, 1, false },
	{ { .name = "O_DIRECT" }, by_direct, 1, false },
	{ { .name = "io_uring" }, by_ring, 2, false },
	{ { .name = "mmap" }, map_plain, 2, false },
	{ { .name = "MADV_RANDOM" }, map_random, 1, false },
	{ { .name = "MADV_DONTNEED" }, map_dontneed, 1, false },
	{ { .name = "MADV_PAGEOUT" }, map_pageout, 1, false },
	{ { .name = "MAP_POPULATE" }, map_populate, 1, false },
	{ { .name = "pread in a small cgroup" }, by_pread, 2, true },
	{ { .name = "mmap in a small cgroup" }, map_plain, 2, true },
	{ { .name = "splice in a small cgroup" }, by_splice, 1, true },
	{ }
};
