// SPDX-License-Identifier: GPL-2.0
/*
 * List of the stored data of a generation, sorted by place.  Entries of one place are files that
 * store the same bytes, neighbours share blocks, and the sum over all places is the number of
 * stored bytes.
 *
 * Files that keep their content in a new generation get the layout that the base image has of
 * them: holes and checksums, and the place, unless they have another one already.
 */
#include "../plan/place.h"
#include "places.h"
#include "table.h"

/* The first file found of those that store the same bytes and have several units */
struct first_file {
	u64 start;
	u64 stored;
	const struct node *node;
};

/* What is collected, and from where; @firsts: struct first_file */
struct collect {
	struct array *places;
	struct base *base;
	struct tree *t;
	struct table firsts;
};

static int place_cmp(const void *a, const void *b)
{
	const struct place_of *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->stored < y->stored ? -1 : x->stored > y->stored;
}

void places_sort(struct array *places)
{
	array_sort(places, place_cmp);
}

/* Copy the extent records of a file. */
static int keep_holes(struct base *base, struct tree *t, struct node *n,
		      const struct dsfs_extra_info *extra)
{
	struct dsfs_extent_record raw;
	int ret = tree_add_holes(t, n, extra->stored, extra->extents);

	for (u64 i = 0; !ret && i < extra->extents; i++) {
		ret = dsfs_meta_copy(base->prev, DSFS_REGION_EXTENTS,
				     (extra->first_extent + i) * sizeof(raw), sizeof(raw), &raw);
		if (!ret)
			ret = spool_add(&t->extents, &raw, sizeof(raw));
	}
	return ret;
}

/* Copy the ends of the frames of a compressed file. */
static int keep_packed(struct base *base, struct tree *t, struct node *n,
		       const struct dsfs_attr *attr)
{
	const struct packed packed = { .stored = attr->stored, .codec = dsfs_attr_codec(attr) };
	const u64 units = dsfs_units(attr);
	int ret = tree_add_packed(t, n, &packed, units);
	__le32 raw;

	for (u64 i = 0; !ret && units > 1 && i < units; i++) {
		ret = dsfs_meta_copy(base->prev, DSFS_REGION_UNITS,
				     (attr->units + i) * sizeof(raw), sizeof(raw), &raw);
		if (!ret)
			ret = spool_add(&t->units, &raw, sizeof(raw));
	}
	return ret;
}

/* Let a file whose data the base image has share the ends of its frames with others. */
static int share_units(struct collect *c, struct node *n, u64 start)
{
	const struct packed *p = node_packed(c->t, n);
	struct first_file *first, key = { .start = start };

	if (!p || packed_units(n->size) < 2)
		return 0;
	key.stored = p->stored;
	first = table_find(&c->firsts, &key);
	if (first)
		return tree_share_units(c->t, n, first->node);
	first = table_add(&c->firsts, &key);
	if (!first)
		return -ENOMEM;
	first->node = n;
	return 0;
}

/*
 * Give a file that keeps the content of inode p->old the holes of that and, if it has none yet, the
 * place.  The place that is collected is that of the image.
 */
static int keep_place(struct collect *c, struct place_of *p)
{
	struct base *base = c->base;
	struct tree *t = c->t;
	struct dsfs_err err = { 0 };
	struct dsfs_extra_info extra;
	struct dsfs_attr attr;
	int ret = dsfs_inode_get(base->prev, p->old, &attr, &err) ?:
		  dsfs_extra_get(base->prev, &attr, &extra, &err);

	if (ret)
		return base_bad_inode(base, p->old, &err, ret);
	p->start = attr.start;
	p->stored = image_stored_bytes(&attr, &extra);
	if (p->stored)
		ret = dsfs_extent_check(base->img.geo, p->start, p->stored, &err);
	if (!node_data(p->node)->start)
		node_data(p->node)->start = attr.start;
	if (!ret && attr.flags & DSFS_INODE_HOLES)
		ret = keep_holes(base, t, p->node, &extra);
	if (!ret && attr.flags & DSFS_INODE_COMPRESSED)
		ret = keep_packed(base, t, p->node, &attr) ?:
		      share_units(c, p->node, attr.start);
	return ret ? base_bad_inode(base, p->old, &err, ret) : 0;
}

static int collect_node(struct collect *c, struct dir *d, struct node *n)
{
	struct place_of p = { .node = n };
	int ret = 0;

	if (!S_ISREG(n->mode) || n->flags & (NODE_HARDLINK | NODE_GONE) || !n->size)
		return 0;
	if (n->flags & (NODE_KEPT | NODE_FOUND))
		p.old = *node_old(d, n);
	if (c->base && n->flags & NODE_KEPT) {
		ret = keep_place(c, &p);
	} else {
		p.start = node_data(n)->start;
		p.stored = node_stored(c->t, n);
	}
	return ret || !p.stored ? ret : array_append(c->places, &p);
}

