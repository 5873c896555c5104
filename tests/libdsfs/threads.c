// SPDX-License-Identifier: GPL-2.0
/*
 * libdsfs-threads IMAGE - many threads make all calls of an image at once, from the first
 * read of its metadata on, and all read one file; then they read metadata through a cache
 * that has room for a part of it.  Runs under ThreadSanitizer.
 */
#include <pthread.h>

#include "image.h"
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

/**
 * struct blocks - metadata that is read through a cache with a limit
 * @sums: of its @n blocks
 */
struct blocks {
	struct dsfs_source *src;
	u32 *sums;
	u64 n;
	u64 wrong;
};

static u32 block_sum(struct dsfs_source *src, u64 block)
{
	struct dsfs_mref ref;
	u32 sum = 0;

	if (!source_block(src, block, &ref)) {
		sum = dsfs_crc32c(0, ref.p, DSFS_BLOCK_SIZE);
		dsfs_meta_put(&ref);
	}
	return sum;
}

/* All blocks, by steps that lead each thread another way. */
static void *run_blocks(void *arg)
{
	static u64 threads;
	struct blocks *b = arg;
	u64 at = __atomic_fetch_add(&threads, 7, __ATOMIC_RELAXED), i;

	for (i = 0; i < 4 * b->n; i++, at += 67)
		if (block_sum(b->src, at % b->n) != b->sums[at % b->n])
			__atomic_fetch_add(&b->wrong, 1, __ATOMIC_RELAXED);
	return NULL;
}

static u64 pages_in_memory(struct blocks *b)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	size_t pages = (b->n * DSFS_BLOCK_SIZE + page - 1) / page, i, n = 0;
	unsigned char *in = malloc(pages);
	struct dsfs_mref ref;

	if (!source_block(b->src, 0, &ref)) {
		mincore((void *)ref.p, b->n * DSFS_BLOCK_SIZE, in);
		dsfs_meta_put(&ref);
	}
	for (i = 0; i < pages; i++)
		n += in[i] & 1;
	free(in);
	return n * page / DSFS_BLOCK_SIZE;
}

/* Room for two pieces of 64 blocks; the one with BLOCKSUMS stays, too. */
static void test_limit(const struct image *img)
{
	struct dsfs_source *all = image_source(img, UINT64_MAX);
	struct blocks b = {
		.src = image_source(img, 64 * DSFS_BLOCK_SIZE),
		.n = img->geo->meta_bytes / DSFS_BLOCK_SIZE,
	};
	pthread_t t[THREADS];
	u64 i;

	b.sums = calloc(b.n, sizeof(*b.sums));
	for (i = 0; i < b.n; i++)
		b.sums[i] = block_sum(all, i);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, run_blocks, &b))
			exit(1);
	for (i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	OK(!b.wrong, "threads: all blocks through a cache that has room for a part of them");
	for (i = 0; i < b.n; i++)
		block_sum(b.src, i);
	OK(pages_in_memory(&b) <= 3 * 64 && b.n > 4 * 64,
	   "threads: and it does not keep more than that");
	free(b.sums);
	image_source_free(b.src);
	image_source_free(all);
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
	s.image = must_open(argv[1]);
	test_limit(image_of(s.image));
	dsfs_close(s.image);
	return tap_result();
}
