// SPDX-License-Identifier: GPL-2.0
/* Threads that read the same range, and a fork while one of them reads it. */
#include <pthread.h>

#include "unit_cache.h"

#define IMAGE	(8 * MIB)
#define SAMPLES	70
#define THREADS	8

struct readers {
	struct origin o;
	struct dsfs_reader *r;
	unsigned int wrong;
	pthread_barrier_t start;
};

static void *read_samples(void *arg)
{
	struct readers *rs = arg;

	for (u64 i = 0; i < SAMPLES; i++) {
		pthread_barrier_wait(&rs->start);
		if (get(rs->r, &rs->o, i * SAMPLE, SAMPLE, i & 1 ? READ_CHECKED : 0))
			__atomic_fetch_add(&rs->wrong, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void test_same(bool whole)
{
	struct readers rs = { };
	pthread_t t[THREADS];

	work_begin();
	origin_init(&rs.o, IMAGE, "threads");
	if (whole)
		origin_whole(&rs.o);
	rs.r = must_cache(&rs.o, LARGE, false);
	pthread_barrier_init(&rs.start, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, read_samples, &rs))
			exit(1);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	OK(!rs.wrong, "%d threads that read the same: right", THREADS);
	OK(rs.o.requests == (whole ? 1 : SAMPLES), "one request a sample, or for all: %llu",
	   rs.o.requests);
	close_reader(rs.r);
	work_end();
}

static struct dsfs_reader *forked;
static int child_status;

static void fork_and_read(struct origin *o)
{
	pid_t pid = fork();

	if (!pid) {
		alarm(60);
		_exit(!!get(forked, o, 0, SAMPLE, 0));
	}
	if (pid < 0 || waitpid(pid, &child_status, 0) != pid)
		exit(1);
}

static void test_fork(void)
{
	struct origin o;

	work_begin();
	origin_init(&o, IMAGE, "fork");
	forked = must_cache(&o, LARGE, false);
	o.hook = fork_and_read;
	OK(!get(forked, &o, 0, SAMPLE, 0), "a thread that brings in a sample");
	OK(!child_status, "a child forked meanwhile does not wait for it: %#x", child_status);
	close_reader(forked);
	work_end();
}

TESTS(threads)
{
	test_same(false);
	test_same(true);
	test_fork();
}
