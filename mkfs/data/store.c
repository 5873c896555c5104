// SPDX-License-Identifier: GPL-2.0
/*
 * Storing of files that were read.  A file is stored at a place of its own, or shares the place of
 * equal content.  One thread does this, in the order of data.
 *
 * The hash of a large file is known after its last byte, so such a file is written first.  If its
 * content turns out to be stored already, the write is undone and everything that it changed is
 * restored.  So the image does not depend on which files count as large.
 */
#include "../base/keep.h"
#include "msg.h"
#include "store.h"

/* A file that shares the stored bytes of another file */
struct dup {
	struct node *node;
	const struct node *of;
};

/* Add the record of a file with holes. */
static int add_sparse(struct store *s, struct item *it)
{
	struct tree *t = s->tree;
	struct sparse *sp;
	int ret;

	if (!it->sparse)
		return 0;
	sp = array_add(&t->sparse);
	if (!sp)
		return -ENOMEM;
	sp->stored = it->stored;
	sp->extents = it->nextents;
	sp->first_extent = it->nextents ? s->extents.len /
			    sizeof(struct dsfs_extent_record) : 0;
	it->node->sparse = t->sparse.n;
	ret = spool_add(&s->extents, it->extents, it->nextents * sizeof(struct dsfs_extent_record));
	s->figures.sparse_files++;
	if (!ret && s->extents.len / sizeof(struct dsfs_extent_record) > U32_MAX) {
		msg_error(NULL, "extents of files with holes: over the limit of 2^32");
		ret = -EFBIG;
	}
	return ret;
}

/* Add the checksums of the chunks of a file: to the node, or to CHUNKSUMS. */
static int add_sums(struct store *s, struct node *n, const u32 *sums, u32 count, bool single)
{
	if (single) {
		n->sum = count ? sums[0] : 0;
		return 0;
	}
	for (u32 i = 0; i < count; i++) {
		__le32 sum = cpu_to_le32(sums[i]);
		int ret = spool_add(&s->chunks, &sum, sizeof(sum));

		if (ret)
			return ret;
	}
	if (s->chunks.len / sizeof(__le32) > 1ULL << 32) {
		msg_error(NULL,
			  "chunk checksums: over the limit of 2^32: use a larger --chunk-size");
		return -EFBIG;
	}
	return 0;
}

/*
 * Find the next stored file with the same hash.  The caller compares its size,
 * and its bytes in the image.
 */
static struct node *dedup_next(const struct store *s, u64 hash, size_t *cursor)
{
	if (!s->dedup.slots)
		return NULL;
	return (struct node *)(uintptr_t)hash_next(&s->dedup, hash, cursor);
}

/*
 * The table has room for all files, or it grows; a file that is not in it for want
 * of memory is stored again.
 */
static void dedup_add(struct store *s, u64 hash, struct node *n)
{
	if (s->dedup.of)
		((struct stream_node *)n)->hash = hash;
	if (s->dedup.slots)
		hash_add(&s->dedup, hash, (uintptr_t)n);
}

static void count_file(struct store *s, const struct item *it)
{
	u64 key[2] = { it->hash, it->node->size };

	for (unsigned int i = 0; i < 2; i++)
		s->content[i] = xxh64(key, sizeof(key), s->content[i] + i);
}

static int add_dup(struct store *s, struct node *n, const struct node *of, u64 stored)
{
	struct dup *dup = array_add(&s->dups);

	if (!dup)
		return -ENOMEM;
	*dup = (struct dup){ n, of };
	node_data(n)->start = node_data((struct node *)of)->start;
	n->sum = of->sum;
	s->figures.dup_files++;
	s->figures.dup_bytes += stored;
	return 0;
}

int store_placed(struct store *s, struct item *it, const u32 *sums)
{
	struct node *n = it->node;
	int ret = add_sparse(s, it);

	count_file(s, it);
	if (!it->stored)
		node_data(n)->start = 0;
	if (it->sums > 1)
		n->sum = s->chunks.len / sizeof(__le32);
	return ret ? ret : add_sums(s, n, sums, it->sums, it->sums <= 1);
}

/* An item whose bytes are in memory, or were written to @pos. */
struct stored_item {
	struct output *out;
	const char *buf;
	u64 pos;
	u64 bytes;
};

static int equal(void *ctx, u64 start)
{
	const struct stored_item *c = ctx;

	return c->buf ? output_compare(c->out, start, c->buf, c->bytes) :
			output_compare_ranges(c->out, start, c->pos, c->bytes);
}

/* Let an item share the bytes at @start of inode @ino of the base image. */
static void share_kept(struct store *s, struct item *it, u32 ino, u64 start)
{
	keep_mark_found(it->dir, it->node, ino, start);
	s->figures.dup_files++;
	s->figures.dup_bytes += it->stored;
	dedup_add(s, it->hash, it->node);
}

