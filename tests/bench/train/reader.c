// SPDX-License-Identifier: GPL-2.0
/*
 * reader - an epoch as a training job reads it, and MLPerf Storage's arithmetic.
 *
 *   reader [OPTION...] FORM LIST ROOT
 *
 * FORM is pil, whole, pack or shards (forms.c).  LIST has a line for each sample: a path
 * below ROOT; of a pack a path, an offset and a length; of shards, a path for each.
 *
 *   --threads=N	that read (1)
 *   --ahead=N		samples that are prefetched ahead of them, by a thread (0)
 *   --samples=N	no more than so many
 *   --epoch=N		another order (1)
 *   --accelerators=N	are fed: each takes a batch when it has one, and computes
 *   --batch=N		samples of it (24)
 *   --step=NS		nanoseconds that it computes (47550000)
 *
 * Printed as NAME=VALUE: nanoseconds of wall clock and, where there is /dev/bench, of
 * the kernel's processor time; requests and bytes of the device; files, bytes and errors;
 * and au, the accelerators' time of computing over all, in millionths.
 *
 * Why in C: what is measured is the file system, and not an interpreter.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "../native/drivers/bench.h"
#include "reader.h"

#define BATCHES_WAITING	4	/* of each accelerator */

static struct {
	const struct form *form;
	unsigned int threads, ahead, accelerators, batch;
	unsigned long long step;
	size_t count;
	struct sample *samples;
} run = { .threads = 1, .batch = 24, .step = 47550000 };

/*
 * What the threads share.  @taken: samples that a reader has begun with.  @ready: that
 * wait for an accelerator; @delivered: all so far.  @whole_at: when a batch was
 * whole, of @waiting at most that nobody has taken yet; @batches: that accelerators have.
 */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t more, less;
	size_t taken, ready, delivered, batches, waiting;
	unsigned long long *whole_at;
	unsigned int readers;
	bool ahead_waits;
} state = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.more = PTHREAD_COND_INITIALIZER,
	.less = PTHREAD_COND_INITIALIZER,
};

static pthread_cond_t ahead_room = PTHREAD_COND_INITIALIZER;

void die(const char *what)
{
	fprintf(stderr, "reader: %s: %s\n", what, strerror(errno));
	exit(2);
}

void *allocate(size_t len)
{
	void *p = calloc(1, len);

	if (!p)
		die("memory");
	return p;
}

/* Marsaglia's xorshift */
uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static void shuffle(struct sample *s, size_t count, unsigned int epoch)
{
	uint64_t x = 0x2545f4914f6cdd1dULL * (2 * epoch + 1);
	struct sample tmp;
	size_t i, j;

	for (i = count; i > 1; i--) {
		j = next_random(&x) % i;
		tmp = s[i - 1];
		s[i - 1] = s[j];
		s[j] = tmp;
	}
}

