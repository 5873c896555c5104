// SPDX-License-Identifier: GPL-2.0
/*
 * Reads that copy through the page cache: pread, read in the steps of image
 * loaders, readv, preadv2 with its flags; and the ways that pass pages on.
 */
#include "reads.h"

static unsigned char buf[1 << 20];

static void one_pread(struct t_case *c, const struct reads_file *f, uint64_t pos, size_t len)
{
	memset(buf, CANARY, len);
	reads_compare(c, f, buf, pos, pread(f->fd, buf, len, pos), len, "pread");
}

static void odd_preads(struct t_case *c, const struct reads_file *f)
{
	static const size_t lens[] = { 1, 3, 511, 4095, 4097 };
	const uint64_t at[] = { 0, 1, 511, 4095, 4097, f->size / 2, f->size - 1, f->size - 600,
				f->size - 4096, f->size, f->size + 1, f->size + 4096 };
	size_t i, j;

	reads_drop(f);
	/* From the end to the front, so that no read finds the way prepared. */
	for (i = ARRAY_SIZE(at); i-- > 0;) {
		for (j = 0; at[i] < 1ULL << 62 && j < ARRAY_SIZE(lens); j++)
			one_pread(c, f, at[i], lens[j]);
	}
	one_pread(c, f, (1ULL << 62) + 5, 10);
	t_check(c, pread(f->fd, buf, 1, -1) == -1 && errno == EINVAL, f->path,
		"pread at -1: no EINVAL");
}

static void in_steps(struct t_case *c, const struct reads_file *f)
{
	uint64_t pos = 0;
	size_t step = 4096;
	ssize_t n;

	reads_drop(f);
	lseek(f->fd, 0, SEEK_SET);
	do {
		memset(buf, CANARY, step);
		n = read(f->fd, buf, step);
		reads_compare(c, f, buf, pos, n, step, "read");
		pos += n > 0 ? n : 0;
		step = step == 4096 ? 61440 : 65536;
	} while (n > 0);
}

static void vectors(struct t_case *c, const struct reads_file *f)
{
	struct iovec v[4] = { { buf, 3 }, { buf + 3, 511 }, { buf + 514, 0 },
			      { buf + 514, 4097 } };

	reads_drop(f);
	memset(buf, CANARY, 4611);
	reads_compare(c, f, buf, f->size / 3, preadv(f->fd, v, 4, f->size / 3), 4611, "preadv");
	lseek(f->fd, 1, SEEK_SET);
	memset(buf, CANARY, 4611);
	reads_compare(c, f, buf, 1, readv(f->fd, v, 4), 4611, "readv");
}

/* A cached page comes at once; a missing one may be refused, but never wrong. */
static void nowait(struct t_case *c, const struct reads_file *f)
{
	size_t len = f->size < 65536 ? f->size : 65536;
	struct iovec v = { buf, len };
	ssize_t n;

	if (!len)
		return;
	reads_drop(f);
	n = preadv2(f->fd, &v, 1, 0, RWF_NOWAIT);
	if (n < 0)
		t_check(c, errno == EAGAIN, f->path, "uncached: %s", strerror(errno));
	else
		t_check(c, (size_t)n <= len && !memcmp(buf, f->want, n), f->path,
			"uncached: wrong bytes");
	if (pread(f->fd, buf, len, 0) != (ssize_t)len)
		t_failed(c, f->path, "pread fails");
	memset(buf, CANARY, len);
	reads_compare(c, f, buf, 0, preadv2(f->fd, &v, 1, 0, RWF_NOWAIT), len, "RWF_NOWAIT");
}

struct reads_check reads_plain[] = {
	{ { .name = "pread at odd places" }, .run = odd_preads },
	{ { .name = "read in a loader's steps" }, .run = in_steps },
	{ { .name = "readv" }, .run = vectors },
	{ { .name = "RWF_NOWAIT" }, .run = nowait },
	{ { .name = "RWF_DONTCACHE" }, .way = way_dontcache },
	{ { .name = "sendfile" }, .way = way_sendfile },
	{ { .name = "splice" }, .way = way_splice },
	{ }
};
