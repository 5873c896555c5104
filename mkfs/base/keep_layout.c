// SPDX-License-Identifier: GPL-2.0
/*
 * Layout of the files that keep their content in a new generation: holes and checksums are
 * those of the base image, and so is the place of a file that has none yet.
 */
#include "../options/params.h"
#include "keep_layout.h"
#include "format.h"
#include "msg.h"
#include "places.h"

struct keep {
	struct base *base;
	struct tree *t;
	const struct params *params;
	struct spool *chunks;
	struct spool *extents;
};

/* Copy the extent records of a file that keeps its content. */
static int keep_holes(struct keep *a, struct node *n, const struct dsfs_extra_info *extra)
{
	struct array *sparse = &a->t->sparse;
	struct sparse *sp = array_add(sparse);
	struct dsfs_extent_record raw;
	int ret = sp ? 0 : -ENOMEM;

	if (ret)
		return ret;
	*sp = (struct sparse){ extra->stored, 0, extra->extents };
	if (extra->extents)
		sp->first_extent = a->extents->len / sizeof(raw);
	n->sparse = sparse->n;
	for (u64 i = 0; !ret && i < extra->extents; i++) {
		ret = dsfs_meta_copy(a->base->prev, DSFS_REGION_EXTENTS,
				     (extra->first_extent + i) * sizeof(raw), sizeof(raw), &raw);
		if (!ret)
			ret = spool_add(a->extents, &raw, sizeof(raw));
	}
	if (!ret && a->extents->len / sizeof(raw) > U32_MAX)
		ret = -EFBIG;
	return ret;
}

/* Callback of places_collect(): copies place and holes; checksums are copied later. */
static int keep_file(void *ctx, struct node *n, const struct dsfs_attr *attr,
		     const struct dsfs_extra_info *extra)
{
	struct keep *a = ctx;

	if (!node_data(n)->start)
		node_data(n)->start = attr->start;
	return attr->flags & DSFS_INODE_HOLES ? keep_holes(a, n, extra) : 0;
}

/* Copy the checksums of a place of the base image. */
static int keep_sums(struct keep *a, struct place_of *p)
{
	const unsigned int bits = a->params->chunk_bits;
	const bool many = bits && p->stored > 1ULL << bits;
	u64 first = a->chunks->len / sizeof(__le32);
	struct dsfs_attr attr = { .ino = p->old };
	struct base *base = a->base;
	struct dsfs_err err = { 0 };
	int ret = 0;
	__le32 raw;
	u32 sum;

	for (u64 i = 0; !ret && bits && i << bits < p->stored; i++) {
		ret = dsfs_chunk_sum(base->prev, &attr, p->stored, i, &sum, &err);
		if (ret)
			return base_bad_inode(base, p->old, &err, ret);
		p->node->sum = sum;
		raw = cpu_to_le32(sum);
		if (many)
			ret = spool_add(a->chunks, &raw, sizeof(raw));
	}
	if (many)
		p->node->sum = first;
	if (!ret && a->chunks->len / sizeof(raw) > 1ULL << 32) {
		msg_error(NULL, "chunk checksums: over the limit of 2^32");
		ret = -EFBIG;
	}
	return ret;
}

/* Set the checksums of the files [@p, @p + @n), which store the same bytes. */
static int keep_place(struct keep *a, struct place_of *p, size_t n)
{
	size_t from = 0;
	int ret = 0;

	/* one inode of the base image is enough: the others have equal bytes */
	while (from < n && !p[from].old)
		from++;
	if (from == n)
		return 0;
	ret = keep_sums(a, &p[from]);
	for (size_t i = 0; i < n; i++)
		p[i].node->sum = p[from].node->sum;
	return ret;
}

int base_keep_layout(struct base *base, struct tree *t, const struct params *params,
		     struct spool *chunks, struct spool *extents, struct array *places)
{
	struct keep a = { base, t, params, chunks, extents };
	int ret = places_collect(places, base, t, keep_file, &a);

	for (size_t i = 0, n; !ret && i < places->n; i += n) {
		n = places_alike(places, i);
		ret = keep_place(&a, (struct place_of *)places->p + i, n);
	}
	if (ret == -ENOMEM)
		no_memory();
	return ret;
}