/* New files that share data of the base image have the ends of its frames already. */
static int collect_found(struct collect *c)
{
	struct tree_walk walk = { 0 };
	struct node *n;
	int ret = 0;

	while (!ret && c->t->packed.n && (n = tree_next(c->t, &walk))) {
		if (n->flags & NODE_FOUND && !(n->flags & (NODE_HARDLINK | NODE_GONE)))
			ret = share_units(c, n, node_data(n)->start);
	}
	return ret;
}

int places_collect(struct array *places, struct base *base, struct tree *t)
{
	struct collect c = { .places = places, .base = base, .t = t };
	struct tree_walk walk = { 0 };
	struct node *n;
	int ret = table_init(&c.firsts, sizeof(struct first_file),
			     offsetof(struct first_file, node));

	*places = (struct array){ .size = sizeof(struct place_of) };
	if (!ret && base)
		ret = collect_found(&c);
	while (!ret && (n = tree_next(t, &walk)))
		ret = collect_node(&c, walk.dir, n);
	table_free(&c.firsts);
	array_sort(places, place_cmp);
	return ret;
}

size_t places_alike(const struct array *places, size_t from)
{
	const struct place_of *p = (const struct place_of *)places->p + from;
	size_t n = 1;

	while (from + n < places->n && !place_cmp(p, p + n))
		n++;
	return n;
}

static u64 first_block(const struct place_of *p)
{
	return p->start >> DSFS_BLOCK_BITS;
}

static u64 last_block(const struct place_of *p)
{
	return (p->start + p->stored - 1) >> DSFS_BLOCK_BITS;
}

/* Mark @n files from number @at on, which are alike, if others share a block with them. */
static void set_shared(const struct array *places, size_t at, size_t n)
{
	struct place_of *p = (struct place_of *)places->p + at;
	bool shared = (at && last_block(p - 1) == first_block(p)) ||
		      (at + n < places->n && last_block(p) == first_block(p + n));

	for (size_t i = 0; i < n; i++) {
		p[i].node->flags &= ~NODE_SHARED;
		if (shared)
			p[i].node->flags |= NODE_SHARED;
	}
}

void places_share(const struct array *places)
{
	for (size_t i = 0, n; i < places->n; i += n) {
		n = places_alike(places, i);
		set_shared(places, i, n);
	}
}

void places_measure(const struct array *places, struct base *base, const struct draft *draft)
{
	const struct place_of *p = (const struct place_of *)places->p;
	struct node any = { 0 };	/* flags are for the run */
	struct place packed;

	place_init(&packed, base->img.geo->data_start, draft->align_bits, draft->object_bits);
	base->stored = 0;
	for (size_t i = 0; i < places->n; i += places_alike(places, i)) {
		any.size = p[i].node->size;
		place_file(&packed, &any, p[i].stored);
		base->stored += p[i].stored;
	}
	base->packed = place_meta(&packed, true);
}

/* Copy the checksums of a place of the base image. */
static int keep_sums(struct base *base, struct tree *t, struct place_of *p)
{
	const unsigned int bits = dsfs_chunk_bits(base->img.geo, p->stored);
	const bool many = bits && p->stored > 1ULL << bits;
	const u64 first = t->chunks.len / sizeof(__le32);
	struct dsfs_err err = { 0 };
	struct dsfs_attr attr;
	int ret = dsfs_inode_get(base->prev, p->old, &attr, &err);

	if (ret)
		return base_bad_inode(base, p->old, &err, ret);
	for (u64 i = 0; !ret && bits && i << bits < p->stored; i++) {
		ret = dsfs_chunk_sum(base->prev, &attr, p->stored, i, &p->node->sum, &err);
		if (ret)
			return base_bad_inode(base, p->old, &err, ret);
		if (many)
			ret = tree_add_sums(t, &p->node->sum, 1);
	}
	if (many)
		p->node->sum = first;
	return ret;
}

int base_keep_layout(struct base *base, struct tree *t, struct array *places)
{
	struct place_of *p;
	int ret = places_collect(places, base, t);

	for (size_t i = 0, n, from; !ret && i < places->n; i += n) {
		n = places_alike(places, i);
		p = (struct place_of *)places->p + i;
		/* one inode of the base image is enough: the others have equal bytes */
		for (from = 0; from < n && !p[from].old;)
			from++;
		if (from < n)
			ret = keep_sums(base, t, &p[from]);
		for (size_t k = 0; from < n && k < n; k++)
			p[k].node->sum = p[from].node->sum;
	}
	return ret == -ENOMEM ? no_memory() : ret;
}
