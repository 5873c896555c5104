// SPDX-License-Identifier: GPL-2.0
/*
 * The writer thread.  The bytes of an image are written once and seldom read back, so the page
 * cache would only add a copy, which was the largest part of the run time.  So whole blocks are
 * written with O_DIRECT, and a thread waits for the disk.
 *
 * File systems without O_DIRECT, and parts of blocks, are written through the
 * page cache, and the disk is asked to start soon.
 *
 * A write holds off signals: one that ends the run would give a file its old length back while it
 * is extended.
 */
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "io.h"
#include "msg.h"
#include "output.h"

int output_fail(const struct output *out, const char *what)
{
	int ret = -errno;

	return msg_fail(ret, out->path, "%s: %s", what, msg_why(errno));
}

int output_pwrite(const struct output *out, const char *p, size_t bytes, u64 pos)
{
	size_t done;
	int ret;

	signals_write_begin();
	done = io_pwrite(out->fd, p, bytes, out->at + pos);
	ret = done < bytes ? -errno : 0;
	if (ret)
		msg_error(out->path, "cannot write %zu bytes at byte %llu: %s", bytes - done,
			  pos + done, strerror(-ret));
	signals_write_end();
	return ret;
}

int output_pread(const struct output *out, char *p, size_t bytes, u64 pos)
{
	size_t done;
	int err;

	if (out->listed && pos < out->length)
		return listed_pread(out, p, bytes, pos);
	done = io_pread(out->fd, p, bytes, out->at + pos);
	err = errno;
	if (done == bytes)
		return 0;
	return msg_fail(err ? -err : -EIO, out->path, "cannot read back %zu bytes at byte %llu: %s",
			bytes - done, pos + done, err ? strerror(err) : "end of file");
}

int output_sync(const struct output *out)
{
	return fsync(out->fd) ? output_fail(out, "cannot write") : 0;
}

bool output_fits(const struct output *out, u64 pos, u64 bytes)
{
	if (!out->limit || pos + bytes <= out->limit)
		return true;
	msg_error(out->path, "%s too small: %llu bytes: no room for %llu bytes at byte %llu",
		  output_what(out), out->limit, bytes, pos);
	return false;
}

int output_pad(const struct output *out, u64 from, u64 to)
{
	static const char zeros[DSFS_BLOCK_SIZE];

	/* a file has zeros behind its end; writing them would take shared blocks apart */
	if (from == to || from >= output_end(out))
		return 0;
	return output_fits(out, from, to - from) ?
	       output_pwrite(out, zeros, to - from, from) : -ENOSPC;
}

#define BLOCK_MASK	4095UL

/* Remove the first @bytes from @parts. */
static void parts_skip(struct iovec **parts, unsigned int *n, size_t bytes)
{
	while (*n && bytes >= (*parts)->iov_len) {
		bytes -= (*parts)->iov_len;
		++*parts;
		--*n;
	}
	if (*n) {
		(*parts)->iov_base = (char *)(*parts)->iov_base + bytes;
		(*parts)->iov_len -= bytes;
	}
}

/* Write whole blocks with O_DIRECT.  Return: number of bytes written. */
static size_t write_direct(struct writer *w, const struct iovec *parts,
			   unsigned int n, size_t bytes, u64 pos)
{
	struct iovec left[WRITER_PARTS], *at = left;
	size_t done = 0;

	memcpy(left, parts, n * sizeof(*parts));
	if (n)		/* the last part may end in the middle of a block */
		left[n - 1].iov_len &= ~BLOCK_MASK;
	while (w->direct >= 0 && done < bytes) {
		ssize_t ret;

		signals_write_begin();
		ret = pwritev(w->direct, at, n < IOV_MAX ? n : IOV_MAX,
			      w->out->at + pos + done);
		signals_write_end();
		if (ret < 0 && errno == EINTR)
			continue;
		/* an error of O_DIRECT is ignored: the write through the page cache reports it */
		if (ret <= 0 || ret & BLOCK_MASK) {
			close(w->direct);
			w->direct = -1;
			break;
		}
		done += ret;
		parts_skip(&at, &n, ret);
	}
	return done;
}

static int write_cached(const struct writer *w, const struct iovec *parts, unsigned int n, u64 pos)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < n; i++) {
		ret = output_pwrite(w->out, parts[i].iov_base, parts[i].iov_len, pos);
		pos += parts[i].iov_len;
	}
	return ret;
}

static int write_piece(struct writer *w)
{
	size_t front = -w->pos & BLOCK_MASK, done;
	struct iovec *parts = w->parts;
	unsigned int n = w->nparts;
	int ret = output_guard(w->out, w->pos, w->pos + w->bytes);

	if (front > w->bytes)
		front = w->bytes;
	if (!ret && front)
		ret = output_pwrite(w->out, parts->iov_base, front, w->pos);
	if (ret)
		return ret;
	parts_skip(&parts, &n, front);
	done = write_direct(w, parts, n, (w->bytes - front) & ~BLOCK_MASK, w->pos + front);
	parts_skip(&parts, &n, done);
	done += front;
	if (done == w->bytes)
		return 0;
	ret = write_cached(w, parts, n, w->pos + done);
	/* starts writeback, so that the fsync at the end has less to wait for */
	if (!ret)
		sync_file_range(w->out->fd, w->out->at + w->pos + done, w->bytes - done,
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
	w->parts = calloc(WRITER_PARTS, sizeof(*w->parts));
	if (!w->parts)
		return -ENOMEM;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", out->fd);
	w->direct = open(path, O_WRONLY | O_DIRECT | O_CLOEXEC);
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->change, NULL);
	ret = pthread_create(&w->thread, NULL, write_pieces, w);
	w->running = !ret;
	if (ret)
		free(w->parts);
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
	free(w->parts);
	w->running = false;
}

int writer_wait(struct writer *w)
{
	int ret;

	pthread_mutex_lock(&w->lock);
	while (w->bytes)
		pthread_cond_wait(&w->change, &w->lock);
	ret = w->err;
	pthread_mutex_unlock(&w->lock);
	return ret;
}

void writer_put(struct writer *w, unsigned int nparts, size_t bytes, u64 pos)
{
	pthread_mutex_lock(&w->lock);
	w->nparts = nparts;
	w->bytes = bytes;
	w->pos = pos;
	pthread_cond_broadcast(&w->change);
	pthread_mutex_unlock(&w->lock);
}
