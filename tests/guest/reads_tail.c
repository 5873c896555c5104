// SPDX-License-Identifier: GPL-2.0
/*
 * Bytes behind the end of a file, which in its block on the disk are those of
 * another file.  However the last page was read into memory, a mapping of it must
 * have zeros there.
 *
 * Only files are tested that have other bytes behind them, so that a pass proves
 * something.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>
#include <linux/fiemap.h>
#include <linux/fs.h>

#include "reads.h"

#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE	0x00000080	/* since 6.14 */
#endif

#define PAGE_MAX	65536

static unsigned char buf[PAGE_MAX] __attribute__((aligned(PAGE)));
static size_t page;	/* of this machine */
static int pipes[2];

static void by_pread(const struct reads_file *f, uint64_t tail)
{
	(void)tail;
	if (pread(f->fd, buf, 1, f->size - 1) != 1)
		t_die(f->path, "pread");
}

/* None of these is told what is behind the end, however far it reaches. */
static void by_readahead(const struct reads_file *f, uint64_t tail)
{
	if (readahead(f->fd, tail, 1 << 20))
		t_die(f->path, "readahead");
}

static void by_willneed(const struct reads_file *f, uint64_t tail)
{
	posix_fadvise(f->fd, tail, 1 << 20, POSIX_FADV_WILLNEED);
}

static void by_random(const struct reads_file *f, uint64_t tail)
{
	posix_fadvise(f->fd, 0, 0, POSIX_FADV_RANDOM);
	by_pread(f, tail);
	posix_fadvise(f->fd, 0, 0, POSIX_FADV_NORMAL);
}

static void by_dontcache(const struct reads_file *f, uint64_t tail)
{
	struct iovec v = { buf, page };

	if (preadv2(f->fd, &v, 1, tail, RWF_DONTCACHE) < 0 && errno != EOPNOTSUPP)
		t_die(f->path, "RWF_DONTCACHE");
}

static void by_ring(const struct reads_file *f, uint64_t tail)
{
	if (reads_ring_one(f->fd, buf, page, tail) < 0 && errno != ENOSYS)
		t_die(f->path, "io_uring");
}

static void empty_pipe(const struct reads_file *f, ssize_t n)
{
	if (n <= 0 || read(pipes[0], buf, page) != n)
		t_die(f->path, "pipe");
}

static void by_splice(const struct reads_file *f, uint64_t tail)
{
	loff_t at = tail;

	empty_pipe(f, splice(f->fd, &at, pipes[1], NULL, page, 0));
}

static void by_sendfile(const struct reads_file *f, uint64_t tail)
{
	off_t at = tail;

	empty_pipe(f, sendfile(pipes[1], f->fd, &at, page));
}

/* Past the page cache, with a page of it there already. */
static void by_direct(const struct reads_file *f, uint64_t tail)
{
	int fd = openat(f->dir, f->name, O_RDONLY | O_DIRECT | O_CLOEXEC);

	by_pread(f, tail);
	if (fd < 0 || pread(fd, buf, page, tail) < 0)
		t_die(f->path, "O_DIRECT");
	close(fd);
}

static void by_fault(const struct reads_file *f, uint64_t tail)
{
	(void)f;
	(void)tail;
}

static const struct {
	const char *name;
	void (*fill)(const struct reads_file *f, uint64_t tail);
} ways[] = {
	{ "a fault", by_fault },
	{ "pread", by_pread },
	{ "readahead", by_readahead },
	{ "POSIX_FADV_WILLNEED", by_willneed },
	{ "pread after POSIX_FADV_RANDOM", by_random },
	{ "RWF_DONTCACHE", by_dontcache },
	{ "io_uring", by_ring },
	{ "splice", by_splice },
	{ "sendfile", by_sendfile },
	{ "O_DIRECT beside pread", by_direct },
};

/* Does the disk have anything but zeros where the last page would go on? */
static bool has_neighbour(const struct reads_file *f)
{
	struct {
		struct fiemap m;
		struct fiemap_extent e;
	} map = { .m = { .fm_start = f->size - 1, .fm_length = 1, .fm_extent_count = 1 } };
	size_t rest = page - f->size % page, i;
	uint64_t end;
	ssize_t n;

	if (ioctl(f->fd, FS_IOC_FIEMAP, &map) || map.m.fm_mapped_extents != 1)
		return false;
	end = map.e.fe_physical + (f->size - map.e.fe_logical);
	n = pread(reads_opts.dev, buf, rest, end);
	for (i = 0; n > 0 && i < (size_t)n; i++) {
		if (buf[i])
			return true;
	}
	return false;
}

static void tail(struct t_case *c, const struct reads_file *f)
{
	const unsigned char *p;
	size_t i, end, len;
	uint64_t at;

	page = sysconf(_SC_PAGESIZE);
	at = f->size / page * page;
	len = f->size - at;
	if (reads_opts.dev < 0) {
		c->skip = "no --dev";
		return;
	}
	if (!len || !has_neighbour(f))
		return;
	if (!pipes[1] && pipe2(pipes, O_CLOEXEC))
		t_die("pipe", "pipe2");
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		reads_drop(f);
		ways[i].fill(f, at);
		p = mmap(NULL, page, PROT_READ, MAP_SHARED, f->fd, at);
		if (p == MAP_FAILED)
			t_die(f->path, "mmap");
		t_check(c, !memcmp(p, f->want + at, len), f->path, "%s: wrong bytes", ways[i].name);
		for (end = len; end < page && !p[end]; end++)
			;
		t_check(c, end == page, f->path, "%s: 0x%02x behind the end, at %zu", ways[i].name,
			end < page ? p[end] : 0, end);
		munmap((void *)p, page);
	}
}

struct reads_check reads_tail[] = {
	{ { .name = "a neighbour behind the end does not show" }, tail },
	{ }
};
