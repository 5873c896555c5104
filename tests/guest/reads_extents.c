// SPDX-License-Identifier: GPL-2.0
/*
 * Where data and holes are: SEEK_DATA and SEEK_HOLE against the contents,
 * FIEMAP against the contents and against the block device itself.
 */
#include <linux/fiemap.h>
#include <linux/fs.h>

#include "reads.h"

#define EXTENTS	1024

static bool all_zero(const struct reads_file *f, uint64_t from, uint64_t to)
{
	while (from < to && !f->want[from])
		from++;
	return from == to;
}

/* Zeros told as data; of short runs a file system may make no hole. */
static void check_data(struct t_case *c, const struct reads_file *f, uint64_t from, uint64_t to)
{
	uint64_t run = 0;

	if (!reads_opts.holes)
		return;
	for (from = (from + PAGE - 1) / PAGE * PAGE; from + PAGE <= to; from += PAGE) {
		run = all_zero(f, from, from + PAGE) ? run + PAGE : 0;
		t_check(c, run < reads_opts.holes, f->path, "zeros told as data: %llu before %llu",
			(unsigned long long)run, (unsigned long long)from + PAGE);
	}
}

static void seek_walk(struct t_case *c, const struct reads_file *f)
{
	uint64_t pos = 0;
	off_t data, hole;

	while (pos < f->size) {
		data = lseek(f->fd, pos, SEEK_DATA);
		if (data < 0) {
			t_check(c, errno == ENXIO && all_zero(f, pos, f->size), f->path,
				"SEEK_DATA at %llu: %s", (unsigned long long)pos, strerror(errno));
			break;
		}
		if (!t_check(c, (uint64_t)data >= pos && (uint64_t)data < f->size &&
			     all_zero(f, pos, data), f->path,
			     "SEEK_DATA at %llu: %lld is no data, or skips some",
			     (unsigned long long)pos, (long long)data))
			break;
		hole = lseek(f->fd, data, SEEK_HOLE);
		if (!t_check(c, hole > data && (uint64_t)hole <= f->size, f->path,
			     "SEEK_HOLE at %lld: %lld", (long long)data, (long long)hole))
			break;
		check_data(c, f, data, hole);
		pos = hole;
	}
}

static void seek_end(struct t_case *c, const struct reads_file *f)
{
	t_fails(c, ENXIO, f->path, lseek(f->fd, f->size, SEEK_DATA));
	t_fails(c, ENXIO, f->path, lseek(f->fd, f->size, SEEK_HOLE));
	t_fails(c, ENXIO, f->path, lseek(f->fd, -1, SEEK_DATA));
	if (f->size)
		t_check(c, lseek(f->fd, f->size - 1, SEEK_HOLE) == (off_t)f->size ||
			!f->want[f->size - 1], f->path,
			"SEEK_HOLE at the last byte: not the end");
	t_check(c, lseek(f->fd, 0, SEEK_END) == (off_t)f->size, f->path, "SEEK_END: not the end");
}

static struct fiemap *get_fiemap(const struct reads_file *f, uint32_t room)
{
	struct fiemap *m = t_alloc(sizeof(*m) + room * sizeof(m->fm_extents[0]));

	m->fm_length = FIEMAP_MAX_OFFSET;
	m->fm_extent_count = room;
	if (!ioctl(f->fd, FS_IOC_FIEMAP, m))
		return m;
	free(m);
	return NULL;
}

/* The bytes at the extent's place on the device are those of the file. */
static void check_physical(struct t_case *c, const struct reads_file *f,
			   const struct fiemap_extent *e)
{
	uint64_t len = reads_expect(f, e->fe_logical, e->fe_length);
	unsigned char *p;
	ssize_t n;

	if (reads_opts.dev < 0 || e->fe_flags & (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_UNWRITTEN |
						 FIEMAP_EXTENT_ENCODED))
		return;
	p = t_alloc(len);
	n = pread(reads_opts.dev, p, len, e->fe_physical);
	t_check(c, n == (ssize_t)len && !memcmp(p, f->want + e->fe_logical, len), f->path,
		"FIEMAP: at %llu of the device is not what the file has at %llu",
		(unsigned long long)e->fe_physical, (unsigned long long)e->fe_logical);
	free(p);
}

static void check_extent(struct t_case *c, const struct reads_file *f,
			 const struct fiemap_extent *e, uint64_t after, bool last)
{
	t_check(c, e->fe_logical >= after && e->fe_length && e->fe_logical < f->size, f->path,
		"FIEMAP: extent at %llu, length %llu", (unsigned long long)e->fe_logical,
		(unsigned long long)e->fe_length);
	t_check(c, all_zero(f, after < f->size ? after : f->size,
			    e->fe_logical < f->size ? e->fe_logical : f->size), f->path,
		"FIEMAP: data before %llu are in no extent", (unsigned long long)e->fe_logical);
	t_check(c, !(e->fe_flags & FIEMAP_EXTENT_LAST) == !last, f->path,
		"FIEMAP: extent at %llu has flags 0x%x", (unsigned long long)e->fe_logical,
		e->fe_flags);
	t_check(c, !(e->fe_physical % 512) || e->fe_flags & FIEMAP_EXTENT_NOT_ALIGNED, f->path,
		"FIEMAP: at %llu of the device without NOT_ALIGNED",
		(unsigned long long)e->fe_physical);
	check_physical(c, f, e);
}

