// SPDX-License-Identifier: GPL-2.0
/*
 * Damaged files of the cache: flipped bits, cut off, other bytes, blocks at the place of others.
 * Reads must give the right bytes, without an error.
 */
#include "unit_cache.h"

#define IMAGE	(3 * MIB + 100)
#define SAMPLES	28
#define ROUNDS		30
#define ROUNDS_LONG	2000

static u8 *load(const char *path, size_t *bytes)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	u8 *p;

	if (fd < 0 || fstat(fd, &st))
		exit(1);
	*bytes = st.st_size;
	p = malloc(*bytes);
	if (!p || pread(fd, p, *bytes, 0) != (ssize_t)*bytes)
		exit(1);
	close(fd);
	return p;
}

static void store(const char *path, const u8 *p, size_t bytes)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	if (fd < 0 || pwrite(fd, p, bytes, 0) != (ssize_t)bytes)
		exit(1);
	close(fd);
}

/* A block and its entry to the place of another one */
static void move_block(u8 *p, u64 from, u64 to)
{
	const u64 data = cache_data_pos(cache_blocks(IMAGE));

	memcpy(p + 4096 + to * 8, p + 4096 + from * 8, 8);
	memcpy(p + data + to * 4096, p + data + from * 4096, 4096);
}

/* Return: the new length. */
static size_t damage(u8 *p, size_t bytes, u64 *seed)
{
	const u64 data = cache_data_pos(cache_blocks(IMAGE));
	const u64 kind = next_random(seed) % 6, at = next_random(seed) % bytes;
	const u64 some = next_random(seed) % (bytes - at) + 1;

	if (kind == 0)
		p[at] ^= 1 << next_random(seed) % 8;
	else if (kind == 1)	/* an entry */
		p[4096 + at % (data - 4096)] ^= 1 << next_random(seed) % 8;
	else if (kind == 2)
		return at;
	else if (kind == 3)
		memset(p + at, next_random(seed) % 2 ? 0 : 0xff, some);
	else if (kind == 4)	/* data without, or with entries of zeros */
		memset(p + 4096, 0, data - 4096);
	else
		move_block(p, next_random(seed) % 700, next_random(seed) % 700);
	return bytes;
}

/* Return: whether a read was wrong or failed. */
static bool read_all(struct origin *o, struct dsfs_reader *r, bool library)
{
	for (u64 i = 0; i < SAMPLES; i++)
		if (library ? get_as_library(r, o, i * SAMPLE, SAMPLE) :
		    get(r, o, i * SAMPLE, SAMPLE, 0))
			return true;
	return false;
}

/* @open: the file is damaged while a reader has it open.  @whole: all comes in again then. */
static void test_rounds(bool library, bool open, bool whole)
{
	const int rounds = is_long() ? ROUNDS_LONG : ROUNDS;
	unsigned int wrong = 0, unhealed = 0;
	char path[PATH_MAX];
	struct dsfs_reader *r;
	struct origin o;
	u64 seed = 42;
	u8 *good, *p;
	size_t bytes;

	work_begin();
	origin_init(&o, IMAGE, "damage");
	if (whole)
		origin_whole(&o);
	r = must_cache(&o, LARGE, false);
	read_all(&o, r, false);
	cache_names(path);
	good = load(path, &bytes);
	p = malloc(bytes);
	for (int i = 0; p && i < rounds; i++) {
		memcpy(p, good, bytes);
		store(path, p, damage(p, bytes, &seed));
		if (!open) {
			close_reader(r);
			r = must_cache(&o, LARGE, false);
		}
		wrong += read_all(&o, r, library);
		o.requests = 0;
		wrong += read_all(&o, r, false);
		if (!library)
			unhealed += !!o.requests;
		cache_names(path);
	}
	OK(!wrong, "%d times damaged%s, read %s: always right", rounds, open ? " while open" : "",
	   library ? "with checksums" : "without");
	OK(!unhealed, "and whole again afterwards");
	close_reader(r);
	free(good);
	free(p);
	work_end();
}

/* What a crash leaves: an entry of a block that was never written */
static void test_zeros(void)
{
	const u8 zeros[4096] = { };
	char path[PATH_MAX];
	struct dsfs_reader *r;
	struct origin o;
	int fd;

	work_begin();
	origin_init(&o, IMAGE, "zeros");
	r = must_cache(&o, LARGE, false);
	get(r, &o, 0, SAMPLE, 0);
	cache_names(path);
	fd = open(path, O_WRONLY);
	OK(pwrite(fd, zeros, 4096, cache_data_pos(cache_blocks(IMAGE)) + 4096) == 4096,
	   "a block of zeros behind a right entry");
	OK(!get(r, &o, 0, SAMPLE, 0), "is not taken for the block");
	OK(o.pos == 4096 && o.len == 4096, "which alone is asked for");
	OK(pwrite(fd, zeros, 8, 4096 + 8 * 600) == 8 && !ftruncate(fd, 700 * 4096),
	   "zeros and an entry of zeros");
	OK(!get(r, &o, 600 * 4096, 4096, READ_CHECKED), "are no block");
	close(fd);
	close_reader(r);
	work_end();
}

TESTS(damage)
{
	test_zeros();
	test_rounds(false, false, false);
	test_rounds(false, true, false);
	test_rounds(true, false, false);
	test_rounds(true, true, false);
	test_rounds(false, true, true);
	test_rounds(true, true, true);
}
