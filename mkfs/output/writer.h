/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The writer thread: writes to the target while another thread fills the window.
 */
#ifndef MKFS_WRITER_H
#define MKFS_WRITER_H

#include <pthread.h>

#include "dsfs_platform.h"

#define WRITER_BYTES	(4 << 20)	/* a piece at most */
#define WRITER_PARTS	(WRITER_BYTES / 4096 + 1)

struct iovec;
struct output;

/**
 * struct writer - a thread that writes one piece at a time
 * @direct: the target, opened with O_DIRECT; -1: not possible
 * @parts: memory of the piece, @nparts ranges of WRITER_PARTS; all but the first begin with a block
 *	of the image and are aligned to one
 * @bytes: length of the piece that is written; 0: idle
 * @err: first error of a piece
 */
struct writer {
	const struct output *out;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct iovec *parts;
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
 * writer_wait - wait until the piece is written
 *
 * Messages are written.  Return: 0 or the error of any piece so far.
 */
int writer_wait(struct writer *w);

/**
 * writer_put - write the piece in w->parts, whose memory must not change meanwhile
 *
 * Called after a writer_wait() that returned 0.
 */
void writer_put(struct writer *w, unsigned int nparts, size_t bytes, u64 pos);

#endif /* MKFS_WRITER_H */