/* Update: look for a small file in the base image.  Return: 1: it is there; 0; -errno. */
static int find_small(struct store *s, struct item *it, const char *buf, const u32 *sums)
{
	struct stored_item c = { .out = s->out, .buf = buf, .bytes = it->stored };
	u64 start, hash = 0;
	u32 ino;
	int ret;

	if (!s->base)
		return 0;
	for (u32 i = 0; i < it->sums; i++)
		hash = base_sums_add(hash, sums[i]);
	ret = keep_find(s->base, it->stored, hash, equal, &c, &ino, &start);
	if (ret == 1)
		share_kept(s, it, ino, start);
	return ret;
}

/* Store a file whose stored bytes are all in memory, in a buffer of @job. */
static int store_small(struct store *s, struct job *job, struct item *it,
		       char *buf, const u32 *sums)
{
	const struct tree *t = s->tree;
	struct node *n = it->node, *other;
	size_t cursor = 0;
	int ret = 0;
	u64 pos;

	if (!it->stored) {
		node_data(n)->start = 0;
		n->sum = 0;
		return 0;
	}
	while ((other = dedup_next(s, it->hash, &cursor))) {
		if (node_stored(t, other) != it->stored || (it->sums == 1 && other->sum != sums[0]))
			continue;
		ret = output_compare(s->out, node_data(other)->start, buf, it->stored);
		if (ret < 0)
			return ret;
		if (ret)
			return add_dup(s, n, other, it->stored);
	}
	if (it->sums) {
		ret = find_small(s, it, buf, sums);
		if (ret)
			return ret < 0 ? ret : 0;
	}
	pos = place_file(&s->place, n, it->stored);
	node_data(n)->start = pos;
	if (it->sums > 1)
		n->sum = s->chunks.len / sizeof(__le32);
	ret = output_lend(s->out, pos, buf, it->stored, &job->lent);
	if (!ret)
		ret = add_sums(s, n, sums, it->sums, it->sums <= 1);
	dedup_add(s, it->hash, n);
	return ret;
}

/* State to restore if a large file turns out to be stored already */
struct undo {
	struct place place;
	u64 chunks;
	u16 last_flags;
	u16 flags;
};

static void undo_save(struct store *s, struct undo *u, const struct node *n)
{
	u->place = s->place;
	u->chunks = s->chunks.len;
	u->last_flags = s->place.at.last ? s->place.at.last->flags : 0;
	u->flags = n->flags;
}

static void undo(struct store *s, const struct undo *u, struct node *n, u64 pos)
{
	s->place = u->place;
	if (s->place.at.last)
		s->place.at.last->flags = u->last_flags;
	n->flags = u->flags;
	spool_cut(&s->chunks, u->chunks);
	output_cut(s->out, pos);
}

/* Hash the checksums from @from on in the spool; a file of one chunk has none there. */
static int spooled_sums(struct store *s, const struct node *n, u64 from, u64 *hash)
{
	__le32 raw[1024];
	int ret = 0;
	u64 bytes;

	*hash = s->chunks.len > from ? 0 : base_sums_add(0, n->sum);
	for (; !ret && from < s->chunks.len; from += bytes) {
		bytes = s->chunks.len - from < sizeof(raw) ? s->chunks.len - from : sizeof(raw);
		ret = spool_read(&s->chunks, from, raw, bytes);
		for (u64 i = 0; !ret && i < bytes / sizeof(*raw); i++)
			*hash = base_sums_add(*hash, le32_to_cpu(raw[i]));
	}
	return ret;
}

/* The same of a large file, which was written to @pos: undo that. */
static int find_large(struct store *s, struct item *it, const struct undo *u, u64 pos)
{
	struct stored_item c = { .out = s->out, .pos = pos, .bytes = it->stored };
	u64 start = 0, hash;
	u32 ino = 0;
	int ret;

	if (!s->base)
		return 0;
	ret = spooled_sums(s, it->node, u->chunks, &hash);
	if (!ret)
		ret = keep_find(s->base, it->stored, hash, equal, &c, &ino, &start);
	if (ret == 1) {
		undo(s, u, it->node, pos);
		share_kept(s, it, ino, start);
	}
	return ret;
}

/* Deduplicate a large file whose bytes were all written to @pos. */
static int dedup_large(struct store *s, struct item *it, const struct undo *u, u64 pos)
{
	struct node *n = it->node, *other;
	size_t cursor = 0;
	int ret;

	while ((other = dedup_next(s, it->hash, &cursor))) {
		if (node_stored(s->tree, other) != it->stored)
			continue;
		ret = output_compare_ranges(s->out, node_data(other)->start, pos, it->stored);
		if (ret < 0)
			return ret;
		if (ret) {
			undo(s, u, n, pos);
			return add_dup(s, n, other, it->stored);
		}
	}
	ret = find_large(s, it, u, pos);
	if (ret)
		return ret < 0 ? ret : 0;
	node_data(n)->start = pos;
	dedup_add(s, it->hash, n);
	return 0;
}

