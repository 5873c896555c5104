/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data phase: several readers, one writer.
 */
#ifndef MKFS_STREAM_H
#define MKFS_STREAM_H

#include <pthread.h>

#include "../base/base.h"
#include "../output/output.h"
#include "../params.h"
#include "../plan/place.h"
#include "../source/source.h"
#include "../tree/spool.h"
#include "placemap.h"
#include "holes.h"
#include "progress.h"

#define JOB_FILES	128
#define JOB_FILES_MIN	8
#define JOB_BYTES	(1024 * 1024)
#define RING_BYTES	(64 * 1024 * 1024)
#define PIECES		4
#define HASH_UNIT	(32 * 1024)	/* a piece is a multiple of it */
#define HASH_SOME	64		/* bytes of each block */
#define PIECE_SUMS	(JOB_BYTES / PIECES / DSFS_BLOCK_SIZE + 1)

/**
 * struct item - a file of a job
 * @off, @stored: place and length of its stored bytes in the buffer of the job
 * @first_sum, @sums: index and number of its checksums in the job
 * @why: error message; NULL: no error
 * @kept: update: the base image has this content under this name
 */
struct item {
	struct dir *dir;
	struct node *node;
	u64 stored;
	u64 hash;
	const char *why;
	struct dsfs_extent_record *extents;
	u32 nextents;
	u32 off;
	u32 first_sum;
	u32 sums;
	int err;
	bool sparse;
	bool kept;
};

/* A part of a large file's stored bytes. */
struct piece {
	u32 bytes;
	u32 nsums;
	bool last;
	u32 sums[PIECE_SUMS];
};

/**
 * struct job - unit of work of a reader: small files, or one large file
 * @items: the files; of a large file, filled in with its last piece
 * @shown: bytes of a large file that the progress bar has counted
 * @made, @taken: pieces read and written; piece n lies in part n % PIECES of @buf
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
	unsigned int lent;
	bool busy;
	bool ready;
	bool large;
};

/**
 * struct stream - the data phase
 * @base: NULL: there is none
 * @start: where data goes that is added
 * @job_files: maximum number of files in a job
 * @next_fill, @next_drain, @next_back: number of jobs that were taken by readers,
 *	stored, and written
 * @listed: files of --order, pairs of directory and node
 * @dedup: stored files, by the hash of their stored bytes
 * @dups: struct dup
 * @chunks: CHUNKSUMS
 * @extents: EXTENTS
 * @stored: bytes that all files of the image store
 * @dead: bytes that were stored and that no name is left of
 * @stop_fd: of a source that is read once: can be read from when @stop is set; -1
 * @err: why such a source ended before its end, which has been said
 * @archives: --tar-index: archives
 * @cloned: bytes of them whose blocks the target shares with their files
 * @hash_uuid: the UUID is derived from the content
 * @hash_bytes: contents are hashed byte by byte: for that, or without checksums
 * @content: hashes over the contents in order, for a derived UUID
 * @bufs: those of all jobs
 */
struct stream {
	const struct options *o;
	const struct params *params;
	struct tree *tree;
	struct source *source;
	struct base *base;
	struct output *out;
	u64 start;
	struct place place;
	struct hash dedup;
	struct spool chunks;
	struct spool extents;
	struct progress progress;
	bool hash_uuid;
	bool hash_bytes;
	u64 content[2];
	char *bufs;
	struct array listed;
	struct array dups;
	pthread_mutex_t lock;
	pthread_cond_t room;
	struct job *jobs;
	pthread_t *threads;
	unsigned int njobs;
	unsigned int nthreads;
	unsigned int job_files;
	size_t buf_bytes;
	u64 next_fill;
	u64 next_drain;
	u64 next_back;
	size_t listed_at;
	u64 dir_at;
	u32 node_at;
	bool exhausted;
	bool stop;
	u64 files;
	u64 dup_files;
	u64 dup_bytes;
	u64 sparse_files;
	u64 stored;
	u64 dead;
	u64 archives;
	u64 cloned;
	int stop_fd;
	int err;
};

/* A file in the order of data */
struct listed {
	struct dir *dir;
	struct node *node;
};

/* A file that shares the stored bytes of another file */
struct dup {
	struct node *node;
	const struct node *of;
};

/**
 * stream_data - store the contents of all files
 * @files: number of files
 * @bytes: sum of their sizes
 *
 * Messages are written.  Return: 0 or -errno.
 */
int stream_data(struct stream *s, u64 files, u64 bytes);

/* feed.c: the same of a source that is read once, which is listed meanwhile */
int feed_data(struct stream *s);

/* placed.c: the same of archives whose members stay where they are */
int placed_data(struct stream *s);
/* Mark the files that share blocks, once the tree is made. */
int placed_share(struct stream *s);

/*
 * For feed.c: the next job, empty, for the one thread that fills jobs; NULL to
 * stop.  A job that is large is written while it is filled.
 */
