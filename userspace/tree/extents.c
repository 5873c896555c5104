// SPDX-License-Identifier: GPL-2.0
/*
 * The stored data of a generation.
 *
 * All that makes a generation of another one comes by here: an update and archives that are added
 * once new data is stored, and a copy of an image before its data is copied.  Inodes of the base
 * are read in the order of the tree, which is that of the base as far as both agree; checksums in
 * the order of data, as they lie there.
 */
#include "base.h"
#include "extents.h"
#include "format.h"
#include "msg.h"
#include "table.h"

/* The first file found of those that store the same bytes and have several units */
struct first_file {
	u64 start;
	u64 stored;
	const struct node *node;
};

/*
 * What is collected, and from where; @firsts: struct first_file; @sums: struct extent, those whose
 * checksums the base has in CHUNKSUMS
 */
struct collect {
	struct array *list;
	struct array sums;
	struct base *base;
	struct tree *t;
	struct table firsts;
};

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

/* A single checksum of stored data is that of its inode. */
static int keep_sum(struct collect *c, struct node *n, const struct dsfs_attr *attr)
{
	const u64 stored = node_stored(c->t, n);
	const unsigned int bits = dsfs_chunk_bits(c->base->img.geo, stored);

	if (bits && stored > 1ULL << bits)
		return extents_add(&c->sums, c->t, n);
	n->sum = bits ? attr->sum : 0;
	return 0;
}

/* Give a file that keeps the content of inode n->old its position, its holes and its frames. */
static int keep_layout(struct collect *c, struct node *n)
{
	struct base *base = c->base;
	struct dsfs_err err = { 0 };
	struct dsfs_extra_info extra;
	struct dsfs_attr attr;
	int ret = dsfs_inode_get(base->prev, n->old, &attr, &err) ?:
		  dsfs_extra_get(base->prev, &attr, &extra, &err);

	if (ret)
		return base_bad_inode(base, n->old, &err, ret);
	if (image_stored_bytes(&attr, &extra))
		ret = dsfs_extent_check(base->img.geo, attr.start,
					image_stored_bytes(&attr, &extra), &err);
	node_data(n)->start = base->shift + attr.start;
	if (!ret && attr.flags & DSFS_INODE_HOLES)
		ret = keep_holes(base, c->t, n, &extra);
	if (!ret && attr.flags & DSFS_INODE_COMPRESSED)
		ret = keep_packed(base, c->t, n, &attr) ?: share_units(c, n, node_data(n)->start);
	ret = ret ?: keep_sum(c, n, &attr);
	return ret ? base_bad_inode(base, n->old, &err, ret) : 0;
}

/* The same of a file that has the content of another name, and so its position. */
static int keep_found(struct collect *c, struct node *n)
{
	struct dsfs_err err = { 0 };
	struct dsfs_attr attr;
	int ret = dsfs_inode_get(c->base->prev, n->old, &attr, &err);

	return ret ? base_bad_inode(c->base, n->old, &err, ret) : keep_sum(c, n, &attr);
}

static int collect_node(struct collect *c, struct node *n)
{
	int ret = 0;

	if (!S_ISREG(n->mode) || n->flags & (NODE_HARDLINK | NODE_GONE))
		return 0;
	if (n->size && c->base && n->flags & NODE_FOUND)
		ret = keep_found(c, n);
	else if (n->size && c->base && (n->flags & (NODE_KEPT | NODE_PLACED)) == NODE_KEPT)
		ret = keep_layout(c, n);
	if (ret || !n->size || !node_stored(c->t, n))
		n->sum = 0;
	else if (c->list)
		ret = extents_add(c->list, c->t, n);
	return ret;
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

/* Copy the checksums of a position of the base; they replace the number of the inode there. */
static int copy_sums(struct base *base, struct tree *t, struct node *n)
{
	const u64 stored = node_stored(t, n), first = t->chunks.len / sizeof(__le32);
	const unsigned int bits = dsfs_chunk_bits(base->img.geo, stored);
	struct dsfs_err err = { 0 };
	const u32 old = n->old;
	struct dsfs_attr attr;
	int ret = dsfs_inode_get(base->prev, old, &attr, &err);
	u32 sum = 0;

	for (u64 i = 0; !ret && i << bits < stored; i++) {
		ret = dsfs_chunk_sum(base->prev, &attr, stored, i, &sum, &err);
		if (!ret && tree_add_sums(t, &sum, 1))
			return -ENOMEM;
	}
	n->sum = first;
	return ret ? base_bad_inode(base, old, &err, ret) : 0;
}

/* One inode of the base is enough: the others of a position have equal bytes. */
static int keep_sums(struct collect *c)
{
	int ret = 0;

	extents_order(&c->sums, c->t);
	for (size_t i = 0, n; !ret && i < c->sums.n; i += n) {
		n = extents_alike(&c->sums, c->t, i);
		ret = copy_sums(c->base, c->t, extent_node(&c->sums, i));
		for (size_t k = 1; k < n; k++)
			extent_node(&c->sums, i + k)->sum = extent_node(&c->sums, i)->sum;
	}
	return ret;
}

static int collect(struct array *list, struct base *base, struct tree *t)
{
	struct collect c = { .list = list, .base = base, .t = t };
	struct tree_walk walk = { 0 };
	struct node *n;
	int ret = table_init(&c.firsts, sizeof(struct first_file),
			     offsetof(struct first_file, node));

	if (!ret && base)
		ret = collect_found(&c);
	while (!ret && (n = tree_next(t, &walk)))
		ret = collect_node(&c, n);
	table_free(&c.firsts);
	if (list)
		extents_order(list, t);
	ret = ret ?: keep_sums(&c);
	array_free(&c.sums);
	return ret;
}

int tree_extents(struct array *list, struct base *base, struct tree *t)
{
	int ret;

	if (list)
		*list = (struct array){ .size = sizeof(struct extent) };
	ret = collect(list, base, t);
	return ret == -ENOMEM ? no_memory() : ret;
}
