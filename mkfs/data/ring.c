// SPDX-License-Identifier: GPL-2.0
/*
 * The ring of jobs: what is in a line of tasks (work.h) has a buffer.  Reader threads finish jobs
 * in any order.  One thread stores the results in the order of data, so the image
 * depends on the contents alone, not on the number or speed of threads.
 *
 * The ring bounds the memory.  A large file passes through the buffer of its job in pieces.  Other
 * files are written from the buffer, so a job is free when its last file is written.
 */
#include <sys/mman.h>

#include "../options/options.h"
#include "memory.h"
#include "ring.h"

#define RING_BYTES	(64 * 1024 * 1024)
#define RING_BYTES_MIN	(4 * 1024 * 1024)
#define RING_SHARE	16
#define HUGE_BYTES	(2 << 20)

static void free_extents(struct job *job)
{
	for (unsigned int i = 0; i < job->nitems; i++) {
		memory_free(job->items[i].extents);
		job->items[i].extents = NULL;
		memory_free(job->items[i].ends);
		job->items[i].ends = NULL;
	}
}

static struct job *empty(struct ring *ring)
{
	struct job *job = &ring->jobs[ring->filled % ring->njobs];

	work_line_clear(&job->line);
	job->task = (struct work_task){ 0 };
	job->nitems = 0;
	job->nsums = 0;
	job->made = 0;
	job->large = false;
	return job;
}

struct job *ring_next(struct ring *ring, bool wait)
{
	return work_fits(&ring->line, wait) ? empty(ring) : NULL;
}

void ring_put(struct ring *ring, struct job *job, void *own)
{
	ring->filled++;
	job->task.early = job->large;
	work_put(&ring->line, &job->task, own);
}

/* Readers wait for room, the writer for a job that never comes. */
void ring_stop(struct ring *ring)
{
	work_close(&ring->line, true);
	for (unsigned int i = 0; i < ring->njobs; i++)
		work_close(&ring->jobs[i].line, true);
}

struct fill *ring_piece_get(struct job *job)
{
	struct fill *p = &job->pieces[job->made % PIECES];

	if (!work_fits(&job->line, true))
		return NULL;
	p->bytes = 0;
	return p;
}

void ring_piece_pass(struct job *job)
{
	work_put(&job->line, &job->pieces[job->made++ % PIECES].task, NULL);
}

struct fill *ring_piece_take(struct job *job)
{
	return (struct fill *)work_take(&job->line, NULL);
}

struct job *ring_take(struct ring *ring)
{
	return (struct job *)work_take(&ring->line, NULL);
}

void ring_done(struct ring *ring, struct job *job)
{
	free_extents(job);
	/* the reader of a large file may still have to close it */
	work_wait(&job->task, NULL);
	ring->drained++;
}

bool ring_take_back(struct ring *ring)
{
	while (ring->back < ring->drained && !ring->jobs[ring->back % ring->njobs].lent) {
		ring->back++;
		work_free(&ring->line);
	}
	return ring->drained - ring->back <= ring->njobs / 2;
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

int ring_init(struct ring *ring, struct work *work, bool fed, unsigned int threads, u64 memory)
{
	const u64 bytes = ring_bytes(memory), most = bytes / (PIECES * HASH_UNIT);
	const unsigned int njobs = ring_jobs(threads) < most ? ring_jobs(threads) : most;

	*ring = (struct ring){ .line = { .work = work, .room = njobs, .fed = fed } };
	work_line_init(&ring->line);
	ring->jobs = calloc(njobs, sizeof(*ring->jobs));
	if (!ring->jobs)
		return -ENOMEM;
	for (; ring->njobs < njobs; ring->njobs++) {
		struct work_line *line = &ring->jobs[ring->njobs].line;

		*line = (struct work_line){ .work = work, .room = PIECES, .fed = true };
		work_line_init(line);
	}
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
		work_line_free(&ring->jobs[i].line);
	}
	free(ring->bufs);
	free(ring->jobs);
	work_line_free(&ring->line);
}