static void fiemap(struct t_case *c, const struct reads_file *f)
{
	struct fiemap *m = get_fiemap(f, EXTENTS), *count;
	uint64_t after = 0;
	uint32_t i;

	if (!t_check(c, m, f->path, "FIEMAP: %s", strerror(errno)))
		return;
	for (i = 0; i < m->fm_mapped_extents; i++) {
		check_extent(c, f, m->fm_extents + i, after, i == m->fm_mapped_extents - 1);
		after = m->fm_extents[i].fe_logical + m->fm_extents[i].fe_length;
	}
	t_check(c, after >= f->size || all_zero(f, after, f->size), f->path,
		"FIEMAP: data behind %llu are in no extent", (unsigned long long)after);
	count = get_fiemap(f, 0);
	t_check(c, count && count->fm_mapped_extents == m->fm_mapped_extents, f->path,
		"FIEMAP: asked for the number alone it is another one");
	free(count);
	free(m);
}

/* One extent a call, from where the last one ended: the same ones. */
static void fiemap_steps(struct t_case *c, const struct reads_file *f)
{
	struct fiemap *all = get_fiemap(f, EXTENTS), *one;
	uint64_t from = 0;
	uint32_t i;

	if (!all)
		return;
	one = t_alloc(sizeof(*one) + sizeof(one->fm_extents[0]));
	for (i = 0; i < all->fm_mapped_extents; i++) {
		const struct fiemap_extent *e = all->fm_extents + i;

		one->fm_start = from;
		one->fm_length = FIEMAP_MAX_OFFSET;
		one->fm_extent_count = 1;
		one->fm_flags = FIEMAP_FLAG_SYNC;
		if (!t_check(c, !ioctl(f->fd, FS_IOC_FIEMAP, one) && one->fm_mapped_extents == 1,
			     f->path, "one extent from %llu: %s", (unsigned long long)from,
			     strerror(errno)))
			break;
		t_check(c, one->fm_extents[0].fe_logical == e->fe_logical &&
			one->fm_extents[0].fe_physical == e->fe_physical &&
			one->fm_extents[0].fe_length == e->fe_length &&
			one->fm_extents[0].fe_flags == e->fe_flags, f->path,
			"the extent from %llu differs", (unsigned long long)from);
		from = e->fe_logical + e->fe_length;
	}
	free(one);
	free(all);
}

/* What is asked for in part is told, and nothing from elsewhere. */
static void fiemap_ranges(struct t_case *c, const struct reads_file *f)
{
	const uint64_t at[] = { 0, 1, PAGE, f->size / 2, f->size - 1, f->size, f->size + PAGE };
	struct fiemap *m = t_alloc(sizeof(*m) + EXTENTS * sizeof(m->fm_extents[0]));
	uint32_t i, j;

	for (i = 0; i < ARRAY_SIZE(at) && f->size; i++) {
		m->fm_start = at[i];
		m->fm_length = PAGE;
		m->fm_extent_count = EXTENTS;
		m->fm_flags = 0;
		if (!t_check(c, !ioctl(f->fd, FS_IOC_FIEMAP, m), f->path, "%s", strerror(errno)))
			continue;
		for (j = 0; j < m->fm_mapped_extents; j++)
			t_check(c, m->fm_extents[j].fe_logical < at[i] + PAGE &&
				m->fm_extents[j].fe_logical + m->fm_extents[j].fe_length > at[i],
				f->path, "asked for %llu: an extent at %llu",
				(unsigned long long)at[i],
				(unsigned long long)m->fm_extents[j].fe_logical);
		t_check(c, m->fm_mapped_extents || at[i] >= f->size ||
			all_zero(f, at[i], at[i] + reads_expect(f, at[i], PAGE)), f->path,
			"asked for %llu: no extent", (unsigned long long)at[i]);
	}
	m->fm_length = 0;
	t_fails(c, EINVAL, f->path, ioctl(f->fd, FS_IOC_FIEMAP, m));
	m->fm_length = PAGE;
	m->fm_start = 0;
	m->fm_flags = 1U << 30;
	t_check(c, ioctl(f->fd, FS_IOC_FIEMAP, m) && errno == EBADR &&
		m->fm_flags == 1U << 30, f->path, "an unknown flag: no EBADR");
	free(m);
}

struct reads_check reads_extents[] = {
	{ { .name = "SEEK_DATA and SEEK_HOLE" }, .run = seek_walk },
	{ { .name = "seeks at the end" }, .run = seek_end },
	{ { .name = "FIEMAP" }, .run = fiemap },
	{ { .name = "FIEMAP, an extent a call" }, .run = fiemap_steps },
	{ { .name = "FIEMAP, ranges and flags" }, .run = fiemap_ranges },
	{ }
};
