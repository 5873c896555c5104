// SPDX-License-Identifier: GPL-2.0
/*
 * Bytes behind the end of a file, which in its block on the disk are those of
 * another file.  However the last page was read into memory, a mapping of it must
 * have zeros there.
 *
 * Only files are tested that have other bytes behind them, so that a pass proves
 * something.
 */
#include <linux/fiemap.h>
#include <linux/fs.h>

#include "reads.h"

#define PAGE_MAX	65536

static unsigned char buf[PAGE_MAX] __attribute__((aligned(PAGE)));
static size_t page;	/* of this machine */

static const struct {
	const char *name;
	int flags;
	way_fn read;
} ways[] = {
	{ "a fault", 0, way_mmap },
	{ "pread", 0, way_pread },
	/* None of these is told what is behind the end, however far it reaches. */
	{ "readahead", 0, way_readahead },
	{ "POSIX_FADV_WILLNEED", 0, way_willneed },
	{ "pread after POSIX_FADV_RANDOM", 0, way_random },
	{ "RWF_DONTCACHE", 0, way_dontcache },
	{ "io_uring", 0, way_ring },
	{ "splice", 0, way_splice },
	{ "sendfile", 0, way_sendfile },
	/* Past the page cache, with a page of it there already */
	{ "O_DIRECT beside pread", O_DIRECT, way_pread },
};

/* Has the last page read. */
static void fill(struct t_case *c, const struct reads_file *f, size_t way, uint64_t tail)
{
	int fd = openat(f->dir, f->name, O_RDONLY | O_CLOEXEC | ways[way].flags);

	if (ways[way].flags)
		way_pread(f->fd, buf, 1, f->size - 1);
	t_check(c, ways[way].read(fd, buf, page, tail) >= 0 || errno == EOPNOTSUPP ||
		errno == ENOSYS, f->path, "%s: %s", ways[way].name, strerror(errno));
	close(fd);
}

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
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		reads_drop(f);
		fill(c, f, i, at);
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
	{ { .name = "a neighbour behind the end does not show" }, .run = tail },
	{ }
};
