// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of jobs.  Reader threads take jobs from it, in the order of data, and
 * finish them in any order.  One thread stores the results in order, so the image
 * depends on the contents alone, not on the number or speed of threads.
 *
 * The ring bounds the memory.  A large file passes through the buffer of its job in pieces.  Other
 * files are written from the buffer, so a job is free when its last file is written.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "../options/options.h"
#include "memory.h"
#include "ring.h"

#define RING_BYTES	(64 * 1024 * 1024)
#define RING_BYTES_MIN	(4 * 1024 * 1024)
#define RING_SHARE	16
#define HUGE_BYTES	(2 << 20)

/* The next job, once it is free; lock held. */
static struct job *next_free(struct ring *ring)
{
	struct job *job;

	for (;;) {
		if (ring->stop || ring->exhausted)
			return NULL;
		job = &ring->jobs[ring->next_fill % ring->njobs];
		if (!job->busy)
			return job;
		pthread_cond_wait(&ring->room, &ring->lock);
	}
}

static void free_extents(struct job *job)
{
	for (unsigned int i = 0; i < job->nitems; i++) {
		memory_free(job->items[i].extents);
		job->items[i].extents = NULL;
		memory_free(job->items[i].ends);
		job->items[i].ends = NULL;
	}
}

static void clear_job(struct job *job)
{
	job->nitems = 0;
	job->nsums = 0;
	job->made = 0;
	job->taken = 0;
	job->ready = false;
	job->large = false;
}

struct job *ring_take(struct ring *ring, bool (*form)(void *ctx, struct job *job), void *ctx)
{
	struct job *job;

	pthread_mutex_lock(&ring->lock);
	job = next_free(ring);
	if (job) {
		clear_job(job);
		if (form)
			ring->exhausted = !form(ctx, job);
		job->busy = !form || job->nitems;
		ring->next_fill += job->busy;
		if (!job->busy)
			job = NULL;
	}
	pthread_mutex_unlock(&ring->lock);
	return job;
}

void ring_set(struct ring *ring, struct job *job, bool *state)
{
	pthread_mutex_lock(&ring->lock);
	*state = true;
	pthread_cond_broadcast(&job->change);
	pthread_mutex_unlock(&ring->lock);
}

/* Readers wait for room, the writer for a job that never comes. */
void ring_end(struct ring *ring, bool stop)
{
	pthread_mutex_lock(&ring->lock);
	ring->exhausted = true;
	ring->stop |= stop;
	pthread_cond_broadcast(&ring->room);
	for (unsigned int i = 0; i < ring->njobs; i++)
		pthread_cond_broadcast(&ring->jobs[i].change);
	pthread_mutex_unlock(&ring->lock);
}

/* Wait as long as a job has so many pieces.  Return: whether it is not the end of the run. */
static bool wait_pieces(struct ring *ring, struct job *job, u64 pieces)
{
	bool stop;

	pthread_mutex_lock(&ring->lock);
	while (job->made - job->taken == pieces && !ring->stop)
		pthread_cond_wait(&job->change, &ring->lock);
	stop = ring->stop;
	pthread_mutex_unlock(&ring->lock);
	return !stop;
}

struct piece *ring_piece_get(struct ring *ring, struct job *job)
{
	struct piece *p = &job->pieces[job->made % PIECES];

	if (!wait_pieces(ring, job, PIECES))
		return NULL;
	p->bytes = 0;
	return p;
}

struct piece *ring_piece_wait(struct ring *ring, struct job *job)
{
	return wait_pieces(ring, job, 0) ? &job->pieces[job->taken % PIECES] : NULL;
}

void ring_piece_pass(struct ring *ring, struct job *job, u64 *count)
{
	pthread_mutex_lock(&ring->lock);
	++*count;
	pthread_cond_broadcast(&job->change);
	pthread_mutex_unlock(&ring->lock);
}

struct job *ring_wait(struct ring *ring)
{
	struct job *job = &ring->jobs[ring->next_drain % ring->njobs];

