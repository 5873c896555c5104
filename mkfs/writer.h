/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing to the target behind the back of the thread that fills the window.
 */
#ifndef MKFS_WRITER_H
#define MKFS_WRITER_H

#include <pthread.h>

#include "dsfs_platform.h"

struct output;

/**
 * struct writer - one piece at a time, in a thread of its own
 * @direct: the target, opened past the page cache; -1: it cannot be
 * @bytes: of the piece being written; 0: none
 * @err: of a piece; stays
 */
struct writer {
	const struct output *out;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t change;
	const char *p;
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
 * writer_put - write a piece, which must stay as it is until it is written
 *
 * Waits for the one before.  Messages are written.
 * Return: 0 or the error of an earlier piece.
 */
int writer_put(struct writer *w, const char *p, size_t bytes, u64 pos);
int writer_wait(struct writer *w);

#endif /* MKFS_WRITER_H */
