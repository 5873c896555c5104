/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data phase, by the way in which a source gives its contents.  Of all functions here:
 * messages are written, and the result is 0 or -errno.
 */
#ifndef MKFS_STREAM_H
#define MKFS_STREAM_H

#include "order.h"
#include "pool.h"
#include "table.h"
#include "ring.h"
#include "store.h"

/**
 * struct stream - readers, and the thread that stores
 * @ring: stays up to stream_free(), because the output has borrowed from its jobs
 * @pool: compresses what one thread has read and others may share
 * @order: which file comes next
 * @job_files: maximum number of files in a job
 * @stop_fd: of a source that is read once: can be read from when nothing more is wanted; -1
 * @err: why such a source ended before its end, which has been said
 */
struct stream {
	struct store *store;
	struct ring ring;
	struct pool pool;
	struct order order;
	pthread_t *threads;
	unsigned int nthreads;
	unsigned int job_files;
	int stop_fd;
	int err;
};

void stream_free(struct stream *s);

/**
 * stream_data - store the contents of all files of a tree that is listed
 * @s: its store is set, all else is zero
 * @files: number of files
 * @bytes: sum of their sizes
 */
int stream_data(struct stream *s, u64 files, u64 bytes);

/* feed.c: the same of a source that is read once, which is listed meanwhile */
int feed_data(struct stream *s);

/* Make the ring, run @fill in @n threads, and store what they put into it. */
int stream_run(struct stream *s, unsigned int n, void *(*fill)(void *stream));

/* reader.c: a thread that fills jobs, and computes over what it has read */
void *reader_run(void *stream);

/*
 * archives.c: take contents of archives that stay where they are from the source, up to
 * archives_finish().  NULL: out of memory, said.
 */
struct archives *archives_begin(struct store *s);
void archives_finish(struct archives *a);
/*
 * Mark the files that share blocks, once the tree is made and places_collect() was called.
 * Return: the bytes of all archives.
 */
u64 archives_share(struct store *s, const struct array *places);

/*
 * copy.c: an image that is packed anew from another one
 * @copied: what has been copied of it, for this generation and earlier ones; copied_init()
 */
int copy_data(struct store *s, struct table *copied);
int copied_init(struct table *copied);

/* feed.c: make zeros of contents that no name of the tree, which is ordered, has. */
int dead_data(struct store *s);

/* estimate.c: what --compress would make of a tree that is listed */

/**
 * struct estimate - contents and what is stored of them
 * @bytes: contents of all files that the image does not have yet
 * @stored: what they would take, each by itself; nothing is said of duplicates
 * @samples: units that this is estimated by; 0: all files were compressed
 */
struct estimate {
	u64 bytes;
	u64 stored;
	u64 samples;
};

/* Compress some of all files, or all.  Messages are written.  Return: 0 or -errno. */
int estimate_make(struct estimate *e, struct source *src, const struct pack_rules *rules);

#endif /* MKFS_STREAM_H */
