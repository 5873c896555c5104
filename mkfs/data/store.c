// SPDX-License-Identifier: GPL-2.0
/*
 * Storing of files that were read.  A file is stored at a place of its own, or shares the place of
 * equal content.  One thread does this, in the order of data.
 *
 * The hash of a large file is known after its last byte, so such a file is written first.  If its
 * content turns out to be stored already, the write is undone and everything that it changed is
 * restored.  So the image does not depend on which files count as large.
 */
#include "keep.h"
#include "msg.h"
#include "store.h"

/* A file that shares the stored bytes of another file */
struct dup {
	struct node *node;
	const struct node *of;
};

/* Add a compressed file. */
static int add_packed(struct store *s, struct item *it)
{
	const struct packed packed = { .stored = it->stored, .codec = s->rules.pack.codec };
	int ret = tree_add_packed(s->tree, it->node, &packed, it->nends);

	s->figures.packed_files++;
	s->figures.packed_bytes += it->node->size;
	s->figures.packed_stored += it->stored;
	for (u32 i = 0; !ret && it->nends > 1 && i < it->nends; i++) {
		const __le32 end = cpu_to_le32(it->ends[i]);

		ret = spool_add(&s->tree->units, &end, sizeof(end));
	}
	return ret;
}

/* Add the record of a file with holes, or of a compressed one. */
static int add_record(struct store *s, struct item *it)
{
	struct tree *t = s->tree;

	if (it->packed)
		return add_packed(s, it);
	if (!it->sparse)
		return 0;
	s->figures.sparse_files++;
	return tree_add_holes(t, it->node, it->stored, it->nextents) ?:
	       spool_add(&t->extents, it->extents,
			 it->nextents * sizeof(struct dsfs_extent_record));
}

/*
 * Find the next stored file with the same hash.  The caller compares its size,
 * and its bytes in the image.
 */
static struct node *dedup_next(const struct store *s, u64 hash, size_t *cursor)
{
	const u32 number = hash_next(&s->dedup, hash, cursor);

	return number ? *(struct node **)blocks_at(&s->stored, number - 1) : NULL;
}

/* A file that is not in the table for want of memory is stored again. */
static void dedup_add(struct store *s, u64 hash, struct node *n)
{
	struct node **last;

	if (s->draft->no_dedup || s->stored.n == U32_MAX)
		return;
	last = blocks_add(&s->stored, &s->arena);
	if (!last)
		return;
	*last = n;
	hash_add(&s->dedup, hash, s->stored.n);
}

static void dedup_free(struct store *s)
{
	hash_free(&s->dedup);
	blocks_free(&s->stored);
	arena_free(&s->arena);
}

static void count_file(struct store *s, const struct item *it)
{
	u64 key[2] = { it->hash, it->node->size };

	for (unsigned int i = 0; i < 2; i++)
		s->content[i] = xxh64(key, sizeof(key), s->content[i] + i);
}

int store_in_place(struct store *s, struct item *it, const u32 *sums)
{
	struct node *n = it->node;
	int ret = add_record(s, it);

	count_file(s, it);
	if (!it->stored)
		node_data(n)->start = 0;
	return ret ? ret : tree_set_sums(s->tree, n, sums, it->sums);
}

/**
 * struct stored_item - an item whose bytes are in memory, or were written to @pos
 * @sums: of the chunks of what is in memory, or NULL
 */
struct stored_item {
	struct output *out;
	struct item *it;
	const char *buf;
	const u32 *sums;
	u64 pos;
};

/**
 * struct same - what has the same bytes
 * @of: a file that was stored; NULL: inode @ino of the base image, whose bytes are at @start
 */
struct same {
	struct node *of;
	u32 ino;
	u64 start;
};

static int equal(void *ctx, u64 start)
{
	const struct stored_item *c = ctx;

	return c->buf ? output_compare(c->out, start, c->buf, c->it->stored) :
			output_compare_ranges(c->out, start, c->pos, c->it->stored);
}

/*
 * Find what has the bytes of an item already.
 * @sums: hash of its checksums, for the base image
 *
 * Return: 1: there is such a thing; 0; -errno.
 */
