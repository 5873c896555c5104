/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing to the target behind the back of the thread that fills the window.
 */
#ifndef MKFS_WRITER_H
#define MKFS_WRITER_H

#include <pthread.h>
#include <sys/uio.h>

#include "dsfs_platform.h"

#define WRITER_BYTES	(4 << 20)	/* a piece at most */
#define WRITER_PARTS	(WRITER_BYTES / 4096 + 1)

struct output;

/**
 * struct writer - one piece at a time, in a thread of its own
 * @direct: the target, opened past the page cache; -1: it cannot be
 * @parts: where the bytes of the piece are, @nparts of them; all but the first
 *	begin with a block of the image, and in memory where a block may
 * @bytes: of the piece being written; 0: none
 * @err: of a piece; stays
 */
struct writer {
	const struct output *out;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct iovec parts[WRITER_PARTS];
	unsigned int nparts;
	size_t bytes;
	u64 pos;
	int direct;
	int err;
	bool running;
	bool stop;
};

/* Return: 0 or -errno. */
int writer_start(struct writer *w, const struct output *out);
void writer_end(struct writer *w);

/**
 * writer_wait - until the piece is written
 *
 * Messages are written.  Return: 0 or the error of any piece so far.
 */
int writer_wait(struct writer *w);

/**
 * writer_put - write the piece that w->parts tells, which must stay as it is
 *
 * Only behind a writer_wait(), which told of no error.
 */
void writer_put(struct writer *w, unsigned int nparts, size_t bytes, u64 pos);

#endif /* MKFS_WRITER_H */