struct job *stream_job_begin(struct stream *s);
void stream_job_large(struct stream *s, struct job *job);
void stream_job_end(struct stream *s, struct job *job);
/* Run @fill in @n threads, and write the jobs.  Messages are written. */
int stream_run(struct stream *s, unsigned int n, void *(*fill)(void *stream));
/* The thread that fills jobs has done; @err: it could not. */
void stream_filled(struct stream *s, int err);

/*
 * copy.c: the same for an image that is packed anew from another one
 * @copied: what has been copied of it, for this generation and earlier ones; copied_init()
 */
int copy_data(struct stream *s, struct placemap *copied);
int copied_init(struct placemap *copied);

/* Fields up to @start are set, all others are zero.  Return: 0 or -ENOMEM. */
int stream_init(struct stream *s, unsigned int threads);
void stream_free(struct stream *s);

/*
 * dead.c: make zeros of contents that no name of the tree, which is ordered, has.
 * Messages are written.  Return: 0 or -errno.
 */
int stream_bury(struct stream *s);

/* order.c: fill s->listed */
int order_read(struct stream *s);

/* Continue a hash with some of the bytes of a HASH_UNIT: of each block, and the last ones. */
static inline u64 stream_hash_some(u64 hash, const char *p, u64 bytes)
{
	u64 at;

	for (at = 0; at + HASH_SOME < bytes; at += DSFS_BLOCK_SIZE)
		hash = xxh64(p + at, HASH_SOME, hash);
	at = bytes < HASH_SOME ? 0 : bytes - HASH_SOME;
	return xxh64(p + at, bytes - at, hash);
}

/**
 * stream_hash - continue the hash of the stored bytes of a file
 * @hash: result of the call before; 0 at first
 *
 * All calls but the last pass multiples of HASH_UNIT, so the hash does not depend on
 * the size of pieces.  For a derived UUID, and without checksums, all bytes are hashed.
 */
static inline u64 stream_hash(const struct stream *s, u64 hash, const char *p,
			      u64 bytes)
{
	for (u64 at = 0; at < bytes; at += HASH_UNIT) {
		u64 n = bytes - at < HASH_UNIT ? bytes - at : HASH_UNIT;

		hash = s->hash_bytes ? xxh64(p + at, n, hash) :
				       stream_hash_some(hash, p + at, n);
	}
	return hash;
}

/**
 * stream_hash_end - the hash of a file, by stream_hash() and by base_sums_add()
 * @sums: hash of the checksums of its chunks
 *
 * Deduplication compares bytes, so it needs no more than a hash that tells most contents
 * apart.  That is cheaper by checksums, which are there anyway, and some bytes than by all
 * bytes.  Checksums alone would not do: contents that have their own CRC32C in them have
 * equal ones, and each would be compared with all before it.
 */
static inline u64 stream_hash_end(const struct stream *s, u64 hash, u64 sums)
{
	return s->hash_bytes ? hash : xxh64(&sums, sizeof(sums), hash);
}

/* reader.c: do a job; takes the lock only for the pieces of a large file */
struct reader {
	struct stream *s;
	char *staging;
	const struct source_ops *ops;
	struct input *in;
	struct dsfs_source *prev;	/* of an update, once it is needed */
};

#define STAGING_BYTES	(256 << 10)

void reader_run(struct reader *r, struct job *job);
/* Reader of a large file: the next part of the buffer to fill; NULL to stop. */
struct piece *stream_piece_get(struct stream *s, struct job *job, char **buf);
void stream_piece_put(struct stream *s, struct job *job);

/* Writer of a large file: the next piece; NULL to stop.  The one before is released. */
struct piece *stream_piece_wait(struct stream *s, struct job *job);
void stream_piece_done(struct stream *s, struct job *job);

/* store.c: store all files of a job.  Messages are written.  Return: 0 or -errno. */
int store_job(struct stream *s, struct job *job);
/**
 * stream_add_placed - a content that is in the target already, where its node says
 * @it: with all that is known of it
 *
 * Return: 0 or -errno.
 */
int stream_add_placed(struct stream *s, struct item *it, const u32 *sums);

/**
 * stream_add_dup - let a file have the content of another one that is stored
 * @stored: bytes
 *
 * Return: 0 or -ENOMEM.
 */
int stream_add_dup(struct stream *s, struct node *n, const struct node *of,
		   u64 stored);

/*
 * Called after the last file: copies NODE_SHARED to duplicates.  No node may have been
 * moved in memory before.
 */
void stream_dups(struct stream *s);

/* What may be written from a job's buffer has its blocks there for itself. */
static inline size_t item_room(size_t pos, u64 size)
{
	return size < OUTPUT_LEND_MIN ? pos :
	       (pos + DSFS_BLOCK_SIZE - 1) & ~(size_t)(DSFS_BLOCK_SIZE - 1);
}

static inline u32 stream_piece_bytes(const struct stream *s)
{
	return s->buf_bytes / PIECES;
}

#endif /* MKFS_STREAM_H */