static void read_list(const char *list, const char *root)
{
	unsigned long long offset, length;
	char line[4096], name[4096], *path;
	size_t room = 0, n = 0;
	FILE *f = fopen(list, "r");

	if (!f)
		die(list);
	while (fgets(line, sizeof(line), f)) {
		offset = 0;
		length = 0;
		if (sscanf(line, "%4095s %llu %llu", name, &offset, &length) < 1)
			continue;
		if (n == room) {
			room = 2 * room + 1024;
			run.samples = realloc(run.samples, room * sizeof(*run.samples));
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

static unsigned long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* --- threads -------------------------------------------------------------- */

/* Take the next sample of the epoch; NULL at its end. */
static const struct sample *take_sample(void)
{
	size_t n = __atomic_fetch_add(&state.taken, 1, __ATOMIC_SEQ_CST);

	if (__atomic_load_n(&state.ahead_waits, __ATOMIC_SEQ_CST)) {
		pthread_mutex_lock(&state.lock);
		pthread_cond_signal(&ahead_room);
		pthread_mutex_unlock(&state.lock);
	}
	return n < run.count ? &run.samples[n] : NULL;
}

/*
 * Prefetch: as soon as a quarter of the window is free, so that the threads do not wake
 * each other for each sample.
 */
static void *run_ahead(void *unused)
{
	size_t next = 0, end, room = run.ahead - run.ahead / 4;

	while (next < run.count) {
		pthread_mutex_lock(&state.lock);
		__atomic_store_n(&state.ahead_waits, true, __ATOMIC_SEQ_CST);
		while (next > __atomic_load_n(&state.taken, __ATOMIC_SEQ_CST) + room)
			pthread_cond_wait(&ahead_room, &state.lock);
		__atomic_store_n(&state.ahead_waits, false, __ATOMIC_SEQ_CST);
		pthread_mutex_unlock(&state.lock);
		end = __atomic_load_n(&state.taken, __ATOMIC_SEQ_CST) + run.ahead;
		for (; next < end && next < run.count; next++)
			run.form->need(&run.samples[next]);
	}
	return unused;
}

/* Count a sample as read; wake accelerators, if there are any. */
static void deliver(struct reader *r)
{
	(void)r;
	if (!run.accelerators) {
		__atomic_fetch_add(&state.delivered, 1, __ATOMIC_RELAXED);
		return;
	}
	pthread_mutex_lock(&state.lock);
	state.ready++;
	if (++state.delivered % run.batch == 0) {
		state.whole_at[(state.delivered / run.batch - 1) % state.waiting] = now();
		pthread_cond_signal(&state.more);
	}
	while (state.ready >= (size_t)run.accelerators * BATCHES_WAITING * run.batch)
		pthread_cond_wait(&state.less, &state.lock);
	pthread_mutex_unlock(&state.lock);
}

static void *run_reader(void *data)
{
	struct reader *r = data;
	const struct sample *s;

	while ((s = take_sample())) {
		run.form->read(r, s);
		if (run.form->need)
			deliver(r);
	}
	shuffle_free(r->shuffle);
	pthread_mutex_lock(&state.lock);
	state.readers--;
	pthread_cond_broadcast(&state.more);
	/* wake the waiting threads: there is nothing more to read */
	pthread_cond_broadcast(&state.less);
	pthread_mutex_unlock(&state.lock);
	return NULL;
}

/* Sleep until @end, which may be over. */
static void compute_until(unsigned long long end)
{
	struct timespec t = { end / 1000000000, end % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL))
		;
}

/*
 * Batches; what is left at the end is none.  Returns how many it has computed.
 *
 * An accelerator is a device: it begins with a batch when that is whole and the last one is
 * computed, not when this thread, which shares a processor with the readers, gets to run.
 */
static void *run_accelerator(void *unused)
{
	unsigned long long end = 0, whole;
	uintptr_t steps = 0;
	unsigned int i;

	(void)unused;
	for (;; steps++) {
		pthread_mutex_lock(&state.lock);
		while (state.ready < run.batch && state.readers)
			pthread_cond_wait(&state.more, &state.lock);
		if (state.ready < run.batch) {
			pthread_mutex_unlock(&state.lock);
			return (void *)steps;
		}
		state.ready -= run.batch;
		whole = state.whole_at[state.batches++ % state.waiting];
		for (i = 0; i < run.batch; i++)
			pthread_cond_signal(&state.less);
		pthread_mutex_unlock(&state.lock);
		end = (end > whole ? end : whole) + run.step;
		compute_until(end);
	}
}

/* --- what is measured ----------------------------------------------------- */

struct counts {
	unsigned long long wall, cpu, copy, requests, sectors;
};

/* A line of /sys/dev/block/MAJOR:MINOR/stat begins with reads, merges and sectors. */
static void get_counts(const char *root, struct counts *c)
{
	int bench = open("/dev/bench", O_RDWR | O_CLOEXEC);
	struct bench_req clocks = {};
	char path[64];
	struct stat st;
	FILE *f;

	memset(c, 0, sizeof(*c));
	if (stat(root, &st))
		die(root);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(st.st_dev),
		 minor(st.st_dev));
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%llu %*u %llu", &c->requests, &c->sectors) != 2)
			die(path);
		fclose(f);
	}
	if (bench >= 0) {
		if (ioctl(bench, BENCH_CLOCKS, &clocks))
			die("/dev/bench");
		close(bench);
	}
	c->cpu = clocks.cpu;
	c->copy = clocks.copy;
	c->wall = now();
}

static pthread_t start(void *(*what)(void *), void *arg)
{
	pthread_t thread;

	errno = pthread_create(&thread, NULL, what, arg);
	if (errno)
		die("thread");
	return thread;
}

