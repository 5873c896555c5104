// SPDX-License-Identifier: GPL-2.0
/*
 * Verification of all data, in the order of the image, so that a disk is read
 * from its start to its end.  Small files that lie together are read together;
 * large files are divided, so that no thread is left alone with one at the end.
 * Bytes between files must be zero; otherwise a writer has leaked data.
 */
#include <stdlib.h>

#include "fsck.h"
#include "msg.h"
#include "work.h"

#define BATCH_BYTES	(4U << 20)	/* a multiple of every chunk size */

/**
 * struct queue - files that are not checked yet; @lock protects @next and @off
 * @buf: for each thread @buf_bytes
 * @next: index of the next file
 * @off: bytes of that file that were given to tasks
 */
struct queue {
	struct fsck *f;
	u8 *buf;
	size_t buf_bytes;
	pthread_mutex_t lock;
	size_t next;
	u64 off;
};

/**
 * struct task - files to check
 * @first: index of the first file
 * @n: how many; if more than one, or if the whole file is meant, @off is 0
 * @off: for a part of a large file: its offset in the stored data
 * @len: bytes from there on to read
 */
struct task {
	size_t first;
	size_t n;
	u64 off;
	u64 len;
};

/**
 * struct worker - a thread
 * @whole: @buf holds all data of the task
 */
struct worker {
	struct fsck *f;
	u8 *buf;
	bool whole;
};

static const struct fdata *data_at(const struct fsck *f, size_t i)
{
	return (const struct fdata *)f->data.p + i;
}

/* Whether a file shares the data of a file before, or it was checked with a later generation. */
static bool is_done(const struct fdata *r)
{
	return r->again || r->known;
}

static size_t skip_done(const struct fsck *f, size_t i)
{
	while (i < f->data.n && is_done(data_at(f, i)))
		i++;
	return i;
}

static void take_piece(struct queue *q, struct task *t)
{
	const struct fdata *r = data_at(q->f, q->next);

	t->n = 1;
	t->off = q->off;
	t->len = r->stored - q->off;
	if (t->len > BATCH_BYTES)
		t->len = BATCH_BYTES;
	q->off += t->len;
	if (q->off == r->stored) {
		q->next = skip_done(q->f, q->next + 1);
		q->off = 0;
	}
}

static void take_batch(struct queue *q, struct task *t)
{
	const u64 from = data_at(q->f, t->first)->start;
	const struct fdata *r;
	u64 end;

	t->n = 0;
	t->off = 0;
	t->len = 0;
	while (q->next < q->f->data.n) {
		r = data_at(q->f, q->next);
		end = r->start + r->stored - from;
		if (end > BATCH_BYTES)
			break;
		if (end > t->len)
			t->len = end;
		t->n = q->next - t->first + 1;
		q->next = skip_done(q->f, q->next + 1);
	}
}

static bool take(struct queue *q, struct task *t)
{
	bool got = false;

	pthread_mutex_lock(&q->lock);
	if (q->next < q->f->data.n && !stop_asked()) {
		got = true;
		t->first = q->next;
		if (data_at(q->f, q->next)->stored > BATCH_BYTES)
			take_piece(q, t);
		else
			take_batch(q, t);
	}
	pthread_mutex_unlock(&q->lock);
	return got;
}

/* Bytes of a chunk; read separately if the whole task could not be read. */
static const u8 *chunk_bytes(struct worker *w, const struct fdata *r, u64 base, u64 at, u64 len)
{
	int ret;

	if (w->whole)
		return w->buf + (r->start + at - base);
	ret = image_pread(&w->f->img, w->buf, len, r->start + at);
	if (!ret)
		return w->buf;
	problem(w->f, "unreadable data", r->ino, r->start + at, "%s", msg_why(-ret));
	return NULL;
}

/* The stored bytes [@from, @to) of a file, @from at the beginning of a chunk. */
static void check_chunks(struct worker *w, const struct fdata *r, u64 base, u64 from, u64 to)
{
	const struct dsfs_geo *geo = w->f->geo;
	const u64 chunk = geo->chunk_bits ? 1ULL << geo->chunk_bits : BATCH_BYTES;
	struct dsfs_attr attr = { .ino = r->ino };
	struct dsfs_err err = { 0 };
	u32 want = r->sum, have;
	const u8 *data;
	u64 at, n;
	int ret;

	for (at = from; at < to; at += n) {
		n = to - at < chunk ? to - at : chunk;
		data = chunk_bytes(w, r, base, at, n);
		if (!data || !geo->chunk_bits)
			continue;
		if (r->stored > chunk) {
			ret = dsfs_chunk_sum(w->f->src, &attr, r->stored, at / chunk, &want, &err);
			if (ret) {
				problem_err(w->f, r->ino, r->start + at, &err, ret);
				return;
			}
		}
		have = dsfs_crc32c(0, data, n);
		if (have != want)
			problem(w->f, "data checksum", r->ino, r->start + at,
				"%#x, expected %#x, bytes %llu to %llu of what the file stores",
				have, want, at, at + n - 1);
	}
}

