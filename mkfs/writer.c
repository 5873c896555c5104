// SPDX-License-Identifier: GPL-2.0
/*
 * The bytes of an image are written once and seldom read back, so the page
 * cache has nothing to give but a copy of each of them; that copy, and finding
 * pages for it, was the largest part of a run.  So whole blocks go past it.
 * Such a write returns when the disk has it; a thread waits for that.
 *
 * Where a file system cannot do it, or for less than a block, writes go through
 * the page cache, and the disk is asked to begin soon.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "output.h"
#include "writer.h"

#define BLOCK_MASK	4095UL

/* Whole blocks past the page cache; returns how many bytes went there. */
static size_t write_direct(struct writer *w, const char *p, size_t bytes,
			   u64 pos)
{
	size_t done = 0;

	while (w->direct >= 0 && done < bytes) {
		ssize_t n = pwrite(w->direct, p + done, bytes - done,
				   pos + done);

		if (n < 0 && errno == EINTR)
			continue;
		/* what the other way says of it is the error, if it is one */
		if (n <= 0 || n & BLOCK_MASK) {
			close(w->direct);
			w->direct = -1;
			break;
		}
		done += n;
	}
	return done;
}

static int write_piece(struct writer *w)
{
	size_t front = -w->pos & BLOCK_MASK, whole, done = 0;
	int ret = 0;

	if (front > w->bytes)
		front = w->bytes;
	whole = (w->bytes - front) & ~BLOCK_MASK;
	if (front)
		ret = output_pwrite(w->out, w->p, front, w->pos);
	if (ret)
		return ret;
	done = front + write_direct(w, w->p + front, whole, w->pos + front);
	if (done == w->bytes)
		return 0;
	ret = output_pwrite(w->out, w->p + done, w->bytes - done,
			    w->pos + done);
	/* Only asks: without it the fsync at the end waits for everything. */
	if (!ret)
		sync_file_range(w->out->fd, w->pos + done, w->bytes - done,
				SYNC_FILE_RANGE_WRITE);
	return ret;
}

static void *write_pieces(void *arg)
{
	struct writer *w = arg;
	int ret;

	pthread_mutex_lock(&w->lock);
	for (;;) {
		while (!w->bytes && !w->stop)
			pthread_cond_wait(&w->change, &w->lock);
		if (!w->bytes)
			break;
		pthread_mutex_unlock(&w->lock);
		ret = write_piece(w);
		pthread_mutex_lock(&w->lock);
		w->bytes = 0;
		if (ret && !w->err)
			w->err = ret;
		pthread_cond_broadcast(&w->change);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

int writer_start(struct writer *w, const struct output *out)
{
	char path[64];
	int ret;

	w->out = out;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", out->fd);
	w->direct = open(path, O_WRONLY | O_DIRECT | O_CLOEXEC);
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->change, NULL);
	ret = pthread_create(&w->thread, NULL, write_pieces, w);
	w->running = !ret;
	return -ret;
}

void writer_end(struct writer *w)
{
	if (!w->running)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_broadcast(&w->change);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->change);
	if (w->direct >= 0)
		close(w->direct);
	w->running = false;
}

/* Lock held. */
static int wait_idle(struct writer *w)
{
	while (w->bytes)
		pthread_cond_wait(&w->change, &w->lock);
	return w->err;
}

int writer_wait(struct writer *w)
{
	int ret;

	pthread_mutex_lock(&w->lock);
	ret = wait_idle(w);
	pthread_mutex_unlock(&w->lock);
	return ret;
}

int writer_put(struct writer *w, const char *p, size_t bytes, u64 pos)
{
	int ret;

	pthread_mutex_lock(&w->lock);
	ret = wait_idle(w);
	if (!ret) {
		w->p = p;
		w->bytes = bytes;
		w->pos = pos;
		pthread_cond_broadcast(&w->change);
	}
	pthread_mutex_unlock(&w->lock);
	return ret;
}
