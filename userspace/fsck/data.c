// SPDX-License-Identifier: GPL-2.0
/*
 * Verification of all data, in the order of the image, so that a disk is read
 * from its start to its end.  Small files that lie together are read together;
 * large files are divided, so that no thread is left alone with one at the end.
 * Bytes between files must be zero; otherwise a writer has leaked data.
 */
#include "fsck.h"
#include "msg.h"
#include "unpack.h"
#include "work.h"

#define BATCH_BYTES	(4U << 20)	/* a multiple of every chunk size */

#define NONE		UINT64_MAX

/**
 * struct queue - files that are not checked yet; @lock protects @next and @off
 * @share: a share of the files, one for all with the same place
 * @buf: for each thread @buf_bytes
 * @next: index of the next file
 * @off: bytes of that file that were given to tasks
 * @open: end of a file of which nobody knows yet what is behind it, or NONE
 */
struct queue {
	struct fsck *f;
	struct share share;
	u8 *buf;
	size_t buf_bytes;
	pthread_mutex_t lock;
	size_t next;
	u64 off;
	u64 open;
};

/**
 * struct check - files to check
 * @first: index of the first file
 * @n: how many; if more than one, or if the whole file is meant, @off is 0
 * @off: for a part of a large file: its offset in the stored data
 * @len: bytes from there on to read
 */
struct check {
	size_t first;
	size_t n;
	u64 off;
	u64 len;
};

/**
 * struct checker - a thread
 * @q: the queue
 * @whole: @buf holds all data of the task
 */
struct checker {
	struct fsck *f;
	struct queue *q;
	u8 *buf;
	bool whole;
};

static const struct ref *data_at(const struct queue *q, size_t i)
{
	return share_at(&q->share, i);
}

static size_t skip_known(const struct queue *q, size_t i)
{
	while (i < q->share.at.n && data_at(q, i)->known)
		i++;
	return i;
}

static void take_piece(struct queue *q, struct check *t)
{
	const struct ref *r = data_at(q, q->next);

	t->n = 1;
	t->off = q->off;
	t->len = r->len - q->off;
	if (t->len > BATCH_BYTES)
		t->len = BATCH_BYTES;
	q->off += t->len;
	if (q->off == r->len) {
		q->next = skip_known(q, q->next + 1);
		q->off = 0;
	}
}

static void take_batch(struct queue *q, struct check *t)
{
	const u64 from = data_at(q, t->first)->pos;
	const struct ref *r;
	u64 end;

	t->n = 0;
	t->off = 0;
	t->len = 0;
	while (q->next < q->share.at.n) {
		r = data_at(q, q->next);
		end = r->pos + r->len - from;
		if (end > BATCH_BYTES)
			break;
		if (end > t->len)
			t->len = end;
		t->n = q->next - t->first + 1;
		q->next = skip_known(q, q->next + 1);
	}
}

static bool take(struct queue *q, struct check *t)
{
	bool got = false;

	pthread_mutex_lock(&q->lock);
	if (q->next < q->share.at.n && !stop_asked()) {
		got = true;
		t->first = q->next;
		if (data_at(q, q->next)->len > BATCH_BYTES)
			take_piece(q, t);
		else
			take_batch(q, t);
	}
	pthread_mutex_unlock(&q->lock);
	return got;
}

/* Bytes of a chunk; read separately if the whole task could not be read. */
static const u8 *chunk_bytes(struct checker *w, const struct ref *r, u64 base, u64 at, u64 len)
{
	int ret;

	if (w->whole)
		return w->buf + (r->pos + at - base);
	ret = image_pread(&w->f->img, w->buf, len, r->pos + at);
	if (!ret)
		return w->buf;
	problem(w->f, "unreadable data", r->ino, r->pos + at, "%s", msg_why(-ret));
	return NULL;
}

