// SPDX-License-Identifier: GPL-2.0
/*
 * reader - an epoch as a training job reads it.
 *
 *   reader [--threads=1] [--ahead=0] [--samples=N] FORM LIST ROOT
 *
 * Threads read the samples of LIST, or so many of them, in a shuffled order; one more prefetches,
 * --ahead samples ahead of them.  LIST has a line for each: a path below ROOT; of a pack a path,
 * an offset and a length.  FORM:
 *
 *   pil	a file a sample: 4,096, then 61,440, then 65,536 bytes each, which is what
 *		PIL's Image.open() and load() do
 *   whole	a file a sample: open, fstat, a read of size + 1, one that finds the end:
 *		Python's open().read()
 *   pack	one file of all samples, and an index: a pread of each, anywhere
 *
 * Printed as NAME=VALUE: nanoseconds of wall clock, requests of the device, files, bytes and
 * errors.
 *
 * Why in C: what is measured is the file system, and not an interpreter.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../../guest/bench.h"

#define SAMPLE_MAX	(1 << 20)

/* A file, and of a pack which part of it */
struct sample {
	const char *path;
	uint64_t offset, length;
};

/* A thread.  @fd: the open pack, or -1; @errors: samples that could not be read whole */
struct reader {
	char *buf;
	int fd;
	uint64_t bytes, errors;
};

struct form {
	const char *name;
	void (*read)(struct reader *r, const struct sample *s);
	/* have a sample read in, without waiting */
	void (*need)(const struct sample *s);
};

static struct {
	const struct form *form;
	unsigned int threads, ahead;
	size_t count;
	struct sample *samples;
} run = { .threads = 1 };

/* Of the samples, those that a reader has begun with, and whether the prefetch waits for more */
static size_t taken;
static bool ahead_waits;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t room = PTHREAD_COND_INITIALIZER;

static void die(const char *what)
{
	fprintf(stderr, "reader: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void *allocate(size_t len)
{
	void *p = calloc(1, len);

	if (!p)
		die("memory");
	return p;
}

/* By Marsaglia's xorshift */
static void shuffle(struct sample *s, size_t count)
{
	uint64_t x = 0x2545f4914f6cdd1dULL * 3;
	struct sample tmp;
	size_t i, j;

	for (i = count; i > 1; i--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		j = x % i;
		tmp = s[i - 1];
		s[i - 1] = s[j];
		s[j] = tmp;
	}
}

static void read_list(const char *list, const char *root)
{
	unsigned long long offset, length;
	char line[4096], name[4096], *path;
	size_t space = 0, n = 0;
	FILE *f = fopen(list, "r");

	if (!f)
		die(list);
	while (fgets(line, sizeof(line), f)) {
		offset = 0;
		length = 0;
		if (sscanf(line, "%4095s %llu %llu", name, &offset, &length) < 1)
			continue;
		if (n == space) {
			space = 2 * space + 1024;
			run.samples = realloc(run.samples, space * sizeof(*run.samples));
			if (!run.samples)
				die("memory");
		}
		if (asprintf(&path, "%s/%s", root, name) < 0)
			die("memory");
		run.samples[n++] = (struct sample){ path, offset, length };
	}
	fclose(f);
	if (!n)
		die(list);
	run.count = n;
}

/* --- a file a sample ------------------------------------------------------ */

static void need_file(const struct sample *s)
{
	int fd = open(s->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED);
	close(fd);
}

static uint64_t pieces_of_pil(struct reader *r, int fd)
{
	uint64_t pos = 0;
	size_t want = 4096;
	ssize_t got;

	while ((got = read(fd, r->buf, want)) > 0) {
		pos += got;
		want = pos == 4096 ? 61440 : 65536;
	}
	return pos;
}

static uint64_t at_once(struct reader *r, int fd, uint64_t size)
{
	uint64_t pos = 0, left;
	ssize_t got;

	while (pos < SAMPLE_MAX) {
		left = SAMPLE_MAX - pos;
		got = read(fd, r->buf + pos, size + 1 - pos < left ? size + 1 - pos : left);
		if (got <= 0)
			break;
		pos += got;
	}
	return pos;
}

static void read_file(struct reader *r, const struct sample *s, bool pil)
{
	int fd = open(s->path, O_RDONLY | O_CLOEXEC);
	struct stat st = { .st_size = -1 };
	uint64_t got = 0;

	if (fd >= 0 && !fstat(fd, &st))
		got = pil ? pieces_of_pil(r, fd) : at_once(r, fd, st.st_size);
	if (fd < 0 || got != st.st_size)
		r->errors++;
	r->bytes += got;
	if (fd >= 0)
		close(fd);
}

static void read_pil(struct reader *r, const struct sample *s)
{
	read_file(r, s, true);
}

static void read_whole(struct reader *r, const struct sample *s)
{
	read_file(r, s, false);
}

/* --- one file and an index ------------------------------------------------ */

/* no readahead, which would read neighbours that are not needed */
static int open_pack(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die(path);
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	return fd;
}

static void need_record(const struct sample *s)
{
	static int fd = -1;

	if (fd < 0)
		fd = open_pack(s->path);
	posix_fadvise(fd, s->offset, s->length, POSIX_FADV_WILLNEED);
}

static void read_record(struct reader *r, const struct sample *s)
{
	ssize_t got;

	if (r->fd < 0)
		r->fd = open_pack(s->path);
	got = pread(r->fd, r->buf, s->length, s->offset);
	if (got != s->length)
		r->errors++;
	r->bytes += got > 0 ? got : 0;
}

static const struct form forms[] = {
	{ "pil",	read_pil,	need_file },
	{ "whole",	read_whole,	need_file },
	{ "pack",	read_record,	need_record },
};

/* --- threads -------------------------------------------------------------- */

/* Take the next sample of the epoch; NULL at its end. */
static const struct sample *take_sample(void)
{
	size_t n = __atomic_fetch_add(&taken, 1, __ATOMIC_SEQ_CST);

	if (__atomic_load_n(&ahead_waits, __ATOMIC_SEQ_CST)) {
		pthread_mutex_lock(&lock);
		pthread_cond_signal(&room);
		pthread_mutex_unlock(&lock);
	}
	return n < run.count ? &run.samples[n] : NULL;
}

/*
 * Prefetch: as soon as a quarter of the window is free, so that the threads do not wake
 * each other for each sample.
 */
static void *run_ahead(void *unused)
{
	size_t next = 0, end, window = run.ahead - run.ahead / 4;

	while (next < run.count) {
		pthread_mutex_lock(&lock);
		__atomic_store_n(&ahead_waits, true, __ATOMIC_SEQ_CST);
		while (next > __atomic_load_n(&taken, __ATOMIC_SEQ_CST) + window)
			pthread_cond_wait(&room, &lock);
		__atomic_store_n(&ahead_waits, false, __ATOMIC_SEQ_CST);
		pthread_mutex_unlock(&lock);
		end = __atomic_load_n(&taken, __ATOMIC_SEQ_CST) + run.ahead;
		for (; next < end && next < run.count; next++)
			run.form->need(&run.samples[next]);
	}
	return unused;
}

static void *run_reader(void *data)
{
	const struct sample *s;

	while ((s = take_sample()))
		run.form->read(data, s);
	return NULL;
}

static pthread_t start(void *(*what)(void *), void *arg)
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, what, arg);
	if (errno)
		die("thread");
	return thread;
}

