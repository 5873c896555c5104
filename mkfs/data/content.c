// SPDX-License-Identifier: GPL-2.0
/*
 * All computing over bytes on their way from a source to the writer.  It happens in
 * the thread that has just read them, while they are in its CPU's cache.
 */
#include "content.h"

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
		content_bad(it, "out of memory", ret);
	else
		take_holes(it, &h);
	holes_free(&h);
}

static void sum_small(const struct stream *s, struct job *job, struct item *it,
		      const char *buf)
{
	unsigned int bits = s->params->chunk_bits;
	u64 sums = 0;

	it->first_sum = job->nsums;
	for (u64 at = 0; bits && at < it->stored; at += 1ULL << bits) {
		u64 n = it->stored - at;
		u32 sum;

		if (n > 1ULL << bits)
			n = 1ULL << bits;
		sum = dsfs_crc32c(0, buf + at, n);
		sums = base_sums_add(sums, sum);
		job->sums[job->nsums++] = sum;
	}
	it->sums = job->nsums - it->first_sum;
	it->hash = stream_hash_end(s, stream_hash(s, 0, buf, it->stored), sums);
}

void content_small(const struct stream *s, struct job *job, struct item *it)
{
	char *buf = job->buf + it->off;

	it->stored = it->node->size;
	if (it->stored >= HOLE_MIN && holes_any(buf, it->stored))
		squeeze_small(it, buf);
	if (!it->why)
		sum_small(s, job, it, buf);
}

/* Checksums of a full piece; a chunk may go on into the next. */
static void sum_piece(struct large *l, bool last)
{
	unsigned int bits = l->s->params->chunk_bits;
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
		l->sums = base_sums_add(l->sums, l->sum);
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

bool large_begin(struct large *l, struct stream *s, struct job *job)
{
	*l = (struct large){ .s = s, .job = job };
	holes_init(&l->holes, large_emit, l);
	l->chunk_left = 1ULL << s->params->chunk_bits;
	l->piece = stream_piece_get(s, job, &l->buf);
	if (l->piece)
		l->piece->bytes = 0;
	return l->piece;
}

void large_finish(struct large *l, struct item *it)
{
	sum_piece(l, true);
	it->hash = stream_hash_end(l->s, l->hash, l->sums);
	take_holes(it, &l->holes);
}

void large_end(struct large *l)
{
	if (l->piece) {
		l->piece->last = true;
		stream_piece_put(l->s, l->job);
	}
	holes_free(&l->holes);
}