/* Run the accelerators.  Return: the steps of all of them. */
static uint64_t run_threads(struct reader *r)
{
	pthread_t *readers = allocate(run.threads * sizeof(*readers));
	pthread_t *accelerators = allocate((run.accelerators + 1) * sizeof(*accelerators));
	pthread_t ahead;
	bool by_thread = run.ahead && run.form->need;
	uint64_t steps = 0;
	unsigned int i;
	void *ret;

	state.readers = run.threads;
	/* A reader looks whether there is room when it has delivered. */
	state.waiting = run.accelerators * BATCHES_WAITING + run.threads / run.batch + 2;
	state.whole_at = allocate(state.waiting * sizeof(*state.whole_at));
	if (by_thread)
		ahead = start(run_ahead, NULL);
	for (i = 0; i < run.threads; i++)
		readers[i] = start(run_reader, &r[i]);
	for (i = 0; i < run.accelerators; i++)
		accelerators[i] = start(run_accelerator, NULL);
	for (i = 0; i < run.threads; i++)
		pthread_join(readers[i], NULL);
	for (i = 0; i < run.accelerators; i++) {
		pthread_join(accelerators[i], &ret);
		steps += (uintptr_t)ret;
	}
	if (by_thread)
		pthread_join(ahead, NULL);
	free(state.whole_at);
	free(accelerators);
	free(readers);
	return steps;
}

static struct reader *make_readers(void)
{
	struct reader *r = allocate(run.threads * sizeof(*r));
	unsigned int i;

	for (i = 0; i < run.threads; i++) {
		r[i].fd = -1;
		r[i].deliver = deliver;
		r[i].buf = allocate(PIECE_MAX);
		memset(r[i].buf, 1, PIECE_MAX);
		/* Of RetinaNet's samples */
		r[i].ahead = (uint64_t)run.ahead * 322957;
	}
	return r;
}

static int measure(const char *root)
{
	struct reader *r = make_readers();
	uint64_t bytes = 0, errors = 0, steps;
	struct counts before, after;
	unsigned int i;

	get_counts(root, &before);
	steps = run_threads(r);
	get_counts(root, &after);
	for (i = 0; i < run.threads; i++) {
		bytes += r[i].bytes;
		errors += r[i].errors;
	}
	after.wall -= before.wall;
	printf("wall=%llu cpu=%llu copy=%llu requests=%llu device=%llu ", after.wall,
	       after.cpu - before.cpu, after.copy - before.copy,
	       after.requests - before.requests, (after.sectors - before.sectors) * 512);
	printf("files=%zu bytes=%llu errors=%llu au=%.0f\n", state.delivered,
	       (unsigned long long)bytes, (unsigned long long)errors,
	       run.accelerators ? 1e6 * steps * run.step / run.accelerators / after.wall : 0);
	return errors ? 1 : 0;
}

static void usage(void)
{
	fprintf(stderr, "usage: reader [--threads=N] [--ahead=N] [--samples=N] [--epoch=N] "
		"[--accelerators=N] [--batch=N] [--step=NS] FORM LIST ROOT\n");
	exit(2);
}

static const struct option options[] = {
	{ "threads", required_argument, NULL, 't' },
	{ "ahead", required_argument, NULL, 'a' },
	{ "samples", required_argument, NULL, 's' },
	{ "epoch", required_argument, NULL, 'e' },
	{ "accelerators", required_argument, NULL, 'n' },
	{ "batch", required_argument, NULL, 'b' },
	{ "step", required_argument, NULL, 'p' },
	{ }
};

int main(int argc, char **argv)
{
	unsigned long long value;
	size_t limit = SIZE_MAX;
	unsigned int epoch = 1;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		value = optarg ? strtoull(optarg, NULL, 10) : 0;
		switch (c) {
		case 't':
			run.threads = value;
			break;
		case 'a':
			run.ahead = value;
			break;
		case 's':
			limit = value;
			break;
		case 'e':
			epoch = value;
			break;
		case 'n':
			run.accelerators = value;
			break;
		case 'b':
			run.batch = value;
			break;
		case 'p':
			run.step = value;
			break;
		default:
			usage();
		}
	}
	if (argc - optind != 3 || !run.threads || !run.batch)
		usage();
	/* keep freed memory: samples are allocated and freed all the time */
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	run.form = find_form(argv[optind]);
	if (!run.form)
		usage();
	read_list(argv[optind + 1], argv[optind + 2]);
	shuffle(run.samples, run.count, epoch);
	/* Of shards all: a part of a shard is none. */
	if (limit < run.count && run.form->need)
		run.count = limit;
	return measure(argv[optind + 2]);
}