static int find_same(struct store *s, struct stored_item *c, u64 sums, struct same *same)
{
	const struct item *it = c->it;
	size_t cursor = 0;
	int ret = 0;

	while (!ret && (same->of = dedup_next(s, it->hash, &cursor))) {
		if (node_stored(s->tree, same->of) == it->stored &&
		    (!c->sums || it->sums != 1 || same->of->sum == c->sums[0]))
			ret = equal(c, node_data(same->of)->start);
	}
	if (ret || !s->base)
		return ret;
	return keep_find(s->base, it->stored, sums, equal, c, &same->ino, &same->start);
}

/* Let an item share these bytes. */
static int share(struct store *s, struct item *it, const struct same *same)
{
	struct node *n = it->node, *of = same->of;

	s->figures.dup_files++;
	s->figures.dup_bytes += it->stored;
	if (!of || of->flags & NODE_FOUND) {
		keep_mark_found(n, of ? of->old : same->ino,
				of ? node_data(of)->start : same->start);
		if (!of)
			dedup_add(s, it->hash, n);
		return 0;
	}
	node_data(n)->start = node_data(of)->start;
	n->sum = of->sum;
	return tree_share_units(s->tree, n, of) ?: array_append(&s->dups, &(struct dup){ n, of });
}

/* Store a file whose stored bytes are all in memory, in a buffer of @job. */
static int store_small(struct store *s, struct job *job, struct item *it, char *buf,
		       const u32 *sums)
{
	struct stored_item c = { .out = s->out, .it = it, .buf = buf, .sums = sums };
	struct node *n = it->node;
	struct same same;
	u64 hash = 0;
	int ret;

	if (!it->stored) {
		node_data(n)->start = 0;
		n->sum = 0;
		return 0;
	}
	for (u32 i = 0; s->base && i < it->sums; i++)
		hash = base_sums_add(hash, sums[i]);
	ret = find_same(s, &c, hash, &same);
	if (ret)
		return ret < 0 ? ret : share(s, it, &same);
	node_data(n)->start = place_file(&s->place, n, it->stored);
	ret = output_lend(s->out, node_data(n)->start, buf, it->stored, &job->lent) ?:
	      tree_set_sums(s->tree, n, sums, it->sums);
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
	u->chunks = s->tree->chunks.len;
	u->last_flags = s->place.at.last ? s->place.at.last->flags : 0;
	u->flags = n->flags;
}

static void undo(struct store *s, const struct undo *u, struct node *n, u64 pos)
{
	s->place = u->place;
	if (s->place.at.last)
		s->place.at.last->flags = u->last_flags;
	/* its frames are the same, wherever they are */
	n->flags = u->flags | (n->flags & NODE_PACKED);
	spool_cut(&s->tree->chunks, u->chunks);
	output_cut(s->out, pos);
}

/* Hash the checksums from @from on in the spool; a file of one chunk has none there. */
static int spooled_sums(struct store *s, const struct node *n, u64 from, u64 *hash)
{
	struct spool *chunks = &s->tree->chunks;
	__le32 raw[1024];
	int ret = 0;
	u64 bytes;

	*hash = chunks->len > from ? 0 : base_sums_add(0, n->sum);
	for (; !ret && from < chunks->len; from += bytes) {
		bytes = chunks->len - from < sizeof(raw) ? chunks->len - from : sizeof(raw);
		ret = spool_read(chunks, from, raw, bytes);
		for (u64 i = 0; !ret && i < bytes / sizeof(*raw); i++)
			*hash = base_sums_add(*hash, le32_to_cpu(raw[i]));
	}
	return ret;
}

/* Deduplicate a large file whose bytes were all written to @pos. */
static int dedup_large(struct store *s, struct item *it, const struct undo *u, u64 pos)
{
	struct stored_item c = { .out = s->out, .it = it, .pos = pos };
	struct same same = {};
	u64 sums = 0;
	int ret = s->base ? spooled_sums(s, it->node, u->chunks, &sums) : 0;

	if (!ret)
		ret = find_same(s, &c, sums, &same);
	if (ret == 1) {
		undo(s, u, it->node, pos);
		return share(s, it, &same);
	}
	if (ret)
		return ret;
	node_data(it->node)->start = pos;
	dedup_add(s, it->hash, it->node);
	return 0;
}

static int report_item(struct store *s, struct item *it)
{
	/* of a source that is read once: out of memory, which who stores says */
	if (!it->dir)
		return it->err;
	return source_leave_out(s->source, it->dir, it->node, it->why, it->err);
}

