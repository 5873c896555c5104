// SPDX-License-Identifier: GPL-2.0
/*
 * All computing over bytes on their way from a source to the writer.  It happens in
 * the thread that has just read them, while they are in its CPU's cache.
 */
#include "base.h"
#include "content.h"

/**
 * hash_bytes - continue the hash of the stored bytes of a file
 * @hash: result of the call before; 0 at first
 *
 * All calls but the last pass multiples of HASH_UNIT, so the hash does not depend on
 * the size of pieces.  It is needed for a derived UUID, and without checksums; else for what a file
 * begins with.
 */
static u64 hash_bytes(const struct content_rules *rules, u64 hash, const char *p, u64 bytes)
{
	if (!rules->hash_all)
		return hash ? hash : xxh64(p, bytes < DSFS_BLOCK_SIZE ? bytes : DSFS_BLOCK_SIZE, 0);
	for (u64 at = 0; at < bytes; at += HASH_UNIT) {
		u64 n = bytes - at < HASH_UNIT ? bytes - at : HASH_UNIT;

		hash = xxh64(p + at, n, hash);
	}
	return hash;
}

/**
 * hash_end - the hash of a file, by hash_bytes() and by base_sums_add()
 * @sums: hash of the checksums of its chunks
 *
 * Deduplication compares bytes, so it needs no more than a hash that tells contents apart: for each
 * one that it does not, a node and bytes are read at random.  Checksums are there anyway, but 32
 * bits, which a small file has, are equal by accident among hundreds of millions.
 */
static u64 hash_end(const struct content_rules *rules, u64 hash, u64 sums)
{
	return rules->hash_all ? hash : xxh64(&hash, sizeof(hash), sums);
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

/* Checksums of the chunks that end in some bytes; the last one may go on in the next. */
static u32 sum_chunks(struct chunk_sum *c, const char *p, u64 bytes, u32 *sums)
{
	u32 n = 0;

	for (u64 at = 0; c->bits && at < bytes;) {
		at += chunk_sum_add(c, p + at, bytes - at);
		if (!c->left)
			sums[n++] = chunk_sum_end(c);
	}
	return n;
}

static u32 sum_rest(struct chunk_sum *c, u32 *sums)
{
	const bool rest = c->bits && c->left < 1ULL << c->bits;

	if (rest)
		*sums = chunk_sum_end(c);
	return rest;
}

void file_sums_begin(struct file_sums *s, const struct content_rules *rules, u64 size)
{
	const bool large = size > 1ULL << DSFS_LARGE_BITS;

	s->rules = rules;
	s->bytes = 0;
	s->nfew = 0;
	dsfs_datasum_begin(&s->whole);
	chunk_sum_begin(&s->sum, large ? rules->large_bits : rules->chunk_bits);
	chunk_sum_begin(&s->few, s->sum.bits == rules->chunk_bits ? 0 : rules->chunk_bits);
}

static bool is_small(const struct file_sums *s)
{
	return s->rules->chunk_bits && s->bytes <= 1ULL << s->rules->small_bits;
}

/* Whether a file is small, or large, is known at its end. */
u32 file_sums_add(struct file_sums *s, const char *p, u64 bytes, u32 *out)
{
	s->bytes += bytes;
	if (is_small(s))
		dsfs_datasum_add(&s->whole, p, bytes);
	if (s->bytes <= 1ULL << DSFS_LARGE_BITS)
		s->nfew += sum_chunks(&s->few, p, bytes, s->few_sums + s->nfew);
	return sum_chunks(&s->sum, p, bytes, out);
}

u32 file_sums_end(struct file_sums *s, u32 *out, bool *all)
{
	*all = s->bytes && is_small(s);
	if (*all) {
		*out = dsfs_datasum_end(&s->whole);
		return 1;
	}
	*all = s->bytes && s->few.bits && s->bytes <= 1ULL << DSFS_LARGE_BITS;
	if (!*all)
		return sum_rest(&s->sum, out);
	s->nfew += sum_rest(&s->few, s->few_sums + s->nfew);
	memcpy(out, s->few_sums, s->nfew * sizeof(*out));
	return s->nfew;
}

static void sum_piece(struct large *l, bool last)
{
	struct fill *p = l->piece;

	l->hash = hash_bytes(l->rules, l->hash, p->buf, p->bytes);
	p->nsums = file_sums_add(&l->of, p->buf, p->bytes, p->sums);
	p->last = last;
	p->all = false;
	if (last) {
		u32 end[PIECE_SUMS];
		const u32 n = file_sums_end(&l->of, end, &p->all);

		p->nsums = p->all ? 0 : p->nsums;
		memcpy(p->sums + p->nsums, end, n * sizeof(*end));
		p->nsums += n;
	}
	if (p->all)
		l->sums = 0;
	for (u32 i = 0; i < p->nsums; i++)
		l->sums = base_sums_add(l->sums, p->sums[i]);
}

static int large_emit(void *ctx, const char *p, u64 bytes)
{
	struct large *l = ctx;

	while (bytes) {
		u64 n = ring_piece_bytes(l->ring) - l->piece->bytes;

		if (!n) {
			/* More follows, so this one is not the last. */
			sum_piece(l, false);
			ring_piece_pass(l->job);
			l->piece = ring_piece_get(l->job);
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
	file_sums_begin(&l->of, rules, job->items[0].node->size);
	l->piece = ring_piece_get(job);
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
	it->hash = hash_end(l->rules, l->hash, l->sums);
	if (!l->pack)
		take_holes(it, &l->holes);
	return 0;
}

void large_end(struct large *l)
{
	if (l->piece) {
		l->piece->last = true;
		ring_piece_pass(l->job);
	}
	holes_free(&l->holes);
	if (l->pack)
		pack_large_cancel(l->pack);
}
