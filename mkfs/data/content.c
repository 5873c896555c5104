// SPDX-License-Identifier: GPL-2.0
/*
 * All computing over bytes on their way from a source to the writer.  It happens in
 * the thread that has just read them, while they are in its CPU's cache.
 */
#include "../base/base.h"
#include "content.h"

/**
 * hash_bytes - continue the hash of the stored bytes of a file
 * @hash: result of the call before; 0 at first
 *
 * All calls but the last pass multiples of HASH_UNIT, so the hash does not depend on
 * the size of pieces.  It is needed for a derived UUID, and without checksums.
 */
static u64 hash_bytes(const struct content_rules *rules, u64 hash, const char *p, u64 bytes)
{
	for (u64 at = 0; rules->hash_all && at < bytes; at += HASH_UNIT) {
		u64 n = bytes - at < HASH_UNIT ? bytes - at : HASH_UNIT;

		hash = xxh64(p + at, n, hash);
	}
	return hash;
}

/**
 * hash_end - the hash of a file, by hash_bytes() and by base_sums_add()
 * @sums: hash of the checksums of its chunks
 *
 * Deduplication compares bytes, so it needs no more than a hash that tells most contents
 * apart.  Checksums do, and are there anyway.
 */
static u64 hash_end(const struct content_rules *rules, u64 hash, u64 sums)
{
	return rules->hash_all ? hash : sums;
}

/* Move stored bytes to the front of the same buffer.  @ctx: where the next ones go */
static int squeeze_emit(void *ctx, const char *p, u64 bytes)
{
	char **to = ctx;

	if (!p)
		memset(*to, 0, bytes);
	else if (p != *to)
		memmove(*to, p, bytes);
	*to += bytes;
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
	struct holes h;
	char *to = buf;
	int ret;

	holes_init(&h, squeeze_emit, &to);
	ret = holes_data(&h, buf, it->node->size) ?: holes_end(&h);
	if (ret)
		content_bad(it, "out of memory", ret);
	else
		take_holes(it, &h);
	holes_free(&h);
}

static void sum_small(const struct content_rules *rules, struct job *job, struct item *it,
		      const char *buf)
{
	const unsigned int bits = dsfs_chunk_choose(rules->chunk_bits, rules->small_bits,
						    rules->large_bits, it->stored);
	u64 sums = 0;

	it->first_sum = job->nsums;
	for (u64 at = 0; bits && at < it->stored; at += 1ULL << bits) {
		u64 n = it->stored - at;
		u32 sum;

		if (n > 1ULL << bits)
			n = 1ULL << bits;
		sum = dsfs_datasum(buf + at, n);
		sums = base_sums_add(sums, sum);
		job->sums[job->nsums++] = sum;
	}
	it->sums = job->nsums - it->first_sum;
	it->hash = hash_end(rules, hash_bytes(rules, 0, buf, it->stored), sums);
}

void content_small(const struct content_rules *rules, struct packer *packer, struct job *job,
		   struct item *it)
{
	char *buf = job->buf + it->off;
	int packed;

	it->stored = it->node->size;
	packed = packer ? pack_small(packer, it, buf) : 0;
	if (packed < 0)
		content_bad(it, "out of memory", packed);
	else if (!packed && it->stored >= HOLE_MIN)
		squeeze_small(it, buf);
	if (!it->why)
		sum_small(rules, job, it, buf);
}

/* Checksums of the chunks that end in a piece; the last one may go on into the next. */
static u32 sum_chunks(struct chunk_sum *c, const struct piece *p, bool last, u32 *sums)
{
	u32 n = 0;

	for (u32 at = 0; c->bits && at < p->bytes;) {
		at += chunk_sum_add(c, p->buf + at, p->bytes - at);
		if (!c->left || (last && at == p->bytes))
			sums[n++] = chunk_sum_end(c);
	}
	return n;
}

/*
 * Whether a file is small, or large, is known at its end.  Until then it has a checksum of all its
 * bytes, and those that a file has which is neither, too, while they are few enough.
 */