/* The stored bytes [@from, @to) of a file, @from at the beginning of a chunk. */
static void check_chunks(struct checker *w, const struct ref *r, u64 base, u64 from, u64 to)
{
	const struct dsfs_geo *geo = w->f->geo;
	const u64 chunk = geo->chunk_bits ? 1ULL << dsfs_chunk_bits(geo, r->len) : BATCH_BYTES;
	const struct dsfs_attr attr = { .ino = r->ino, .sum = r->sum };
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
		if (r->len > chunk) {
			ret = dsfs_chunk_sum(w->f->src, &attr, r->len, at / chunk, &want, &err);
			if (ret) {
				problem_err(w->f, r->ino, r->pos + at, &err, ret);
				return;
			}
		}
		have = dsfs_datasum(data, n);
		if (have != want)
			problem(w->f, "data checksum", r->ino, r->pos + at,
				"%#x, expected %#x, bytes %llu to %llu of what the file stores",
				have, want, at, at + n - 1);
	}
}

/* Check that the bytes [@from, @to) of the image, which no file uses, are zero. */
static void check_zero(struct checker *w, u64 from, u64 to)
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

/* Where the next file begins that lies in no other one, from file @i on; NONE: in another share */
static u64 next_start(const struct queue *q, size_t i)
{
	while (i < q->share.at.n && data_at(q, i)->inside)
		i++;
	if (i < q->share.at.n)
		return data_at(q, i)->pos;
	return share_is_last(&q->share) ? q->f->geo->data_end : NONE;
}

/* Behind a file that ends at @from, the bytes up to the next one, at @to, but for old data */
static u64 end_behind(const struct fsck *f, u64 from, u64 to)
{
	const u64 up = (from + DSFS_BLOCK_SIZE - 1) & ~(u64)(DSFS_BLOCK_SIZE - 1);

	return f->geo->generation > 1 && to > up ? up : to;
}

/* Check the bytes between file @i and the next one; @have bytes are in the buffer. */
static void check_behind(struct checker *w, size_t i, u64 base, u64 have)
{
	const struct ref *r = data_at(w->q, i);
	const u64 from = r->pos + r->len;
	u64 to;

	/* after an update, old data may lie between files; in an archive, any bytes */
	if (from < w->f->fresh || r->inside)
		return;
	to = next_start(w->q, i + 1);
	if (to == NONE) {
		w->q->open = from;
		return;
	}
	to = end_behind(w->f, from, to);
	if (to <= from)
		return;
	if (!w->whole || to > base + have)
		check_zero(w, from, to);
	else if (!all_zero(w->buf + (from - base), to - from))
		problem(w->f, "bytes between files", NO_INO, from,
			"they are not zero, up to %llu", to);
}

static int pass_over(void *arg, u64 pos, const void *data, u64 len)
{
	return stop_asked() ? -EINTR : 0;
}

/* Unpack what is in memory, the stored bytes of a file, unit by unit. */
static int unpack_stored(struct dsfs_source *src, const struct dsfs_attr *attr, const u8 *stored,
			 struct dsfs_err *err)
{
	const u64 units = dsfs_units(attr);
	u8 *unit = malloc(DSFS_UNIT_SIZE);
	u32 from, to;
	int ret = 0;

	if (!unit)
		return dsfs_bad(err, "memory for a unit", DSFS_UNIT_SIZE, 0, -ENOMEM);
	for (u64 i = 0; !ret && i < units; i++) {
		ret = dsfs_units_get(src, attr, i, &from, &to, err);
		if (!ret)
			ret = unpack_unit(dsfs_attr_codec(attr), stored + from, to - from, unit,
					  dsfs_unit_bytes(attr, i), err);
	}
	free(unit);
	return ret;
}

/*
 * Unpack a compressed file, whose stored bytes were compared with their checksums.  @stored has all
 * of them; NULL: they are read once more.
 */
static void check_frames(struct checker *w, const struct ref *r, const u8 *stored)
{
	struct dsfs_source *src = w->f->src;
	struct dsfs_extra_info extra;
	struct dsfs_err err = { 0 };
	struct dsfs_attr attr;
	int ret;

	if (!(w->f->geo->incompat & DSFS_INCOMPAT_COMPRESSED) ||
	    dsfs_inode_get(src, r->ino, &attr, &err) || !(attr.flags & DSFS_INODE_COMPRESSED) ||
	    dsfs_extra_get(src, &attr, &extra, &err))
		return;
	if (stored && attr.stored == r->len)
		ret = unpack_stored(src, &attr, stored, &err);
	else
		ret = image_stream(src, &attr, &extra, false, pass_over, NULL, &err);
	if (ret && ret != -EINTR)
		problem_err(w->f, r->ino, r->pos, &err, ret);
}

