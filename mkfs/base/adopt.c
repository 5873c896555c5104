// SPDX-License-Identifier: GPL-2.0
/*
 * The files of a new generation that keep their data.
 *
 * Data of two generations lies in one image, and who shares a block with whom
 * is not what it was: of two small files in a block one may be gone.  So all
 * files of the new generation are sorted by place.  Then neighbours tell who
 * shares a block, files of the same place get the same checksums, and the sum of
 * the places is what the generation stores.
 */
#include <stdlib.h>

#include "../data/stream.h"
#include "../plan/place.h"
#include "libdsfs.h"
#include "msg.h"
#include "base.h"

/* A file's stored bytes; @old: the inode that it has them of, 0: they are new. */
struct place_of {
	u64 start;
	u64 stored;
	struct node *node;
	u32 old;
};

static int place_cmp(const void *a, const void *b)
{
	const struct place_of *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->stored < y->stored ? -1 : x->stored > y->stored;
}

static int bad_inode(const struct base *base, u32 ino, const struct dsfs_err *err,
		     int ret)
{
	char text[256];

	image_err_text(err, ret, text, sizeof(text));
	msg_error(base->img.path, "inode %u: %s: run fsck.dsfs", ino, text);
	return ret;
}

/* The holes of a file that stays. */
static int adopt_holes(struct stream *s, struct node *n,
		       const struct dsfs_ext_info *ext)
{
	struct sparse *sp = array_add(&s->mkfs->tree.sparse);
	struct dsfs_segment seg;
	int ret = sp ? 0 : -ENOMEM;

	if (ret)
		return ret;
	*sp = (struct sparse){ ext->stored, 0, ext->segments };
	if (ext->segments)
		sp->first_segment = s->segments.len / sizeof(seg);
	n->sparse = s->mkfs->tree.sparse.n;
	for (u64 i = 0; !ret && i < ext->segments; i++) {
		ret = dsfs_meta_copy(s->mkfs->base->past, DSFS_REGION_SEGMENTS,
				     (ext->first_segment + i) * sizeof(seg),
				     sizeof(seg), &seg);
		if (!ret)
			ret = spool_add(&s->segments, &seg, sizeof(seg));
	}
	if (!ret && s->segments.len / sizeof(seg) > U32_MAX)
		ret = -EFBIG;
	return ret;
}

/* Place and holes of a file that stays; its checksums come later. */
static int adopt_node(struct stream *s, struct node *n, u32 ino, u64 *stored)
{
	struct base *base = s->mkfs->base;
	struct dsfs_err err = { 0 };
	struct dsfs_ext_info ext;
	struct dsfs_attr attr;
	int ret = dsfs_inode_get(base->past, ino, &attr, &err);

	if (!ret)
		ret = dsfs_ext_get(base->past, &attr, &ext, &err);
	if (ret)
		return bad_inode(base, ino, &err, ret);
	*stored = image_stored_bytes(&attr, &ext);
	if (*stored)
		ret = dsfs_extent_check(base->img.geo, attr.start, *stored, &err);
	if (!ret && attr.flags & DSFS_INODE_HOLES)
		ret = adopt_holes(s, n, &ext);
	node_data(n)->start = attr.start;
	n->sum = 0;
	return ret ? bad_inode(base, ino, &err, ret) : 0;
}

static int collect_node(struct stream *s, struct array *places, struct dir *d,
			struct node *n)
{
	struct place_of *p;
	u32 old = 0;
	u64 stored;
	int ret;

	if (!S_ISREG(n->mode) || n->flags & (NODE_STUB | NODE_GONE) || !n->size)
		return 0;
	if (n->flags & NODE_KEPT) {
		old = *node_old(d, n);
		ret = adopt_node(s, n, old, &stored);
		if (ret)
			return ret;
	} else {
		stored = node_stored(&s->mkfs->tree, n);
		if (n->flags & NODE_FOUND)
			old = *node_old(d, n);
	}
	n->flags &= ~NODE_SHARED;
	if (!stored)
		return 0;
	p = array_add(places);
	if (!p)
		return -ENOMEM;
	*p = (struct place_of){ node_data(n)->start, stored, n, old };
	return 0;
}