static void sum_few(struct large *l, bool last)
{
	const struct piece *p = l->piece;

	l->stored += p->bytes;
	if (l->rules->chunk_bits && l->stored <= 1ULL << l->rules->small_bits)
		dsfs_datasum_add(&l->whole, p->buf, p->bytes);
	if (l->stored <= 1ULL << DSFS_LARGE_BITS)
		l->nfew += sum_chunks(&l->few, p, last, l->few_sums + l->nfew);
}

/* The last piece gets all checksums of a file that has turned out to be small, or not large. */
static void end_few(struct large *l)
{
	struct piece *p = l->piece;

	if (!l->rules->chunk_bits || !l->stored)
		return;
	if (l->stored <= 1ULL << l->rules->small_bits) {
		p->sums[0] = dsfs_datasum_end(&l->whole);
		p->nsums = 1;
	} else if (l->few.bits && l->stored <= 1ULL << DSFS_LARGE_BITS) {
		memcpy(p->sums, l->few_sums, l->nfew * sizeof(*p->sums));
		p->nsums = l->nfew;
	} else {
		return;
	}
	p->all = true;
	l->sums = 0;
	for (u32 i = 0; i < p->nsums; i++)
		l->sums = base_sums_add(l->sums, p->sums[i]);
}

static void sum_piece(struct large *l, bool last)
{
	struct piece *p = l->piece;

	l->hash = hash_bytes(l->rules, l->hash, p->buf, p->bytes);
	sum_few(l, last);
	p->nsums = sum_chunks(&l->sum, p, last, p->sums);
	for (u32 i = 0; i < p->nsums; i++)
		l->sums = base_sums_add(l->sums, p->sums[i]);
	p->last = last;
	p->all = false;
}

static int large_emit(void *ctx, const char *p, u64 bytes)
{
	struct large *l = ctx;

	while (bytes) {
		u64 n = ring_piece_bytes(l->ring) - l->piece->bytes;

		if (!n) {
			/* More follows, so this one is not the last. */
			sum_piece(l, false);
			ring_piece_pass(l->ring, l->job, &l->job->made);
			l->piece = ring_piece_get(l->ring, l->job);
			if (!l->piece)
				return -ECANCELED;
			continue;
		}
		if (n > bytes)
			n = bytes;
		if (p)
			memcpy(l->piece->buf + l->piece->bytes, p, n);
		else
			memset(l->piece->buf + l->piece->bytes, 0, n);
		p = p ? p + n : NULL;
		l->piece->bytes += n;
		bytes -= n;
	}
	return 0;
}

bool large_begin(struct large *l, const struct content_rules *rules, struct ring *ring,
		 struct job *job)
{
	*l = (struct large){ .rules = rules, .ring = ring, .job = job };
	holes_init(&l->holes, large_emit, l);
	chunk_sums_begin(rules, job->items[0].node->size, &l->sum, &l->few);
	dsfs_datasum_begin(&l->whole);
	l->piece = ring_piece_get(ring, job);
	return l->piece;
}

int large_pack(struct large *l, struct pack_large *pack, u64 size, const char *sample)
{
	const int ret = pack_large_begin(pack, size, sample, large_emit, l);

	l->pack = ret == 1 ? pack : NULL;
	return ret < 0 ? ret : 0;
}

int large_data(void *large, const char *p, u64 bytes)
{
	struct large *l = large;

	if (l->pack)
		return pack_large_data(l->pack, p, bytes);
	return p ? holes_data(&l->holes, p, bytes) : holes_zeros(&l->holes, bytes);
}

int large_finish(struct large *l, struct item *it)
{
	int ret = l->pack ? pack_large_end(l->pack, it) : holes_end(&l->holes);

	if (ret)
		return ret;
	sum_piece(l, true);
	end_few(l);
	it->hash = hash_end(l->rules, l->hash, l->sums);
	if (!l->pack)
		take_holes(it, &l->holes);
	return 0;
}

void large_end(struct large *l)
{
	if (l->piece) {
		l->piece->last = true;
		ring_piece_pass(l->ring, l->job, &l->job->made);
	}
	holes_free(&l->holes);
	if (l->pack)
		pack_large_cancel(l->pack);
}
