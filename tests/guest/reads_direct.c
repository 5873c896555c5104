// SPDX-License-Identifier: GPL-2.0
/*
 * O_DIRECT, and its limits in statx.  The device reads whole sectors, and behind
 * the end of a file a sector has bytes of another file: they must not get into a
 * buffer.
 */
#include <linux/stat.h>

#include "reads.h"

#define ALIGN	4096
#define ROOM	(1 << 20)

static unsigned char *aligned(void)
{
	static unsigned char *p;

	if (!p && posix_memalign((void **)&p, ALIGN, ROOM + ALIGN))
		t_die("memory", "posix_memalign");
	return p;
}

static int open_direct(const struct reads_file *f)
{
	return openat(f->dir, f->name, O_RDONLY | O_DIRECT | O_CLOEXEC);
}

static void one_read(struct t_case *c, const struct reads_file *f, int fd, uint64_t pos,
		     size_t len)
{
	unsigned char *p = aligned();

	memset(p, CANARY, len);
	reads_compare(c, f, p, pos, pread(fd, p, len, pos), len, "O_DIRECT read");
}

static void direct_reads(struct t_case *c, const struct reads_file *f)
{
	uint64_t tail = f->size / ALIGN * ALIGN;
	uint64_t middle = f->size / 2 / ALIGN * ALIGN;
	int fd = open_direct(f);

	if (!t_check(c, fd >= 0, f->path, "open with O_DIRECT: %s", strerror(errno)))
		return;
	reads_drop(f);
	one_read(c, f, fd, 0, ALIGN);
	one_read(c, f, fd, 0, f->size < ROOM - ALIGN ? tail + ALIGN : ROOM);
	one_read(c, f, fd, tail, ALIGN);
	one_read(c, f, fd, tail, 4 * ALIGN);
	one_read(c, f, fd, middle, 2 * ALIGN);
	one_read(c, f, fd, tail + ALIGN, ALIGN);
	one_read(c, f, fd, tail + 16 * ALIGN, ALIGN);
	close(fd);
}

/* Direct and buffered readers see the same, whoever comes first. */
static void direct_and_cached(struct t_case *c, const struct reads_file *f)
{
	uint64_t tail = f->size / ALIGN * ALIGN;
	unsigned char *p = aligned();
	int fd = open_direct(f);

	if (fd < 0)
		return;
	reads_drop(f);
	memset(p, CANARY, ALIGN);
	reads_compare(c, f, p, tail, pread(f->fd, p, ALIGN, tail), ALIGN, "buffered read");
	one_read(c, f, fd, tail, ALIGN);
	reads_drop(f);
	one_read(c, f, fd, tail, ALIGN);
	memset(p, CANARY, ALIGN);
	reads_compare(c, f, p, tail, pread(f->fd, p, ALIGN, tail), ALIGN, "buffered read");
	close(fd);
}

/* A read that is not aligned is refused, or right. */
static void direct_unaligned(struct t_case *c, const struct reads_file *f)
{
	static const struct {
		unsigned int pos, mem, len;
	} t[] = {
		{ 1, 0, 4096 }, { 0, 1, 4096 }, { 0, 0, 100 }, { 512, 0, 512 }, { 0, 512, 1024 },
	};
	unsigned char *p = aligned();
	int fd = open_direct(f);
	size_t i;
	ssize_t n;

	if (fd < 0)
		return;
	for (i = 0; i < ARRAY_SIZE(t); i++) {
		memset(p, CANARY, 2 * ALIGN);
		n = pread(fd, p + t[i].mem, t[i].len, t[i].pos);
		if (n < 0 && errno == EINVAL)
			/* A hole in front may have been filled in already. */
			t_check(c, p[t[i].mem] == CANARY || !p[t[i].mem], f->path,
				"an unaligned read was refused and wrote");
		else
			reads_compare(c, f, p + t[i].mem, t[i].pos, n, t[i].len,
				      "unaligned O_DIRECT read");
	}
	close(fd);
}

/* What statx promises must work; nothing promised is fine. */
static void dio_alignment(struct t_case *c, const struct reads_file *f)
{
	unsigned char *p = aligned();
	struct statx stx;
	uint64_t pos;
	size_t len;
	int fd;

	if (syscall(SYS_statx, f->dir, f->name, AT_SYMLINK_NOFOLLOW,
		    STATX_BASIC_STATS | STATX_DIOALIGN, &stx)) {
		t_check(c, false, f->path, "statx: %s", strerror(errno));
		return;
	}
	t_check(c, stx.stx_size == f->size, f->path, "statx: %llu bytes instead of %llu",
		(unsigned long long)stx.stx_size, (unsigned long long)f->size);
	if (!t_check(c, stx.stx_mask & STATX_DIOALIGN, f->path, "no STATX_DIOALIGN"))
		return;
	t_check(c, !stx.stx_dio_mem_align == !stx.stx_dio_offset_align, f->path,
		"alignment of memory %u, of offsets %u", stx.stx_dio_mem_align,
		stx.stx_dio_offset_align);
	if (!stx.stx_dio_offset_align)
		return;
	fd = open_direct(f);
	if (!t_check(c, fd >= 0, f->path, "statx promises direct I/O, open: %s", strerror(errno)))
		return;
	len = stx.stx_dio_offset_align;
	for (pos = 0; pos <= f->size && pos < 20 * len; pos += len) {
		unsigned char *at = p + stx.stx_dio_mem_align % ALIGN;

		memset(at, CANARY, len);
		reads_compare(c, f, at, pos, pread(fd, at, len, pos), len,
			      "O_DIRECT read as statx says");
	}
	close(fd);
}

