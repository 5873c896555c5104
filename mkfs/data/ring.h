/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring of jobs between the threads that read and the one that stores.
 */
#ifndef MKFS_RING_H
#define MKFS_RING_H

#include "tree.h"
#include "work.h"

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
 * struct fill - a part of a large file's stored bytes
 * @buf: a part of the job's buffer
 * @all: @sums are those of all the file, instead of those that came with other pieces
 */
struct fill {
	struct work_task task;
	char *buf;
	u32 bytes;
	u32 nsums;
	bool last;
	bool all;
	u32 sums[PIECE_SUMS];
};

/**
 * struct job - unit of work of a reader: small files, or one large file
 * @task: early, if the file is large: it is written while it is read
 * @items: the files; of a large file, filled in with its last piece
 * @line: of the pieces of a large file; piece n lies in part n % PIECES of @pieces; @made so far
 * @owner: who computes over the files of a source that is read once
 * @shown: bytes of a large file that the progress bar has counted
 * @lent: blocks of @buf that the output has not written yet
 */
struct job {
	struct work_task task;
	struct item items[JOB_FILES];
	struct work_line line;
	struct fill pieces[PIECES];
	void *owner;
	char *buf;
	u32 *sums;
	unsigned int nitems;
	u32 nsums;
	u64 made;
	u64 shown;
	unsigned int lent;
	bool large;
};

/**
 * struct ring - jobs in the order of data
 * @line: of the jobs that are filled, up to where they are written
 * @bufs: those of all jobs
 * @buf_bytes: of one job
 * @filled, @drained, @back: number of jobs that were taken by readers, stored, and written
 */
struct ring {
	struct work_line line;
	struct job *jobs;
	char *bufs;
	size_t buf_bytes;
	unsigned int njobs;
	u64 filled;
	u64 drained;
	u64 back;
};

/* Number of jobs for so many threads that read. */
unsigned int ring_jobs(unsigned int threads);

/* Bytes of the buffers, of a run that has @memory bytes. */
u64 ring_bytes(u64 memory);

/**
 * ring_init - make the jobs
 * @work: who does them
 * @fed: another thread puts them than the one that stores
 *
 * Return: 0 or -ENOMEM.
 */
int ring_init(struct ring *ring, struct work *work, bool fed, unsigned int threads, u64 memory);
void ring_free(struct ring *ring);

/* The next job, empty, if it is free; @wait: once it is; NULL: nothing more is wanted. */
struct job *ring_next(struct ring *ring, bool wait);
/* The next job has files: have it done, with @own as of work_put(). */
void ring_put(struct ring *ring, struct job *job, void *own);

/* Nothing more is wanted, or possible. */
void ring_stop(struct ring *ring);

/* Reader of a large file: the next piece to fill, empty; NULL to stop. */
struct fill *ring_piece_get(struct job *job);
/* It is full. */
void ring_piece_pass(struct job *job);
/* Writer of a large file: the next piece; NULL to stop. */
struct fill *ring_piece_take(struct job *job);

/* Writer: the job that is stored next; NULL at the end.  It is stored: its extents are freed. */
struct job *ring_take(struct ring *ring);
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
