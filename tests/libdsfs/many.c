// SPDX-License-Identifier: GPL-2.0
/*
 * Several reads in one call: they give the bytes of single reads, and prefetch in time.
 * libc's posix_fadvise() is replaced by one that records its calls.
 */
#include "test.h"

#define READS		400	/* more than are asked for ahead */
#define UNREAD		-12345	/* no result of a read */
#define LARGE		1300000	/* bytes of /big, as tests/libdsfs/run makes it */

static struct {
	const struct dsfs_read *reads;
	size_t calls;		/* of posix_fadvise() */
	size_t early;		/* of them before the first read was done */
	size_t bytes;
	size_t largest;
	bool refuse;
} told;

int posix_fadvise(int fd, off_t pos, off_t len, int advice)
{
	(void)fd;
	(void)pos;
	if (told.refuse || advice != POSIX_FADV_WILLNEED)
		return EINVAL;
	told.calls++;
	told.early += told.reads && told.reads[0].result == UNREAD;
	told.bytes += len;
	if ((size_t)len > told.largest)
		told.largest = len;
	return 0;
}

static struct dsfs_read read_of(struct dsfs_image *image, const char *path, size_t len,
				uint64_t pos)
{
	struct dsfs_read r = { .len = len, .pos = pos, .result = UNREAD };
	struct dsfs_file *file;

	r.buf = calloc(1, len + 1);
	if (!r.buf || dsfs_file_open(image, must_find(image, path), 0, &file, NULL))
		exit(99);
	r.file = file;
	return r;
}

static void drop(struct dsfs_read *r)
{
	free(r->buf);
	dsfs_file_close((struct dsfs_file *)r->file);
}

/* Does a single read say the same? */
static bool as_alone(const struct dsfs_read *r)
{
	char *buf = calloc(1, r->len + 1);
	const ssize_t n = dsfs_pread(r->file, buf, r->len, r->pos, NULL);
	const bool same = n == r->result && (n <= 0 || !memcmp(buf, r->buf, n));

	free(buf);
	return same;
}

static int read_noting(struct dsfs_read *reads, size_t n, struct dsfs_error *error)
{
	memset(&told, 0, sizeof(told));
	told.reads = reads;
	return dsfs_pread_many(reads, n, error);
}

/* Parts, holes, ends, and nothing at all */
static void test_parts(struct dsfs_image *image)
{
	struct dsfs_read reads[] = {
		read_of(image, "/dir/file", 100000, 0),
		read_of(image, "/sizes/65537", 40000, 30000),
		read_of(image, "/holes", 900000, 0),
		read_of(image, "/only-hole", 5000, 7),
		read_of(image, "/big", LARGE, 0),
		read_of(image, "/big", 10, LARGE - 4),
		read_of(image, "/big", 10, LARGE),
		read_of(image, "/big", 10, UINT64_MAX),
		read_of(image, "/sizes/0", 10, 0),
		read_of(image, "/dir/file", 0, 0),
	};
	const size_t n = sizeof(reads) / sizeof(reads[0]);
	struct dsfs_error error = { 0 };
	size_t i, wrong = 0;

	OK(!read_noting(reads, n, &error) && !error.code, "many: parts of files");
	for (i = 0; i < n; i++)
		wrong += !as_alone(&reads[i]);
	OK(!wrong, "many: the same as by single reads");
	OK(reads[5].result == 4 && reads[6].result == 0, "many: the end of a file");
	OK(told.early == told.calls && told.largest == 131072,
	   "many: asked for in pieces, before one is waited for");
	OK(told.bytes < LARGE + 3 * 100000, "many: nothing of holes");
	for (i = 0; i < n; i++)
		reads[i].result = UNREAD;
	memset(&told, 0, sizeof(told));
	told.refuse = true;
	OK(!dsfs_pread_many(reads, n, NULL) && as_alone(&reads[4]), "many: no advice is taken");
	OK(!dsfs_pread_many(NULL, 0, NULL), "many: none");
	for (i = 0; i < n; i++)
		drop(&reads[i]);
}

static void test_ahead(struct dsfs_image *image)
{
	struct dsfs_read reads[READS];
	size_t i, wrong = 0;
	char path[32];

	for (i = 0; i < READS; i++) {
		snprintf(path, sizeof(path), "/many/file-%zu", READS - i);
		reads[i] = read_of(image, path, 100, 0);
	}
	OK(!read_noting(reads, READS, NULL), "many: a large batch");
	/* Two are of what is read ahead, as they are neighbours. */
	OK(told.calls == READS + 2 && told.early == 256, "many: so many are asked for ahead");
	for (i = 0; i < READS; i++)
		wrong += !as_alone(&reads[i]);
	OK(!wrong, "many: all of a large batch");
	for (i = 0; i < READS; i++)
		drop(&reads[i]);
}

/* The byte at @at is wrong: one read fails, and the others do not. */
static void test_damaged(const char *path, uint64_t at)
{
	struct bytes raw = read_bytes(path);
	struct dsfs_error error;
	struct dsfs_image *image;
	struct dsfs_read reads[3];
	int i;

	raw.p[at] ^= 1;
	if (bytes_open(raw.p, raw.size, NULL, &image, NULL))
		exit(99);
	reads[0] = read_of(image, "/dir/file", 100000, 0);
	reads[1] = read_of(image, "/big", LARGE, 0);
	reads[2] = read_of(image, "/holes", 900000, 0);
	FAILS(dsfs_pread_many(reads, 3, &error), -EBADMSG, "data checksum", "many: damage");
	OK(reads[1].result == -EBADMSG, "many: which read failed");
	OK(as_alone(&reads[0]) && reads[0].result > 0 && as_alone(&reads[2]) &&
	   reads[2].result == 900000, "many: the others are read");
	for (i = 0; i < 3; i++)
		drop(&reads[i]);
	dsfs_close(image);
	free(raw.p);
}

void test_many(const char *path)
{
	struct dsfs_image *image = must_open(path);
	struct dsfs_read big = read_of(image, "/big", 1, 0);
	size_t n;
	const uint64_t at = dsfs_file_extents(big.file, &n)->physical + 500000;

	test_parts(image);
	test_ahead(image);
	drop(&big);
	dsfs_close(image);
	test_damaged(path, at);
}
