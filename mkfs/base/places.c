// SPDX-License-Identifier: GPL-2.0
/*
 * List of the stored data of a generation, sorted by place.  Entries of one
 * place are files that store the same bytes, neighbours share blocks, and the
 * sum over all places is the number of stored bytes.
 */
#include <stdlib.h>

#include "../plan/place.h"
#include "places.h"

static int place_cmp(const void *a, const void *b)
{
	const struct place_of *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->stored < y->stored ? -1 : x->stored > y->stored;
}

void places_sort(struct array *places)
{
	if (places->n > 1)
		qsort(places->p, places->n, places->size, place_cmp);
}

bool places_have(const struct array *places, u64 start)
{
	const struct place_of *p = (const struct place_of *)places->p;
	size_t lo = 0, hi = places->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p[mid].start == start)
			return true;
		if (p[mid].start < start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

/**
 * struct collector - a walk over the tree
 * @kept, @ctx: see places_collect()
 */
struct collector {
	struct array *places;
	struct base *base;
	struct tree *t;
	int (*kept)(void *ctx, struct node *n, const struct dsfs_attr *attr,
		    const struct dsfs_extra_info *extra);
	void *ctx;
};

/* Fill in the place of a file that keeps its content. */
static int get_kept(struct collector *c, struct node *n, struct place_of *p)
{
	struct dsfs_err err = { 0 };
	struct dsfs_extra_info extra;
	struct dsfs_attr attr;
	int ret = dsfs_inode_get(c->base->prev, p->old, &attr, &err);

	if (!ret)
		ret = dsfs_extra_get(c->base->prev, &attr, &extra, &err);
	if (ret)
		return base_bad_inode(c->base, p->old, &err, ret);
	p->start = attr.start;
	p->stored = image_stored_bytes(&attr, &extra);
	if (p->stored)
		ret = dsfs_extent_check(c->base->img.geo, p->start, p->stored, &err);
	if (!ret && c->kept)
		ret = c->kept(c->ctx, n, &attr, &extra);
	return ret ? base_bad_inode(c->base, p->old, &err, ret) : 0;
}

static int collect_node(struct collector *c, struct dir *d, struct node *n)
{
	struct place_of p = { .node = n }, *more;
	int ret;

	if (!S_ISREG(n->mode) || n->flags & (NODE_HARDLINK | NODE_GONE) || !n->size)
		return 0;
	if (n->flags & (NODE_KEPT | NODE_FOUND))
		p.old = *node_old(d, n);
	if (c->base && n->flags & NODE_KEPT) {
		ret = get_kept(c, n, &p);
		if (ret)
			return ret;
	} else {
		p.start = node_data(n)->start;
		p.stored = node_stored(c->t, n);
	}
	if (!p.stored)
		return 0;
	more = array_add(c->places);
	if (!more)
		return -ENOMEM;
	*more = p;
	return 0;
}

int places_collect(struct array *places, struct base *base, struct tree *t,
		   int (*kept)(void *ctx, struct node *n, const struct dsfs_attr *attr,
			       const struct dsfs_extra_info *extra), void *ctx)
{
	struct collector c = { places, base, t, kept, ctx };
	int ret = 0;

	*places = (struct array){ .size = sizeof(struct place_of) };
	for (u64 i = 0; i < t->ndirs; i++) {
		struct dir *d = t->dirs[i];

		for (u32 k = 0; !ret && k < d->count; k++)
			ret = collect_node(&c, d, &d->nodes[k]);
	}
	if (!ret)
		places_sort(places);
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

void places_set_shared(const struct array *places, size_t at, size_t n)
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
		places_set_shared(places, i, n);
	}
}

void places_measure(const struct array *places, struct base *base, const struct params *params)
{
	const struct place_of *p = (const struct place_of *)places->p;
	struct node any = { 0 };	/* flags are for the run */
	struct place packed;

	place_init(&packed, base->img.geo->data_start, params->align_bits, params->object_bits);
	base->stored = 0;
	for (size_t i = 0; i < places->n; i += places_alike(places, i)) {
		any.size = p[i].node->size;
		place_file(&packed, &any, p[i].stored);
		base->stored += p[i].stored;
	}
	base->packed = place_meta(&packed, true);
}