static void do_task(struct checker *w, const struct check *t)
{
	const struct ref *r = data_at(w->q, t->first);
	const u64 base = r->pos + t->off;
	u64 to, done = 0;

	w->whole = !image_pread(&w->f->img, w->buf, t->len, base);
	for (size_t i = t->first; i < t->first + t->n; i++) {
		r = data_at(w->q, i);
		if (r->known)
			continue;
		to = t->n == 1 ? t->off + t->len : r->len;
		check_chunks(w, r, base, t->off, to);
		if (to == r->len)
			check_frames(w, r, w->whole && !t->off ? w->buf + (r->pos - base) : NULL);
		done += to - t->off;
	}
	/* a loop of its own: the check behind the last file overwrites the buffer */
	for (size_t i = t->first; i < t->first + t->n; i++) {
		r = data_at(w->q, i);
		if (!r->known && (t->n > 1 || t->off + t->len == r->len))
			check_behind(w, i, base, t->len);
	}
	pass_add(w->f, done);
}

static void work(void *ctx, size_t i)
{
	struct queue *q = ctx;
	struct checker w = { .f = q->f, .q = q, .buf = q->buf + i * q->buf_bytes };
	struct check t;

	while (take(q, &t))
		do_task(&w, &t);
}

/* Check the bytes before the first file. */
static void check_first_gap(struct queue *q)
{
	struct checker w = { .f = q->f, .buf = q->buf };

	if (q->f->geo->generation == 1)
		check_zero(&w, DSFS_DATA_START_MIN,
			   q->share.at.n ? data_at(q, 0)->pos : q->f->geo->meta_start);
}

/* Check the bytes behind the last file of the shares before. */
static void check_open(struct queue *q)
{
	struct checker w = { .f = q->f, .buf = q->buf };
	const u64 to = next_start(q, 0);

	if (q->open == NONE || to == NONE)
		return;
	check_zero(&w, q->open, end_behind(q->f, q->open, to));
	q->open = NONE;
}

static void begin_share(struct queue *q)
{
	const struct fsck *f = q->f;
	struct ref *r;

	for (size_t i = 0; i < q->share.at.n; i++) {
		r = share_at(&q->share, i);
		r->inside = bits_test(&f->inside, r->ino);
		r->known = bits_test(&f->known, r->ino);
	}
	q->next = skip_known(q, 0);
	q->off = 0;
}

/* Return: 0 or -ENOMEM. */
static int check_shares(struct queue *q)
{
	bool first = true;
	int ret = 0;

	while (!stop_asked() && (ret = share_next(&q->share)) > 0) {
		begin_share(q);
		if (first && q->share.at.n) {
			check_first_gap(q);
			first = false;
		}
		check_open(q);
		work_run(q->f->threads, q->f->threads, work, q);
	}
	if (!ret && first)
		check_first_gap(q);
	return ret < 0 ? ret : 0;
}

int check_data(struct fsck *f)
{
	const u64 bytes = f->geo->meta_start;
	struct queue q = {
		.f = f, .open = NONE,
		/* files and the gaps between them end there, so no read is longer */
		.buf_bytes = bytes < BATCH_BYTES ? bytes : BATCH_BYTES,
	};
	int ret;

	q.buf = malloc(f->threads * q.buf_bytes);
	if (!q.buf)
		return -ENOMEM;
	pthread_mutex_init(&q.lock, NULL);
	share_begin(&q.share, &f->data, f->src);
	q.share.skip = &f->again;
	pass_begin(f, "data", f->unread, true);
	ret = check_shares(&q);
	pass_end(f);
	share_end(&q.share);
	free(q.buf);
	return ret;
}
