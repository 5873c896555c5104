/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From files to the image's data area: several readers, one writer.
 */
#ifndef MKFS_STREAM_H
#define MKFS_STREAM_H

#include <pthread.h>

#include "../mkfs.h"
#include "../plan/place.h"
#include "../tree/spool.h"
#include "holes.h"
#include "progress.h"

#define JOB_FILES	128
#define JOB_FILES_MIN	8
#define JOB_BYTES	(1024 * 1024)
#define RING_BYTES	(64 * 1024 * 1024)
#define PIECES		4
#define HASH_UNIT	(32 * 1024)	/* a piece is a multiple of it */
#define PIECE_SUMS	(JOB_BYTES / PIECES / DSFS_BLOCK_SIZE + 1)

/**
 * struct item - a file that was read
 * @off, @stored: its stored bytes in the job's buffer
 * @first_sum, @sums: its chunks' checksums in the job
 * @why: what failed; NULL: nothing
 * @kept: of an update: the image has this content under this name
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
 * struct job - what a reader does in one go: small files, or a large one
 * @items: of a large file one, filled in when its last piece is there
 * @shown: of a large file, bytes that the progress bar has
 * @made, @taken: pieces so far; piece n lies in part n % PIECES of @buf
 * @lent: blocks of @buf that are still to be written
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
 * @job_files: files in a job, at most
 * @next_fill, @next_drain, @next_back: jobs taken by readers, stored, and written
 * @listed: files of --order, pairs of directory and node
 * @dedup: files that are stored, by the hash of what they store
 * @dups: struct dup
 * @chunks: CHUNKSUMS
 * @extents: EXTENTS
 * @stored: bytes that all files of the image store
 * @hash_bytes: contents are hashed byte by byte
 * @content: hashes over the contents in order, for a derived UUID
 * @bufs: those of all jobs
 */
struct stream {
	struct mkfs *mkfs;
	struct place place;
	struct hash dedup;
	struct spool chunks;
	struct spool extents;
	struct progress progress;
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
};

/* A file's place in the order of data. */
struct listed {
	struct dir *dir;
	struct node *node;
};

/* A file whose content is that of another one, and stored there. */
struct dup {
	struct node *node;
	const struct node *of;
};

/**
 * stream_data - store the contents of all files
 * @files: how many there are; @bytes: what they hold
 *
 * Messages are written.  Return: 0 or -errno.
 */
int stream_data(struct stream *s, u64 files, u64 bytes);

/* copy.c: the same for an image that is packed anew from another one */
int copy_data(struct stream *s);

int stream_init(struct stream *s, struct mkfs *mkfs);
void stream_free(struct stream *s);

/* order.c: fill s->listed */
int order_read(struct stream *s);

/**
 * stream_hash - hash of stored bytes, or of as many more of them
 * @hash: of what was before, 0 at first
 *
 * All calls but the last are for multiples of HASH_UNIT, so that pieces of any
 * size give the same hash.  Where chunks have checksums, those tell contents apart
 * well enough for deduplication, which looks at the bytes itself; then it is they
 * that are hashed, unless all bytes are to go into the UUID.
 */
static inline u64 stream_hash(const struct stream *s, u64 hash, const char *p,
			      u64 bytes)
{
	for (u64 at = 0; s->hash_bytes && at < bytes; at += HASH_UNIT)
		hash = xxh64(p + at, bytes - at < HASH_UNIT ? bytes - at :
			     HASH_UNIT, hash);
	return hash;
}

/* The same of the next chunk's checksum. */
static inline u64 stream_hash_sum(const struct stream *s, u64 hash, u32 sum)
{
	return s->hash_bytes ? hash : xxh64(&sum, sizeof(sum), hash);
}

/* reader.c: do a job; takes no lock but for the pieces of a large file */
struct reader {
	struct stream *s;
	char *staging;
	const struct source_ops *ops;
	struct input *in;
	struct dsfs_source *prev;	/* of an update, once it is needed */
};

#define STAGING_BYTES	(256 << 10)

void reader_run(struct reader *r, struct job *job);
/* For a large file: part of the buffer to fill next, or NULL to stop. */
struct piece *stream_piece_get(struct stream *s, struct job *job, char **buf);
void stream_piece_put(struct stream *s, struct job *job);

/* The writer's side: the next piece, or NULL to stop; it has been used. */
struct piece *stream_piece_wait(struct stream *s, struct job *job);
void stream_piece_done(struct stream *s, struct job *job);

/* store.c: all files of a job; messages are written; 0 or -errno */
int store_job(struct stream *s, struct job *job);
/**
 * stream_add_dup - let a file have the content of another one that is stored
 * @stored: bytes
 *
 * Return: 0 or -ENOMEM.
 */
int stream_add_dup(struct stream *s, struct node *n, const struct node *of,
		   u64 stored);

/*
 * Behind the last file: whether duplicates share a block, as the files that
 * they are alike with.  No node may have moved before.
 */
void stream_dups(struct stream *s);

static inline u32 stream_piece_bytes(const struct stream *s)
{
	return s->buf_bytes / PIECES;
}

#endif /* MKFS_STREAM_H */
