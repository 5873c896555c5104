// SPDX-License-Identifier: GPL-2.0
/*
 * reader - an epoch as a training job reads it.
 *
 * Threads read the samples of LIST, or so many of them, in a shuffled order, or in that of LIST;
 * one more prefetches, --ahead samples ahead of them.  LIST has a line for each: a path below ROOT;
 * of a pack a path, an offset and a length.  FORM:
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
#include <pthread.h>

#include "../../guest/bench.h"
#include "../../guest/lib.h"

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
	uint64_t threads, ahead, count;
	bool in_order;
	struct sample *samples;
} run = { .threads = 1, .count = UINT64_MAX };

/* Of the samples, those that a reader has begun with, and whether the prefetch waits for more */
static size_t taken;
static bool ahead_waits;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t room = PTHREAD_COND_INITIALIZER;

/* Shuffled, if not as they are in the list, and no more than are asked for */
static void choose_samples(const char *list, const char *root)
{
	struct t_files files = { };
	struct sample *s;

	t_read_list(&files, root, list);
	if (!files.count)
		t_die(list, "no samples");
	if (!run.in_order)
		t_shuffle(&files, 1);
	if (run.count > files.count)
		run.count = files.count;
	run.samples = t_alloc(run.count * sizeof(*run.samples));
	for (size_t i = 0; i < run.count; i++) {
		s = &run.samples[i];
		s->path = strtok(files.paths[i], " ");
		if (sscanf(strtok(NULL, "") ?: "", "%" SCNu64 " %" SCNu64, &s->offset,
			   &s->length) == 1)
			t_die(s->path, "its length");
	}
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
		t_die(path, "open");
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
		t_die("thread", "start");
	return thread;
}

static void run_threads(struct reader *r)
{
	pthread_t *threads = t_alloc((run.threads + 1) * sizeof(*threads));
	size_t n = 0, i;

	if (run.ahead)
		threads[n++] = start(run_ahead, NULL);
	for (i = 0; i < run.threads; i++)
		threads[n++] = start(run_reader, &r[i]);
	while (n)
		pthread_join(threads[--n], NULL);
	free(threads);
}

static int measure(const char *root)
{
	struct reader *r = t_alloc(run.threads * sizeof(*r));
	uint64_t requests, wall, bytes = 0, errors = 0;

	for (size_t i = 0; i < run.threads; i++) {
		r[i].fd = -1;
		r[i].buf = t_alloc(SAMPLE_MAX);
		memset(r[i].buf, 1, SAMPLE_MAX);
	}
	requests = t_device_counts(root).requests;
	wall = bench_now();
	run_threads(r);
	wall = bench_now() - wall;
	requests = t_device_counts(root).requests - requests;
	for (size_t i = 0; i < run.threads; i++) {
		bytes += r[i].bytes;
		errors += r[i].errors;
	}
	printf("wall=%" PRIu64 " requests=%" PRIu64 " files=%" PRIu64 " bytes=%" PRIu64
	       " errors=%" PRIu64 "\n", wall, requests, run.count, bytes, errors);
	return errors ? 1 : 0;
}

int main(int argc, char **argv)
{
	static const char usage[] =
		"[--threads=N] [--ahead=N] [--samples=N] [--in-order] "
		"pil|whole|pack LIST ROOT";
	const struct t_option options[] = {
		{ "threads", .number = &run.threads }, { "ahead", .number = &run.ahead },
		{ "samples", .number = &run.count }, { "in-order", .flag = &run.in_order }, { }
	};

	t_init("reader");
	argv = t_options(argc, argv, options, 3, usage);
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (!strcmp(forms[i].name, argv[0]))
			run.form = &forms[i];
	}
	if (!run.form || !run.threads)
		t_usage(usage);
	choose_samples(argv[1], argv[2]);
	return measure(argv[2]);
}
