/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data phase, by the way in which a source gives its contents.  Of all functions here:
 * messages are written, and the result is 0 or -errno.
 */
#ifndef MKFS_STREAM_H
#define MKFS_STREAM_H

#include "pack.h"
#include "table.h"
#include "ring.h"
#include "store.h"

/* order.c: the order of data, which file comes next */

/* A file in the order of data */
struct listed {
	struct dir *dir;
	struct node *node;
};

/**
 * struct order - the files of --order, then all others in the order of inodes
 * @listed: struct listed, those of --order
 * @listed_at: what comes next of these
 * @walk: over the others
 */
struct order {
	const struct tree *tree;
	struct array listed;
	size_t listed_at;
	struct tree_walk walk;
};

/* Begin with the list of --order, if it is given.  Messages are written.  0 or -errno. */
int order_init(struct order *order, const struct tree *t, const struct options *o);
void order_free(struct order *order);

/* Take the next file.  Return: whether there was one. */
bool order_next(struct order *order, struct dir **dir, struct node **node);
/* Give back the file of the last order_next(). */
void order_back(struct order *order);

/**
 * struct stream - readers, and the thread that stores
 * @ring: stays up to stream_free(), because the output has borrowed from its jobs
 * @readers: do the jobs of a tree that is listed
 * @pool: compresses what one thread has read and others may share
 * @order: which file comes next, if there are @more
 * @job_files: maximum number of files in a job
 * @err: why such a source ended before its end, which has been said
 */
struct stream {
	struct store *store;
	struct ring ring;
	struct work readers;
	struct work pool;
	struct order order;
	bool more;
	unsigned int job_files;
	int err;
};

/**
 * struct reader - what a thread has that reads
 * @staging: STAGING_BYTES for bytes on their way
 * @sample, @packer, @pack: to compress with, if the image is compressed; @sample: PACK_SAMPLE bytes
 */
struct reader {
	struct stream *s;
	struct input *in;
	char *staging;
	char *sample;
	struct packer *packer;
	struct pack_large pack;
};

#define STAGING_BYTES	(256 << 10)

void stream_free(struct stream *s);

/**
 * stream_look - have tasks done by readers, of contents that are not stored
 * @s: its store is set, with a source and how contents are compressed; at the beginning of what
 *	functions of @pass get
 *
 * Messages are written.  Return: 0 or -errno.
 */
int stream_look(struct stream *s, const struct work_pass *pass);

/**
 * stream_data - store the contents of all files of a tree that is listed
 * @s: its store is set, all else is zero
 * @files: number of files
 * @bytes: sum of their sizes
 */
int stream_data(struct stream *s, u64 files, u64 bytes);

/* feed.c: the same of a source that is read once, which is listed meanwhile */
int feed_data(struct stream *s);

/* Make the ring of jobs that these do, and the pool. */
int stream_begin(struct stream *s, struct work *jobs);
/* Store what comes out of the ring. */
int stream_write(struct stream *s);
/* Nobody fills the ring any more.  Return: @ret */
int stream_end(struct stream *s, int ret);

/* reader.c: a reader of a stream, and the jobs of as many files as there is room for */
void *reader_begin(void *stream);
void reader_end(void *reader);
void reader_form(struct stream *s);

/*
 * archives.c: take contents of archives that stay where they are from the source, up to
 * archives_finish().  NULL: out of memory, said.
 */
struct archives *archives_begin(struct store *s);
void archives_finish(struct archives *a);
/*
 * Mark the files that share blocks, once the tree is made; @list is of tree_extents().
 * Return: the bytes of all archives.
 */
u64 archives_share(struct store *s, const struct array *list);

/*
 * copy.c: an image that is packed anew from another one: tree_extents() was called
 * @copied: what has been copied of it, for this generation and earlier ones; copied_init()
 * @bytes: of that, for the progress bar
 */
int copy_data(struct store *s, struct table *copied, u64 bytes);
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

/**
 * struct contents - sums.c: SHA-256 of the contents of a tree's files
 * @list: of SHA256_BYTES each; node_data()->start is the number of a file's own, which is 0
 *	for all that are empty
 * @stream, @store: readers, and what they go by; nothing is stored
 */
struct contents {
	struct stream stream;
	struct store store;
	struct array list;
};

/* Messages are written.  Return: 0 or -errno. */
int contents_init(struct contents *c, struct source *src);
void contents_free(struct contents *c);

/**
 * contents_read - sum all files of a tree that is listed
 *
 * With --allow=unreadable what cannot be read is left out: tree_prune().  Messages are
 * written.  Return: 0 or -errno.
 */
int contents_read(struct contents *c);

/* The same of a source that is read once, which is listed meanwhile */
int contents_feed(struct contents *c);

#endif /* MKFS_STREAM_H */