static int report_item(struct store *s, struct item *it)
{
	return source_leave_out(s->source, it->dir, it->node, it->why, it->err);
}

/* Write pieces of a large file as they come.  Return: 0, and @last with the last one. */
static int write_pieces(struct store *s, struct ring *ring, struct job *job, struct piece *p,
			u64 pos, u64 *stored)
{
	u32 part = ring_piece_bytes(ring);

	for (;;) {
		const char *buf = job->buf + (job->taken % PIECES) * (size_t)part;
		bool last = p->last;
		int ret;

		if (last && job->items[0].why)
			return 0;
		ret = output_write(s->out, pos + *stored, buf, p->bytes);
		if (!ret)
			ret = add_sums(s, job->items[0].node, p->sums, p->nsums, false);
		if (ret)
			return ret;
		*stored += p->bytes;
		if (last)
			return 0;
		progress_add(&s->progress, p->bytes);
		job->shown += p->bytes;
		ring_piece_done(ring, job);
		p = ring_piece_wait(ring, job);
		if (!p)
			return -ECANCELED;
	}
}

static int store_streamed(struct store *s, struct ring *ring, struct job *job, struct piece *p)
{
	const u64 guess = DSFS_BLOCK_SIZE + 1;
	struct item *it = &job->items[0];
	u64 pos, stored = 0;
	struct undo u;
	int ret;

	undo_save(s, &u, it->node);
	pos = place_file(&s->place, it->node, guess);
	ret = write_pieces(s, ring, job, p, pos, &stored);
	if (ret)
		return ret;
	if (it->why) {
		undo(s, &u, it->node, pos);
		return report_item(s, it);
	}
	place_resize(&s->place, pos, guess, stored);
	it->node->sum = u.chunks / sizeof(__le32);
	/* one chunk that is larger than a piece may hold the whole file */
	if (s->chunks.len - u.chunks == sizeof(__le32)) {
		__le32 sum;

		ret = spool_read(&s->chunks, u.chunks, &sum, sizeof(sum));
		it->node->sum = le32_to_cpu(sum);
		spool_cut(&s->chunks, u.chunks);
	}
	if (!ret)
		ret = add_sparse(s, it);
	count_file(s, it);
	return ret ? ret : dedup_large(s, it, &u, pos);
}

/* The base image has the content of the item: write nothing. */
static void store_kept(struct store *s, struct item *it)
{
	keep_mark(s->base, it->node);
	count_file(s, it);
}

static int store_large(struct store *s, struct ring *ring, struct job *job)
{
	struct item *it = &job->items[0];
	struct piece *p = ring_piece_wait(ring, job);
	int ret;

	if (!p)
		return -ECANCELED;
	if (!p->last)
		return store_streamed(s, ring, job, p);
	/* after removal of the holes, all that is stored is in memory */
	if (it->why)
		return report_item(s, it);
	if (it->kept) {
		store_kept(s, it);
		return 0;
	}
	it->sums = p->nsums;
	ret = add_sparse(s, it);
	count_file(s, it);
	return ret ? ret : store_small(s, job, it, job->buf, p->sums);
}

int store_job(struct store *s, struct ring *ring, struct job *job)
{
	int ret = 0;

	if (job->large) {
		job->shown = 0;
		ret = store_large(s, ring, job);
		progress_add(&s->progress, job->items[0].node->size - job->shown);
		return ret;
	}
	for (unsigned int i = 0; !ret && i < job->nitems; i++) {
		struct item *it = &job->items[i];

		if (it->why) {
			ret = report_item(s, it);
			continue;
		}
		if (it->kept) {
			store_kept(s, it);
			progress_add(&s->progress, it->node->size);
			continue;
		}
		ret = add_sparse(s, it);
		count_file(s, it);
		if (!ret)
			ret = store_small(s, job, it, job->buf + it->off,
					  job->sums + it->first_sum);
		progress_add(&s->progress, it->node->size);
	}
	return ret;
}

void store_end(struct store *s)
{
	for (size_t i = 0; i < s->dups.n; i++) {
		struct dup *dup = (struct dup *)s->dups.p + i;

		dup->node->flags |= dup->of->flags & NODE_SHARED;
	}
	array_free(&s->dups);
	hash_free(&s->dedup);
}

void store_init(struct store *s)
{
	const struct params *p = s->params;

	s->hash_uuid = s->o->epoch && !p->uuid_set;
	s->rules.chunk_bits = p->chunk_bits;
	s->rules.hash_all = s->hash_uuid || (!s->o->no_dedup && !p->chunk_bits);
	s->dups.size = sizeof(struct dup);
	spool_init(&s->chunks);
	spool_init(&s->extents);
	place_init(&s->place, s->start, p->align_bits, p->object_bits);
}

void store_free(struct store *s)
{
	hash_free(&s->dedup);
	array_free(&s->dups);
	spool_free(&s->chunks);
	spool_free(&s->extents);
}
