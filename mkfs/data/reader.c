// SPDX-License-Identifier: GPL-2.0
/*
 * Reading files, and all computing over their bytes: checksums, the hash that
 * deduplication goes by, and the search for holes.  It happens here, in as
 * many threads as there are, while the bytes are in this CPU's cache.
 *
 * The source provides the bytes: see struct source_ops.
 */
#include <stdlib.h>

#include "../base/base.h"
#include "stream.h"

static void bad(struct item *it, const char *why, int err)
{
	it->why = why;
	it->err = err;
}

/* Take over the error of the source.  Return: false. */
static bool bad_input(struct item *it, const struct input *in)
{
	bad(it, in->why, in->err);
	return false;
}

static bool open_input(struct reader *r, struct item *it)
{
	return r->ops->open(r->in, it->dir, it->node) || bad_input(it, r->in);
}

static bool read_at(struct reader *r, struct item *it, char *p, size_t bytes,
		    u64 pos)
{
	return r->ops->read(r->in, p, bytes, pos) || bad_input(it, r->in);
}

/* Check after reading that the file is still the one that was scanned. */
static bool check_file(struct reader *r, struct item *it)
{
	return r->ops->unchanged(r->in) || bad_input(it, r->in);
}

/* Stored bytes are moved to the front of the same buffer. */
struct squeeze {
	char *to;
};

static int squeeze_emit(void *ctx, const char *p, u64 bytes)
{
	struct squeeze *sq = ctx;

	if (p)
		memmove(sq->to, p, bytes);
	else
		memset(sq->to, 0, bytes);
	sq->to += bytes;
	return 0;
}

/* What the holes filter found goes to the item. */
static void take_holes(struct item *it, struct holes *h)
{
	it->stored = h->stored;
	it->sparse = h->sparse;
	if (!h->sparse)
		return;
	it->extents = (struct dsfs_extent_record *)h->extents.p;
	it->nextents = h->extents.n;
	h->extents.p = NULL;
}

static void squeeze_small(struct item *it, char *buf)
{
	struct squeeze sq = { buf };
	struct holes h;
	int ret;

	holes_init(&h, squeeze_emit, &sq);
	ret = holes_data(&h, buf, it->node->size);
	if (!ret)
		ret = holes_end(&h);
	if (ret)
		bad(it, "out of memory", ret);
	else
		take_holes(it, &h);
	holes_free(&h);
}

static void sum_small(const struct stream *s, struct job *job, struct item *it,
		      const char *buf)
{
	unsigned int bits = s->mkfs->params.chunk_bits;

	it->hash = stream_hash(s, 0, buf, it->stored);
	it->first_sum = job->nsums;
	for (u64 at = 0; bits && at < it->stored; at += 1ULL << bits) {
		u64 n = it->stored - at;
		u32 sum;

		if (n > 1ULL << bits)
			n = 1ULL << bits;
		sum = dsfs_crc32c(0, buf + at, n);
		it->hash = stream_hash_sum(s, it->hash, sum);
		job->sums[job->nsums++] = sum;
	}
	it->sums = job->nsums - it->first_sum;
}

/* The inode of the image that the item may be the same as; 0: none. */
static u32 old_inode(struct reader *r, const struct item *it)
{
	struct base *base = r->s->mkfs->base;
	u32 ino = base ? *node_old(it->dir, it->node) : 0;

	if (ino && !r->prev)
		r->prev = image_source(&base->img, 1);
	return r->prev ? ino : 0;
}

/* Update: compare a small file with the inode of its name. */
static bool compare_small(struct reader *r, struct item *it, const char *buf)
{
	u32 ino = old_inode(r, it);
	struct content_compare compare;

	if (!ino)
		return false;
	content_compare_begin(&compare, r->s->mkfs->base, r->prev, ino);
	content_compare_data(&compare, buf, it->stored);
	return content_compare_end(&compare, it->sparse, it->extents, it->nextents);
}

static void run_small(struct reader *r, struct job *job, struct item *it)
{
	char *buf = job->buf + it->off;

	if (!open_input(r, it))
		return;
	if (read_at(r, it, buf, it->node->size, 0) && check_file(r, it)) {
		it->stored = it->node->size;
		if (it->stored >= HOLE_MIN && holes_any(buf, it->stored))
			squeeze_small(it, buf);
		if (!it->why)
			sum_small(r->s, job, it, buf);
		if (!it->why)
			it->kept = compare_small(r, it, buf);
	}
	r->ops->close(r->in);
}