/* Write pieces of a large file as they come.  @chunks: where its checksums begin in the spool */
static int write_pieces(struct store *s, struct job *job, struct fill *p, u64 pos, u64 chunks)
{
	for (;;) {
		bool last = p->last;
		int ret;

		if (last && job->items[0].why)
			return 0;
		if (p->all)
			spool_cut(&s->tree->chunks, chunks);
		ret = output_write(s->out, pos, p->buf, p->bytes) ?:
		      tree_add_sums(s->tree, p->sums, p->nsums);
		if (ret)
			return ret;
		pos += p->bytes;
		if (last)
			return 0;
		progress_add(&s->progress, p->bytes);
		job->shown += p->bytes;
		work_free(&job->line);
		p = ring_piece_take(job);
		if (!p)
			return -ECANCELED;
	}
}

/* The inode of a file that is one chunk, which may be larger than a piece, has its checksum. */
static int take_whole_sum(struct store *s, struct node *n, u64 from, u64 stored)
{
	struct spool *chunks = &s->tree->chunks;
	__le32 sum;
	int ret;

	n->sum = from / sizeof(sum);
	if (chunks->len == from || stored > 1ULL << s->rules.small_bits)
		return 0;
	ret = spool_read(chunks, from, &sum, sizeof(sum));
	n->sum = le32_to_cpu(sum);
	spool_cut(chunks, from);
	return ret;
}

static int store_streamed(struct store *s, struct job *job, struct fill *p)
{
	const u64 guess = DSFS_BLOCK_SIZE + 1;
	struct item *it = &job->items[0];
	u64 pos;
	struct undo u;
	int ret;

	undo_save(s, &u, it->node);
	pos = place_file(&s->place, it->node, guess);
	ret = write_pieces(s, job, p, pos, u.chunks);
	if (ret)
		return ret;
	if (it->why) {
		undo(s, &u, it->node, pos);
		return report_item(s, it);
	}
	place_resize(&s->place, pos, guess, it->stored);
	ret = take_whole_sum(s, it->node, u.chunks, it->stored) ?: add_record(s, it);
	count_file(s, it);
	return ret ? ret : dedup_large(s, it, &u, pos);
}

/* Store a file of which all that is stored is in memory. */
static int store_item(struct store *s, struct job *job, struct item *it, char *buf, const u32 *sums)
{
	int ret;

	if (it->why)
		return report_item(s, it);
	if (it->kept) {
		keep_mark(s->base, it->node);
		count_file(s, it);
		return 0;
	}
	ret = add_record(s, it);
	count_file(s, it);
	return ret ? ret : store_small(s, job, it, buf, sums);
}

static int store_large(struct store *s, struct job *job)
{
	struct item *it = &job->items[0];
	struct fill *p = ring_piece_take(job);

	if (!p)
		return -ECANCELED;
	if (!p->last)
		return store_streamed(s, job, p);
	/* without its holes it is short */
	it->sums = p->nsums;
	return store_item(s, job, it, job->buf, p->sums);
}

int store_job(struct store *s, struct job *job)
{
	int ret = 0;

	job->shown = 0;
	if (job->large) {
		ret = store_large(s, job);
		progress_add(&s->progress, job->items[0].node->size - job->shown);
		return ret;
	}
	for (unsigned int i = 0; !ret && i < job->nitems; i++) {
		struct item *it = &job->items[i];

		ret = store_item(s, job, it, job->buf + it->off, job->sums + it->first_sum);
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
	dedup_free(s);
}

void store_init(struct store *s)
{
	const struct draft *d = s->draft;

	s->start = d->start;
	s->rules.chunk_bits = d->chunk_bits;
	s->rules.small_bits = d->small_bits;
	s->rules.large_bits = d->large_bits;
	s->rules.hash_all = d->hash_uuid || (!d->no_dedup && !d->chunk_bits);
	s->dups.size = sizeof(struct dup);
	s->stored.size = sizeof(struct node *);
	s->arena.overflow = s->tree->overflow;
	place_init(&s->place, d->start, d->align_bits, d->object_bits);
}

void store_free(struct store *s)
{
	dedup_free(s);
	array_free(&s->dups);
}
