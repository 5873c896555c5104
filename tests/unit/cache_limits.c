// SPDX-License-Identifier: GPL-2.0
/* What stays in a full cache, and what is removed, by counts. */

#include "unit_cache.h"

#define IMAGE	(32 * MIB)
#define SAMPLES	300	/* 31.5 MiB */
#define LIMIT	(8 * MIB)
#define SLACK	(128 * KIB)	/* heads, entries and the block at each end of a sample */

static u64 requests_of(struct dsfs_reader *r, struct origin *o)
{
	o->requests = 0;
	return get_samples(r, o, SAMPLES) ? UINT64_MAX : o->requests;
}

static void test_keep(void)
{
	struct dsfs_reader *r;
	struct origin o;
	u64 second;

	work_begin();
	origin_init(&o, IMAGE, "keep");
	r = must_cache(&o, LIMIT, false);
	OK(requests_of(r, &o) == SAMPLES, "keep: the first epoch asks for all");
	OK(cache_used() <= LIMIT + SLACK, "the limit is kept: %llu", cache_used());
	OK(cache_used() >= LIMIT - 2 * SLACK, "and used: %llu", cache_used());
	second = requests_of(r, &o);
	OK(SAMPLES - second >= 70 && SAMPLES - second <= 77, "the second finds what fits: %llu",
	   SAMPLES - second);
	OK(requests_of(r, &o) == second, "so does the third: nothing was replaced");
	close_reader(r);
	r = must_cache(&o, 2 * LIMIT, false);
	requests_of(r, &o);
	OK(requests_of(r, &o) <= second - 70, "with twice the room there are twice the hits");
	close_reader(r);
	work_end();
}

static void test_lru(void)
{
	unsigned int missed = 0, wrong = 0;
	struct dsfs_reader *r;
	struct origin o;

	work_begin();
	origin_init(&o, IMAGE, "lru");
	r = must_cache(&o, LIMIT, true);
	for (u64 i = 0; i < 4 * SAMPLES; i++) {
		wrong += !!get(r, &o, i % SAMPLES * SAMPLE, SAMPLE, i & 1 ? READ_CHECKED : 0);
		o.requests = 0;
		/* ten that are read all the time */
		wrong += !!get(r, &o, i % 10 * SAMPLE, SAMPLE, i & 2 ? READ_CHECKED : 0);
		missed += i >= 10 && o.requests;
	}
	OK(!wrong, "lru: all is right");
	OK(cache_used() <= LIMIT + SLACK, "the limit is kept: %llu", cache_used());
	OK(missed <= 10, "what is read all the time stays: %u of %d missed", missed, 4 * SAMPLES);
	o.requests = 0;
	for (u64 i = SAMPLES - 20; i < SAMPLES; i++)
		wrong += !!get(r, &o, i * SAMPLE, SAMPLE, 0);
	OK(!wrong && o.requests <= 1, "so does what was read last");
	close_reader(r);
	work_end();
}

/* A blob of somebody's, which is called by its sum.  Return: its path. */
static const char *plant_other(void)
{
	static char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%.300s/%064d", cache_path, 0);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd >= 0 && write(fd, "a layer", 7) != 7)
		exit(1);
	close(fd);
	return path;
}

/* As if nobody had used it for two hours */
static void make_old(const char *path)
{
	struct timespec t[2];

	clock_gettime(CLOCK_REALTIME, &t[0]);
	t[0].tv_sec -= 7200;
	t[1] = t[0];
	if (utimensat(AT_FDCWD, path, t, 0))
		exit(1);
}

static void fill(struct origin *o, const char *identity)
{
	struct dsfs_reader *r;

	origin_init(o, IMAGE, identity);
	r = must_cache(o, LIMIT, false);
	requests_of(r, o);
	close_reader(r);
}

static bool is_there(const char *path)
{
	return !access(path, F_OK);
}

static void test_images(void)
{
	struct dsfs_reader *r, *holder;
	const char *other;
	struct origin a, b;
	char first[PATH_MAX];

	work_begin();
	fill(&a, "a");
	cache_names(first);
	fill(&b, "b");
	OK(is_there(first), "an image that was used an hour ago stays");
	holder = must_cache(&a, LIMIT, false);
	make_old(first);
	fill(&b, "b");
	OK(is_there(first), "so does one that somebody has open");
	close_reader(holder);
	make_old(first);
	other = plant_other();
	make_old(other);
	r = must_cache(&b, LIMIT, false);
	OK(requests_of(r, &b) > SAMPLES - 70 && !is_there(first),
	   "one that nobody has used for long makes room");
	OK(is_there(other), "but no file of another program, whatever its name is");
	OK(requests_of(r, &b) <= SAMPLES - 70, "which is used");
	OK(cache_used() <= LIMIT + SLACK, "within the limit: %llu", cache_used());
	close_reader(r);
	work_end();
}

TESTS(limits)
{
	test_keep();
	test_lru();
	test_images();
}