/* A large file on its way through pieces. */
struct large {
	struct stream *s;
	struct job *job;
	struct piece *piece;
	char *buf;
	u64 hash;
	u64 chunk_left;
	u32 sum;
};

/* Checksums of a full piece; a chunk may go on into the next. */
static void sum_piece(struct large *l, bool last)
{
	unsigned int bits = l->s->mkfs->params.chunk_bits;
	struct piece *p = l->piece;

	l->hash = stream_hash(l->s, l->hash, l->buf, p->bytes);
	p->nsums = 0;
	for (u32 at = 0; bits && at < p->bytes;) {
		u64 n = p->bytes - at;

		if (n > l->chunk_left)
			n = l->chunk_left;
		l->sum = dsfs_crc32c(l->sum, l->buf + at, n);
		at += n;
		l->chunk_left -= n;
		if (l->chunk_left && !(last && at == p->bytes))
			continue;
		p->sums[p->nsums++] = l->sum;
		l->hash = stream_hash_sum(l->s, l->hash, l->sum);
		l->sum = 0;
		l->chunk_left = 1ULL << bits;
	}
	p->last = last;
}

static int large_emit(void *ctx, const char *p, u64 bytes)
{
	struct large *l = ctx;

	while (bytes) {
		u64 n = stream_piece_bytes(l->s) - l->piece->bytes;

		if (!n) {
			/* More follows, so this one is not the last. */
			sum_piece(l, false);
			stream_piece_put(l->s, l->job);
			l->piece = stream_piece_get(l->s, l->job, &l->buf);
			if (!l->piece)
				return -ECANCELED;
			l->piece->bytes = 0;
			continue;
		}
		if (n > bytes)
			n = bytes;
		if (p)
			memcpy(l->buf + l->piece->bytes, p, n);
		else
			memset(l->buf + l->piece->bytes, 0, n);
		p = p ? p + n : NULL;
		l->piece->bytes += n;
		bytes -= n;
	}
	return 0;
}

static int read_large(struct reader *r, struct item *it, struct holes *h)
{
	u64 size = it->node->size, pos = 0, end = 0;
	int ret = 0;

	while (!ret && pos < size) {
		u64 from = pos, want;

		if (pos >= end) {
			end = r->ops->next_data(r->in, &pos);
			if (pos > from)
				ret = holes_zeros(h, pos - from);
			continue;
		}
		want = end - pos < STAGING_BYTES ? end - pos : STAGING_BYTES;
		if (!read_at(r, it, r->staging, want, pos))
			return -1;
		ret = holes_data(h, r->staging, want);
		pos += want;
	}
	return ret ? ret : holes_end(h);
}

/*
 * Update: compare a large file with the inode of its name.  A large file is
 * written while it is read, so the comparison reads it once before.
 */
static void compare_large(struct reader *r, struct item *it)
{
	u32 ino = old_inode(r, it);
	struct content_compare compare;
	struct holes h;
	int ret;

	if (!ino)
		return;
	content_compare_begin(&compare, r->s->mkfs->base, r->prev, ino);
	holes_init(&h, content_compare_data, &compare);
	ret = compare.differs ? -ECANCELED : read_large(r, it, &h);
	if (!ret && check_file(r, it))
		it->kept = content_compare_end(&compare, h.sparse,
					       (struct dsfs_extent_record *)h.extents.p,
					       h.extents.n);
	holes_free(&h);
}

static void run_large(struct reader *r, struct job *job)
{
	struct large l = { .s = r->s, .job = job };
	struct item *it = &job->items[0];
	struct holes h;
	int ret;

	holes_init(&h, large_emit, &l);
	l.chunk_left = 1ULL << r->s->mkfs->params.chunk_bits;
	l.piece = stream_piece_get(r->s, job, &l.buf);
	if (l.piece)
		l.piece->bytes = 0;
	if (l.piece && open_input(r, it)) {
		compare_large(r, it);
		ret = it->kept || it->why ? 0 : read_large(r, it, &h);
		if (it->kept) {
			sum_piece(&l, true);
		} else if (!ret && !it->why && check_file(r, it)) {
			sum_piece(&l, true);
			it->hash = l.hash;
			take_holes(it, &h);
		} else if (ret && !it->why) {
			bad(it, "out of memory", ret);
		}
		r->ops->close(r->in);
	}
	if (l.piece) {
		l.piece->last = true;
		stream_piece_put(r->s, job);
	}
	holes_free(&h);
}

void reader_run(struct reader *r, struct job *job)
{
	if (job->large) {
		run_large(r, job);
		return;
	}
	for (unsigned int i = 0; i < job->nitems; i++)
		run_small(r, job, &job->items[i]);
}