/* Check that the bytes [@from, @to) of the image, which no file uses, are zero. */
static void check_zero(struct worker *w, u64 from, u64 to)
{
	u64 data, n;

	for (; from < to && !stop_asked(); from += n) {
		n = to - from < BATCH_BYTES ? to - from : BATCH_BYTES;
		if (n == BATCH_BYTES) {
			/*
			 * a sparse image file may have holes that would take
			 * days to read
			 */
			data = image_next_data(&w->f->img, from);
			if (data > from + n) {
				n = data < to ? data - from : to - from;
				continue;
			}
		}
		if (image_pread(&w->f->img, w->buf, n, from)) {
			problem(w->f, "unreadable bytes between files", NO_INO,
				from, "%llu bytes", n);
			continue;
		}
		if (!all_zero(w->buf, n)) {
			problem(w->f, "bytes between files", NO_INO, from,
				"they are not zero, up to %llu", from + n);
			return;
		}
	}
}

/* Check the bytes between file @i and the next one; @have bytes are in the buffer. */
static void check_behind(struct worker *w, size_t i, u64 base, u64 have)
{
	const struct fsck *f = w->f;
	const struct fdata *r = data_at(f, i);
	const u64 from = r->start + r->stored;
	const u64 up = (from + DSFS_BLOCK_SIZE - 1) & ~(u64)(DSFS_BLOCK_SIZE - 1);
	size_t next = i + 1;
	u64 to;

	/* after an update, old data may lie between files; in an archive, any bytes */
	if (from < f->fresh || r->inside)
		return;
	while (next < f->data.n && (data_at(f, next)->again || data_at(f, next)->inside))
		next++;
	to = next < f->data.n ? data_at(f, next)->start : f->geo->data_end;
	if (f->geo->generation > 1 && to > up)
		to = up;
	if (to <= from)
		return;
	if (!w->whole || to > base + have)
		check_zero(w, from, to);
	else if (!all_zero(w->buf + (from - base), to - from))
		problem(w->f, "bytes between files", NO_INO, from,
			"they are not zero, up to %llu", to);
}

static void do_task(struct worker *w, const struct task *t)
{
	const struct fdata *r = data_at(w->f, t->first);
	const u64 base = r->start + t->off;
	u64 to, done = 0;
	size_t i;

	w->whole = !image_pread(&w->f->img, w->buf, t->len, base);
	for (i = t->first; i < t->first + t->n; i++) {
		r = data_at(w->f, i);
		if (is_done(r))
			continue;
		to = t->n == 1 ? t->off + t->len : r->stored;
		check_chunks(w, r, base, t->off, to);
		done += to - t->off;
	}
	/* a loop of its own: the check behind the last file overwrites the buffer */
	for (i = t->first; i < t->first + t->n; i++) {
		r = data_at(w->f, i);
		if (!is_done(r) && (t->n > 1 || t->off + t->len == r->stored))
			check_behind(w, i, base, t->len);
	}
	pass_add(w->f, done);
}

static void work(void *ctx, size_t i)
{
	struct queue *q = ctx;
	struct worker w = { .f = q->f, .buf = q->buf + i * q->buf_bytes };
	struct task t;

	while (take(q, &t))
		do_task(&w, &t);
}

/* Check the bytes before the first file. */
static void check_first_gap(struct fsck *f, u8 *buf)
{
	struct worker w = { .f = f, .buf = buf };

	if (f->geo->generation == 1)
		check_zero(&w, DSFS_DATA_START_MIN,
			   f->data.n ? data_at(f, 0)->start : f->geo->meta_start);
}

int check_data(struct fsck *f)
{
	const u64 bytes = f->geo->meta_start;
	struct queue q = {
		.f = f, .next = skip_done(f, 0),
		/* files and the gaps between them end there, so no read is longer */
		.buf_bytes = bytes < BATCH_BYTES ? bytes : BATCH_BYTES,
	};
	u64 total = 0;
	size_t i;

	for (i = 0; i < f->data.n; i++)
		if (!is_done(data_at(f, i)))
			total += data_at(f, i)->stored;
	q.buf = malloc(f->threads * q.buf_bytes);
	if (!q.buf)
		return -ENOMEM;
	pthread_mutex_init(&q.lock, NULL);
	pass_begin(f, "data", total, true);
	check_first_gap(f, q.buf);
	work_run(f->threads, f->threads, work, &q);
	pass_end(f);
	free(q.buf);
	return 0;
}