/* All data of the new generation, in the order of the image. */
static int collect(struct stream *s, struct array *places)
{
	const struct tree *t = &s->mkfs->tree;
	int ret = 0;

	for (u64 i = 0; i < t->ndirs; i++) {
		struct dir *d = t->dirs[i];

		for (u32 k = 0; !ret && k < d->count; k++)
			ret = collect_node(s, places, d, &d->nodes[k]);
	}
	if (!ret && places->n > 1)
		qsort(places->p, places->n, places->size, place_cmp);
	return ret;
}

static u64 block_of(u64 pos)
{
	return pos >> DSFS_BLOCK_BITS;
}

static u64 last_block(const struct place_of *p)
{
	return block_of(p->start + p->stored - 1);
}

static bool same_place(const struct place_of *a, const struct place_of *b)
{
	return a->start == b->start && a->stored == b->stored;
}

/* Checksums of the data at a place that the image has. */
static int adopt_sums(struct stream *s, struct place_of *p)
{
	const unsigned int bits = s->mkfs->params.chunk_bits;
	struct dsfs_attr attr = { .ino = p->old };
	struct base *base = s->mkfs->base;
	u64 first = s->chunks.len / sizeof(__le32);
	struct dsfs_err err = { 0 };
	__le32 raw;
	u32 sum;
	int ret = 0;

	for (u64 i = 0; !ret && bits && i << bits < p->stored; i++) {
		ret = dsfs_chunk_sum(base->past, &attr, p->stored, i, &sum, &err);
		if (ret)
			return bad_inode(base, p->old, &err, ret);
		p->node->sum = sum;
		raw = cpu_to_le32(sum);
		if (p->stored > 1ULL << bits)
			ret = spool_add(&s->chunks, &raw, sizeof(raw));
	}
	if (bits && p->stored > 1ULL << bits)
		p->node->sum = first;
	if (!ret && s->chunks.len / sizeof(raw) > 1ULL << 32) {
		msg_error(NULL, "chunk checksums: over the limit of 2^32");
		ret = -EFBIG;
	}
	return ret;
}

/* The files [@p, @p + @n), which store the same bytes. */
static int adopt_place(struct stream *s, struct place_of *p, size_t n,
		       bool shared)
{
	size_t from = 0;
	int ret = 0;

	/* one alone may be known to be in the image, the others by being like it */
	while (from < n && !p[from].old)
		from++;
	if (from < n)
		ret = adopt_sums(s, &p[from]);
	for (size_t i = 0; i < n; i++) {
		if (from < n)
			p[i].node->sum = p[from].node->sum;
		if (shared)
			p[i].node->flags |= NODE_SHARED;
	}
	return ret;
}

int base_adopt(struct stream *s)
{
	struct array places = { .size = sizeof(struct place_of) };
	const struct params *params = &s->mkfs->params;
	struct base *base = s->mkfs->base;
	struct node any = { 0 };	/* flags are what the loop finds */
	struct place_of *p;
	struct place packed;	/* as an image without anything else would be */
	u64 before = 0;
	size_t n;
	int ret = collect(s, &places);

	place_init(&packed, base->img.geo->data_start, params->align_bits,
		   params->object_bits);
	p = (struct place_of *)places.p;
	for (size_t i = 0; !ret && i < places.n; i += n) {
		bool shared = i && before == block_of(p[i].start);

		for (n = 1; i + n < places.n && same_place(&p[i], &p[i + n]);)
			n++;
		before = last_block(&p[i]);
		any.size = p[i].node->size;
		place_file(&packed, &any, p[i].stored);
		base->stored += p[i].stored;
		if (i + n < places.n && before == block_of(p[i + n].start))
			shared = true;
		ret = adopt_place(s, &p[i], n, shared);
	}
	base->packed = place_meta(&packed, BUILD_COMPACT);
	array_free(&places);
	if (ret == -ENOMEM)
		msg_error(NULL, "out of memory");
	return ret;
}