	pthread_mutex_lock(&ring->lock);
	while (!ring->stop && !(job->busy && (job->ready || job->large)) &&
	       !(ring->exhausted && ring->next_drain == ring->next_fill))
		pthread_cond_wait(&job->change, &ring->lock);
	if (ring->stop || !job->busy)
		job = NULL;
	pthread_mutex_unlock(&ring->lock);
	return job;
}

void ring_done(struct ring *ring, struct job *job)
{
	free_extents(job);
	pthread_mutex_lock(&ring->lock);
	/* the reader of a large file may still have to close it */
	while (!job->ready && !ring->stop)
		pthread_cond_wait(&job->change, &ring->lock);
	ring->next_drain++;
	pthread_mutex_unlock(&ring->lock);
}

bool ring_take_back(struct ring *ring)
{
	bool half;

	pthread_mutex_lock(&ring->lock);
	while (ring->next_back < ring->next_drain) {
		struct job *job = &ring->jobs[ring->next_back % ring->njobs];

		if (job->lent)
			break;
		job->busy = false;
		ring->next_back++;
		pthread_cond_broadcast(&ring->room);
	}
	half = ring->next_drain - ring->next_back <= ring->njobs / 2;
	pthread_mutex_unlock(&ring->lock);
	return half;
}

static int jobs_init(struct ring *ring)
{
	size_t sums = ring->buf_bytes / DSFS_BLOCK_SIZE + JOB_FILES;
	size_t bytes = ring->buf_bytes * ring->njobs;

	bytes += -bytes & (HUGE_BYTES - 1);
	ring->bufs = aligned_alloc(HUGE_BYTES, bytes);
	if (!ring->bufs)
		return -ENOMEM;
	/* huge pages save a page fault for each 4 KiB; a refusal does not matter */
	madvise(ring->bufs, bytes, MADV_HUGEPAGE);
	for (unsigned int i = 0; i < ring->njobs; i++) {
		struct job *job = &ring->jobs[i];

		pthread_cond_init(&job->change, NULL);
		job->buf = ring->bufs + i * ring->buf_bytes;
		for (unsigned int k = 0; k < PIECES; k++)
			job->pieces[k].buf = job->buf + k * (size_t)ring_piece_bytes(ring);
		job->sums = malloc(sums * sizeof(*job->sums));
		if (!job->sums)
			return -ENOMEM;
	}
	return 0;
}

unsigned int ring_jobs(unsigned int threads)
{
	/* jobs that readers fill, and jobs that the window has borrowed from */
	const unsigned int n = 2 * threads + 16;

	return n < 2 * MKFS_THREADS_MAX ? n : 2 * MKFS_THREADS_MAX;
}

u64 ring_bytes(u64 memory)
{
	const u64 bytes = memory / RING_SHARE;

	return bytes > RING_BYTES ? RING_BYTES : bytes < RING_BYTES_MIN ? RING_BYTES_MIN : bytes;
}

int ring_init(struct ring *ring, unsigned int threads, u64 memory)
{
	const u64 bytes = ring_bytes(memory), most = bytes / (PIECES * HASH_UNIT);
	const unsigned int njobs = ring_jobs(threads) < most ? ring_jobs(threads) : most;

	memset(ring, 0, sizeof(*ring));
	pthread_mutex_init(&ring->lock, NULL);
	pthread_cond_init(&ring->room, NULL);
	ring->jobs = calloc(njobs, sizeof(*ring->jobs));
	if (!ring->jobs)
		return -ENOMEM;
	ring->njobs = njobs;
	ring->buf_bytes = bytes / ring->njobs;
	ring->buf_bytes -= ring->buf_bytes % (PIECES * HASH_UNIT);
	if (ring->buf_bytes > JOB_BYTES)
		ring->buf_bytes = JOB_BYTES;
	return jobs_init(ring);
}

void ring_free(struct ring *ring)
{
	if (!ring->jobs)
		return;
	for (unsigned int i = 0; i < ring->njobs; i++) {
		free_extents(&ring->jobs[i]);
		free(ring->jobs[i].sums);
		pthread_cond_destroy(&ring->jobs[i].change);
	}
	free(ring->bufs);
	free(ring->jobs);
	pthread_mutex_destroy(&ring->lock);
	pthread_cond_destroy(&ring->room);
}