/*
 * Any mask gives what it asks for, as stat has it, but for the time of access,
 * which read-only mounts do not keep.  Bits that nobody knows give an error.
 */
static void statx_masks(struct t_case *c, const struct reads_file *f)
{
	const int both_syncs = AT_EMPTY_PATH | AT_STATX_FORCE_SYNC | AT_STATX_DONT_SYNC;
	static const unsigned int masks[] = { 0, STATX_TYPE, STATX_SIZE, STATX_MTIME, STATX_BTIME,
					      STATX_BASIC_STATS, STATX_ALL, 0x7fffffff };
	static const int sync[] = { 0, AT_STATX_FORCE_SYNC, AT_STATX_DONT_SYNC };
	struct statx stx;
	struct stat st;
	size_t i;

	if (fstat(f->fd, &st))
		t_die(f->path, "fstat");
	for (i = 0; i < ARRAY_SIZE(masks) * ARRAY_SIZE(sync); i++) {
		unsigned int mask = masks[i % ARRAY_SIZE(masks)];

		if (!t_check(c, !syscall(SYS_statx, f->fd, "", AT_EMPTY_PATH |
					 sync[i / ARRAY_SIZE(masks)], mask, &stx), f->path,
			     "mask 0x%x: %s", mask, strerror(errno)))
			continue;
		t_check(c, !(mask & STATX_BASIC_STATS & ~STATX_ATIME & ~stx.stx_mask), f->path,
			"mask 0x%x gives 0x%x", mask, stx.stx_mask);
		t_check(c, stx.stx_ino == st.st_ino && stx.stx_size == f->size &&
			stx.stx_mode == st.st_mode && stx.stx_nlink == st.st_nlink, f->path,
			"mask 0x%x: not what stat says", mask);
		/* A time that was not asked for may be missing. */
		t_check(c, !(stx.stx_mask & STATX_MTIME) ||
			(stx.stx_mtime.tv_sec == st.st_mtim.tv_sec &&
			 stx.stx_mtime.tv_nsec == st.st_mtim.tv_nsec), f->path,
			"mask 0x%x: another time than stat's", mask);
	}
	t_fails(c, EINVAL, f->path, syscall(SYS_statx, f->fd, "", AT_EMPTY_PATH, 1U << 31, &stx));
	t_fails(c, EINVAL, f->path, syscall(SYS_statx, f->fd, "", both_syncs, 0, &stx));
}

/* Into many pieces of memory at once, and into memory that is a map of the file. */
static void direct_vectors(struct t_case *c, const struct reads_file *f)
{
	unsigned char *p = aligned();
	struct iovec v[3] = { { p, ALIGN }, { p + ALIGN, 3 * ALIGN }, { p + 4 * ALIGN, ALIGN } };
	const uint64_t page = sysconf(_SC_PAGESIZE);
	uint64_t tail = f->size / ALIGN * ALIGN, last, i;
	unsigned char *map;
	int fd = open_direct(f);

	if (fd < 0)
		return;
	reads_drop(f);
	memset(p, CANARY, 5 * ALIGN);
	reads_compare(c, f, p, tail > 2 * ALIGN ? tail - 2 * ALIGN : 0,
		      preadv(fd, v, 3, tail > 2 * ALIGN ? tail - 2 * ALIGN : 0), 5 * ALIGN,
		      "O_DIRECT preadv");
	if (!f->size)
		goto out;
	/* The page that a fault brings in beside it ends in zeros all the same. */
	last = (f->size - 1) / page * page;
	map = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, last);
	if (!t_check(c, map != MAP_FAILED, f->path, "mmap: %s", strerror(errno)))
		goto out;
	one_read(c, f, fd, tail, ALIGN);
	t_check(c, !memcmp(map, f->want + last, f->size - last), f->path,
		"mapped beside O_DIRECT: wrong bytes");
	for (i = f->size - last; i < page && !map[i]; i++)
		;
	t_check(c, i == page, f->path, "mapped beside O_DIRECT: bytes behind the end");
	munmap(map, page);
out:
	close(fd);
}

struct reads_check reads_direct[] = {
	{ { .name = "O_DIRECT" }, .run = direct_reads },
	{ { .name = "O_DIRECT beside cached reads" }, .run = direct_and_cached },
	{ { .name = "O_DIRECT unaligned" }, .run = direct_unaligned },
	{ { .name = "O_DIRECT, several buffers, beside a map" }, .run = direct_vectors },
	{ { .name = "statx and its DIOALIGN" }, .run = dio_alignment },
	{ { .name = "statx with any mask" }, .run = statx_masks },
	{ }
};
