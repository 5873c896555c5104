/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring of jobs between the threads that read and the one that stores.
 */
#ifndef MKFS_RING_H
#define MKFS_RING_H

#include <pthread.h>

#include "../tree/tree.h"
#include "pool.h"

#define JOB_FILES	128
#define JOB_BYTES	(1024 * 1024)
#define PIECES		4
#define HASH_UNIT	(32 * 1024)	/* a piece is a multiple of it */
/* of a piece, or, in the last one, of all of a file that has turned out not to be large */
#define PIECE_SUMS	(1 << (DSFS_LARGE_BITS - DSFS_CHUNK_BITS_MIN))

/**
 * struct item - a file of a job
 * @off, @stored: place and length of its stored bytes in the buffer of the job
 * @first_sum, @sums: index and number of its checksums in the job
 * @why: error message; NULL: no error
 * @packed: it is compressed: @ends has the @nends ends of its frames
 * @kept: update: the base image has this content under this name
 */
struct item {
	struct dir *dir;
	struct node *node;
	u64 stored;
	u64 hash;
	const char *why;
	struct dsfs_extent_record *extents;
	u32 *ends;
	u32 nends;
	u32 nextents;
	u32 off;
	u32 first_sum;
	u32 sums;
	int err;
	bool sparse;
	bool packed;
	bool kept;
};

/**
 * struct piece - a part of a large file's stored bytes
 * @buf: a part of the job's buffer
 * @all: @sums are those of all the file, instead of those that came with other pieces
 */
struct piece {
	char *buf;
	u32 bytes;
	u32 nsums;
	bool last;
	bool all;
	u32 sums[PIECE_SUMS];
};

/**
 * struct job - unit of work of a reader: small files, or one large file
 * @items: the files; of a large file, filled in with its last piece
 * @shown: bytes of a large file that the progress bar has counted
 * @made, @taken: pieces read and written; piece n lies in part n % PIECES of @pieces
 * @task: of a source that is read once: compressing its files
 * @lent: blocks of @buf that the output has not written yet
 */
struct job {
	pthread_cond_t change;
	struct item items[JOB_FILES];
	struct piece pieces[PIECES];
	char *buf;
	u32 *sums;
	unsigned int nitems;
	u32 nsums;
	u64 made;
	u64 taken;
	u64 shown;
	struct pool_task task;
	unsigned int lent;
	bool busy;
	bool ready;
	bool large;
};

/**
 * struct ring - jobs in the order of data
 * @room: a job has become free
 * @bufs: those of all jobs
 * @buf_bytes: of one job
 * @next_fill, @next_drain, @next_back: number of jobs that were taken by readers,
 *	stored, and written
 * @exhausted: there are no more files
 * @stop: nothing more is wanted, or possible
 */
struct ring {
	pthread_mutex_t lock;
	pthread_cond_t room;
	struct job *jobs;
	char *bufs;
	size_t buf_bytes;
	unsigned int njobs;
	u64 next_fill;
	u64 next_drain;
	u64 next_back;
	bool exhausted;
	bool stop;
};

/* Number of jobs for so many threads that read. */
unsigned int ring_jobs(unsigned int threads);

/* Bytes of the buffers, of a run that has @memory bytes. */
u64 ring_bytes(u64 memory);

/* Return: 0 or -ENOMEM. */
int ring_init(struct ring *ring, unsigned int threads, u64 memory);
void ring_free(struct ring *ring);

/**
 * ring_take - the next job, empty, once it is free
 * @form: puts files into it, one thread at a time, and returns whether there may be more;
 *	NULL: the caller does that later
 *
 * Return: NULL to stop.
 */
struct job *ring_take(struct ring *ring, bool (*form)(void *ctx, struct job *job), void *ctx);

/* Set job->large: it is written while it is read; or job->ready. */
void ring_set(struct ring *ring, struct job *job, bool *state);

/* There are no more files; or, with @stop, nothing more is wanted. */
void ring_end(struct ring *ring, bool stop);

/* Reader of a large file: the next piece to fill, empty; NULL to stop. */
struct piece *ring_piece_get(struct ring *ring, struct job *job);
/* Writer of a large file: the next piece; NULL to stop. */
struct piece *ring_piece_wait(struct ring *ring, struct job *job);
/* Count the piece in job->made, or in job->taken: it may be filled again. */
void ring_piece_pass(struct ring *ring, struct job *job, u64 *count);

/* Writer: the job that is stored next; NULL at the end.  It is stored: its extents are freed. */
struct job *ring_wait(struct ring *ring);
void ring_done(struct ring *ring, struct job *job);

/* Free the jobs whose buffers are written.  Return: whether readers have at least half. */
bool ring_take_back(struct ring *ring);

/* Bytes of a piece. */
static inline u32 ring_piece_bytes(const struct ring *ring)
{
	return ring->buf_bytes / PIECES;
}

/* What may be written from a job's buffer has its blocks there for itself. */
static inline size_t item_room(size_t pos, u64 size)
{
	return size < DSFS_BLOCK_SIZE ? pos :
	       (pos + DSFS_BLOCK_SIZE - 1) & ~(size_t)(DSFS_BLOCK_SIZE - 1);
}

#endif /* MKFS_RING_H */
