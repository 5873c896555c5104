// SPDX-License-Identifier: GPL-2.0
/*
 * reads - every way to read a file gives the same bytes.
 *
 * Walks a mounted tree beside a reference copy of it (another file system with
 * the same contents) and reads each file by every call that Linux has.  The
 * checks hold on any file system, so they are tested on ext4; options add those
 * of DSFS alone.
 *
 * It looks for three kinds of errors: wrong offsets, bytes of a neighbour in the
 * same block behind the end of a file, and pages that are marked up to date
 * before they are.
 */
#include "reads.h"

#define SAMPLE		150

struct reads_opts reads_opts = { .dev = -1 };

static struct reads_check *groups[] = {
	reads_plain, reads_pages, reads_tail, reads_direct, reads_ring, reads_extents,
};

void reads_drop(const struct reads_file *f)
{
	posix_fadvise(f->fd, 0, 0, POSIX_FADV_DONTNEED);
}

size_t reads_expect(const struct reads_file *f, uint64_t pos, size_t len)
{
	if (pos >= f->size)
		return 0;
	return len < f->size - pos ? len : f->size - pos;
}

/* How many bytes are the same; memcmp() is an emulated processor's fast way. */
static int64_t same_bytes(const unsigned char *a, const unsigned char *b, int64_t len)
{
	int64_t i;

	if (!memcmp(a, b, len))
		return len;
	for (i = 0; a[i] == b[i]; i++)
		;
	return i;
}

/* Where the bytes end that are all CANARY, or all zero. */
static int64_t untouched(const unsigned char *p, int64_t from, int64_t to)
{
	if (from < to && (p[from] == CANARY || !p[from]) &&
	    !memcmp(p + from, p + from + 1, to - from - 1))
		return to;
	while (from < to && (p[from] == CANARY || !p[from]))
		from++;
	return from;
}

void reads_compare(struct t_case *c, const struct reads_file *f, const void *buf,
		   uint64_t pos, int64_t len, size_t room, const char *what)
{
	const unsigned char *p = buf;
	int64_t i;

	if (!t_check(c, len >= 0, f->path, "%s at %llu: %s", what,
		     (unsigned long long)pos, strerror(errno)))
		return;
	if (!t_check(c, (uint64_t)len == reads_expect(f, pos, room), f->path,
		     "%s of %zu at %llu: %lld bytes instead of %zu", what, room,
		     (unsigned long long)pos, (long long)len, reads_expect(f, pos, room)))
		return;
	i = same_bytes(p, f->want + pos, len);
	t_check(c, i == len, f->path, "%s of %zu at %llu: byte %lld is 0x%02x instead of 0x%02x",
		what, room, (unsigned long long)pos, (long long)(pos + i), p[i],
		i < len ? f->want[pos + i] : 0);
	i = untouched(p, len, room);
	t_check(c, i >= (int64_t)room, f->path,
		"%s of %zu at %llu: 0x%02x written behind the end, at %lld", what, room,
		(unsigned long long)pos, i < (int64_t)room ? p[i] : 0, (long long)(pos + i));
}

/* From an odd place to the end, in pieces that are no whole pages */
static void by_way(struct t_case *c, const struct reads_file *f, way_fn way)
{
	static unsigned char buf[100001];
	uint64_t pos = f->size > 5000 ? 4001 : 0;
	ssize_t n;

	reads_drop(f);
	do {
		memset(buf, CANARY, sizeof(buf));
		n = way(f->fd, buf, sizeof(buf), pos);
		if (n < 0 && errno == EOPNOTSUPP && t_kernel_before(6, 14)) {
			c->skip = "the kernel does not know it";
			return;
		}
		reads_compare(c, f, buf, pos, n, sizeof(buf), c->name);
		pos += n > 0 ? n : 0;
	} while (n > 0);
}

static void load(int fd, unsigned char *buf, uint64_t size, const char *path)
{
	uint64_t pos;
	ssize_t n;

	for (pos = 0; pos < size; pos += n) {
		n = pread(fd, buf + pos, size - pos, pos);
		if (n <= 0)
			t_die(path, "read of the reference");
	}
}

static void check_file(const struct t_object *o, int fd, int ref)
{
	struct reads_file f = {
		.path = o->path, .dir = o->dir, .name = o->name, .fd = fd,
		.size = o->ref_st.st_size,
	};
	struct reads_check *check;
	unsigned char *want;
	size_t i;

	want = t_alloc(f.size);
	load(ref, want, f.size, o->path);
	f.want = want;
	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		for (check = groups[i]; check->c.name; check++) {
			if (check->c.skip)
				continue;
			if (check->way)
				by_way(&check->c, &f, check->way);
			else
				check->run(&check->c, &f);
		}
	}
	free(want);
}

static uint64_t largest = INT64_MAX;

static void visit(const struct t_object *o)
{
	int fd, ref;

	if (!S_ISREG(o->ref_st.st_mode) || (uint64_t)o->ref_st.st_size > largest)
		return;
	fd = openat(o->dir, o->name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		t_die(o->path, "open");
	ref = openat(o->ref_dir, o->name, O_RDONLY | O_CLOEXEC);
	if (ref < 0)
		t_die(o->path, "open of the reference");
	check_file(o, fd, ref);
	close(ref);
	close(fd);
}

static int report(void)
{
	struct t_case *cases[96];
	struct reads_check *check;
	size_t i, n = 0;

	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		for (check = groups[i]; check->c.name; check++) {
			printf("# reads: %s: %lu checks\n", check->c.name, check->c.checks);
			cases[n++] = &check->c;
		}
	}
	return t_report(cases, n);
}

static const char usage[] =
	"--ref=DIR [--dev=BLOCKDEV] [--wholefile=BYTES] [--small-chunk=BYTES]\n"
	"             [--holes=BYTES] [--unit=BYTES] [--strict] [--sample=N] [--largest=BYTES] DIR\n"
	"  --sample=N  of a directory take about N files (default 150), 0: all\n"
	"  --largest=BYTES  leave larger ones out\n"
	"       reads --ref=FILE --bad=FROM-TO:ERRNO FILE\n"
	"  a file whose pages from FROM to TO give ERRNO";

int main(int argc, char **argv)
{
	struct t_walk w = { .visit = visit, .sample = SAMPLE };
	const char *bad = NULL, *dev = NULL;
	const struct t_option options[] = {
		{ "ref", .text = &w.ref }, { "dev", .text = &dev },
		{ "wholefile", .number = &reads_opts.wholefile },
		{ "small-chunk", .number = &reads_opts.chunk },
		{ "holes", .number = &reads_opts.holes }, { "unit", .number = &reads_opts.unit },
		{ "strict", .flag = &t_strict }, { "sample", .number = &w.sample },
		{ "largest", .number = &largest }, { "bad", .text = &bad }, { }
	};

	t_init("reads");
	w.root = *t_options(argc, argv, options, 1, usage);
	if (!w.ref)
		t_usage(usage);
	if (bad)
		return reads_bad(w.root, w.ref, bad);
	if (dev) {
		reads_opts.dev = open(dev, O_RDONLY | O_CLOEXEC);
		if (reads_opts.dev < 0)
			t_die(dev, "open");
	}
	t_walk(&w);
	return report();
}
