// SPDX-License-Identifier: GPL-2.0
/*
 * libdsfs-threads IMAGE - many threads ask one image everything at once, from the first
 * byte of its metadata on, and one file is read by all.  Under ThreadSanitizer.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

#define THREADS	8
#define ROUNDS	4

/**
 * struct shared - what the threads share
 * @sum: what a visit gives, and what one thread found of it
 */
struct shared {
	struct dsfs_image *image;
	struct dsfs_file *file;
	pthread_barrier_t start;
	u64 sum;
	u64 wrong;
};

static void *run(void *arg)
{
	static __thread char buf[50000];
	struct shared *s = arg;
	struct dsfs_error error;
	u64 errors, sum;

	pthread_barrier_wait(&s->start);
	sum = visit(s->image, &errors);
	if (sum != s->sum || errors != 2 ||
	    dsfs_pread(s->file, buf, sizeof(buf), 1000, &error) != sizeof(buf))
		__atomic_fetch_add(&s->wrong, 1, __ATOMIC_RELAXED);
	return NULL;
}

int main(int argc, char **argv)
{
	struct shared s = { 0 };
	pthread_t t[THREADS];
	u64 errors;
	int round, i;

	if (argc != 2) {
		fputs("usage: libdsfs-threads IMAGE\n", stderr);
		return 2;
	}
	s.image = must_open(argv[1]);
	s.sum = visit(s.image, &errors);
	dsfs_close(s.image);
	pthread_barrier_init(&s.start, NULL, THREADS);
	for (round = 0; round < ROUNDS; round++) {
		s.image = must_open(argv[1]);
		if (dsfs_file_open(s.image, must_find(s.image, "big"), 0, &s.file, NULL))
			s.wrong++;
		for (i = 0; i < THREADS; i++)
			if (pthread_create(&t[i], NULL, run, &s))
				return 1;
		for (i = 0; i < THREADS; i++)
			pthread_join(t[i], NULL);
		dsfs_file_close(s.file);
		dsfs_close(s.image);
	}
	OK(!s.wrong, "threads: %d at once, %d times, all read the same", THREADS, ROUNDS);
	return tap_result();
}
