// SPDX-License-Identifier: GPL-2.0
/*
 * The readers of pressure: each round opens a file, reads some of it in one way
 * and compares it.  They run at the same time, so no reader assumes that anything
 * is cached.
 */
#include "pressure.h"

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

/* Some pieces, in no order; with O_DIRECT, of whole pages */
void pressure_by_way(struct t_case *c, way_fn way, int flags)
{
	uint64_t file, pos;
	size_t len, page = flags & O_DIRECT ? PAGE : 1;
	int fd = pick_open(c, &file, flags), i;
	ssize_t n;

	if (fd < 0)
		return;
	for (i = 0; i < 6 && !c->skip; i++) {
		pos = pressure_random(pressure_size(file)) / page * page;
		len = (1 + pressure_random((i % 2 ? 200000 : 5000) / page)) * page;
		n = way(fd, buf, len, pos);
		if (n < 0 && errno == ENOSYS)
			c->skip = "the kernel does not know it";
		else
			compare(c, file, pos, len, n);
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

struct pressure_job pressure_readers[] = {
	{ { .name = "read" }, 1, false, .once = by_read },
	{ { .name = "pread" }, 2, false, .way = way_pread },
	{ { .name = "a loader's steps" }, 2, false, .once = by_loader },
	{ { .name = "POSIX_FADV_RANDOM" }, 1, false, .way = way_random },
	{ { .name = "POSIX_FADV_WILLNEED" }, 2, false, .way = way_willneed },
	{ { .name = "RWF_NOWAIT" }, 1, false, .way = way_nowait },
	{ { .name = "splice" }, 1, false, .way = way_splice },
	{ { .name = "sendfile" }, 1, false, .way = way_sendfile },
	{ { .name = "O_DIRECT" }, 1, false, .way = way_pread, .flags = O_DIRECT },
	{ { .name = "io_uring" }, 1, false, .way = way_ring },
	{ { .name = "io_uring with O_DIRECT" }, 1, false, .way = way_ring, .flags = O_DIRECT },
	{ { .name = "mmap" }, 2, false, .way = way_mmap },
	{ { .name = "MADV_RANDOM" }, 1, false, .way = way_mmap_random },
	{ { .name = "MADV_DONTNEED" }, 1, false, .way = way_mmap_dontneed },
	{ { .name = "MADV_PAGEOUT" }, 1, false, .way = way_mmap_pageout },
	{ { .name = "MAP_POPULATE" }, 1, false, .way = way_populate },
	{ { .name = "pread in a small cgroup" }, 2, true, .way = way_pread },
	{ { .name = "mmap in a small cgroup" }, 2, true, .way = way_mmap },
	{ { .name = "splice in a small cgroup" }, 1, true, .way = way_splice },
	{ }
};