static void run_threads(struct reader *r)
{
	pthread_t *threads = allocate((run.threads + 1) * sizeof(*threads));
	unsigned int n = 0, i;

	if (run.ahead)
		threads[n++] = start(run_ahead, NULL);
	for (i = 0; i < run.threads; i++)
		threads[n++] = start(run_reader, &r[i]);
	while (n)
		pthread_join(threads[--n], NULL);
	free(threads);
}

/* --- what is measured ----------------------------------------------------- */

/* A line of /sys/dev/block/MAJOR:MINOR/stat begins with the reads. */
static unsigned long long requests_of(const char *root)
{
	unsigned long long requests = 0;
	char path[64];
	struct stat st;
	FILE *f;

	if (stat(root, &st))
		die(root);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(st.st_dev),
		 minor(st.st_dev));
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%llu", &requests) != 1)
			die(path);
		fclose(f);
	}
	return requests;
}

static int measure(const char *root)
{
	struct reader *r = allocate(run.threads * sizeof(*r));
	unsigned long long requests, wall, bytes = 0, errors = 0;
	unsigned int i;

	for (i = 0; i < run.threads; i++) {
		r[i].fd = -1;
		r[i].buf = allocate(SAMPLE_MAX);
		memset(r[i].buf, 1, SAMPLE_MAX);
	}
	requests = requests_of(root);
	wall = bench_now();
	run_threads(r);
	wall = bench_now() - wall;
	for (i = 0; i < run.threads; i++) {
		bytes += r[i].bytes;
		errors += r[i].errors;
	}
	printf("wall=%llu requests=%llu files=%zu bytes=%llu errors=%llu\n", wall,
	       requests_of(root) - requests, run.count, bytes, errors);
	return errors ? 1 : 0;
}

static int usage(void)
{
	fprintf(stderr, "usage: reader [--threads=N] [--ahead=N] [--samples=N] pil|whole|pack "
		"LIST ROOT\n");
	return 2;
}

static const struct option options[] = {
	{ "threads", required_argument, NULL, 't' },
	{ "ahead", required_argument, NULL, 'a' },
	{ "samples", required_argument, NULL, 's' },
	{ }
};

int main(int argc, char **argv)
{
	size_t limit = SIZE_MAX, i;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 't':
			run.threads = strtoul(optarg, NULL, 10);
			break;
		case 'a':
			run.ahead = strtoul(optarg, NULL, 10);
			break;
		case 's':
			limit = strtoul(optarg, NULL, 10);
			break;
		default:
			return usage();
		}
	}
	for (i = 0; argc - optind == 3 && i < sizeof(forms) / sizeof(*forms); i++) {
		if (!strcmp(forms[i].name, argv[optind]))
			run.form = &forms[i];
	}
	if (!run.form || !run.threads)
		return usage();
	read_list(argv[optind + 1], argv[optind + 2]);
	shuffle(run.samples, run.count);
	if (limit < run.count)
		run.count = limit;
	return measure(argv[optind + 2]);
}
