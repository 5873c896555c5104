// SPDX-License-Identifier: GPL-2.0
/*
 * The plan: names and sizes, and every error that can be found before data is
 * read.  It does no I/O, so it can be tested without files.
 *
 * The plan does not place data, because equal contents are stored once and zeros are left out,
 * which only reading can find.  So it has a lower and an upper bound of the size of the image.
 */
#include "format.h"
#include "index.h"
#include "msg.h"
#include "names.h"
#include "place.h"
#include "plan.h"

unsigned int plan_bucket(u64 size)
{
	unsigned int b = size ? 64 - __builtin_clzll(size) : 0;

	return b < PLAN_BUCKETS ? b : PLAN_BUCKETS - 1;
}

static u64 round_up_to(u64 v, u64 unit)
{
	return (v + unit - 1) & ~(unit - 1);
}

/* Add a regular file. */
static void plan_file(struct plan *p, const struct node *n,
		      const struct options *o, const struct params *params)
{
	u64 size = n->size, room;

	p->bytes += size;
	p->buckets[plan_bucket(size)]++;
	if (!size)
		return;
	if (n->flags & NODE_KEPT) {
		p->kept++;
		p->kept_bytes += size;
	} else {
		p->data++;
	}
	if (params->chunk_bits && size > 1ULL << params->small_bits)
		p->upper += (size >> params->chunk_bits) * sizeof(__le32) +
			    sizeof(__le32);
	if (size >= HOLE_MIN)
		p->upper += sizeof(struct dsfs_extra) +
			    (size / HOLE_MIN + 1) * sizeof(struct dsfs_extent_record);
	if (params->packed.any)
		p->upper += packed_units(size) * sizeof(__le32);
	if (n->flags & NODE_KEPT)
		return;
	room = round_up_to(size, 1ULL << params->align_bits);
	/* with --align below 4K, a file of up to a block may be moved to the next one */
	if (params->align_bits < DSFS_BLOCK_BITS && size <= DSFS_BLOCK_SIZE)
		room += DSFS_BLOCK_SIZE;
	p->padding += room - size;
	p->upper += room;
	if (o->no_dedup && !params->pack.codec && size < HOLE_MIN)
		p->lower += size;
}

static void plan_node(struct plan *p, const struct node *n,
		      const struct options *o, const struct params *params)
{
	p->names++;
	p->name_bytes += node_len(n);
	if (n->flags & NODE_HARDLINK) {
		p->links++;
		return;
	}
	p->types[dsfs_mode_to_dt(n->mode)]++;
	if (S_ISREG(n->mode))
		plan_file(p, n, o, params);
	else if (S_ISLNK(n->mode))
		p->meta_bytes += n->size;
	if (n->xattrs || n->flags & NODE_LINK)
		p->upper += sizeof(struct dsfs_extra);
}

static void plan_dirs(struct plan *p, const struct tree *t, const struct options *o,
		      const struct params *params)
{
	u64 names = 0, buckets = 0;

	for (u64 i = 0; i < t->ndirs; i++) {
		struct dir *d = tree_dir(t, i);
		struct names_place place;
		u8 slot, block;

		names_place(d, &names, &place);
		if (index_bits(d->count, place.most, place.blocks, &slot, &block))
			buckets += index_buckets(d->count);
		for (u32 k = 0; k < d->count; k++)
			plan_node(p, &d->nodes[k], o, params);
	}
	p->meta_bytes += names + buckets * sizeof(struct dsfs_bucket) +
			 t->ndirs * sizeof(struct dsfs_dir);
	/* an index that fails at first gets up to half as many buckets more */
	p->upper += buckets * sizeof(struct dsfs_bucket) / 2;
}

/*
 * Add the unused bytes of objects: place all files, in the order of inodes, as
 * if all their bytes were stored.  An object is left only for a file that is
 * larger than its rest, so no more bytes are unused than used.
 */
static void plan_objects(struct plan *p, const struct tree *t,
			 const struct params *params, u64 start)
{
	struct node any = { 0 };	/* flags are for the run */
	struct tree_walk walk = { 0 };
	const struct node *n;
	struct place place;

	if (!params->object_bits)
		return;
	place_init(&place, start, params->align_bits, params->object_bits);
	while ((n = tree_next(t, &walk))) {
		any.size = n->size;
		if (node_is_data(n))
			place_file(&place, &any, any.size);
	}
	p->object_padding = place_object_padding(&place);
	p->upper += p->bytes + p->padding + (2ULL << params->object_bits);
}

/* Add the inodes.  Rows have as many bytes as they need, which is known at the end. */
static void plan_inodes(struct plan *p, const struct tree *t)
{
	p->upper += t->inodes * DSFS_COLUMNS * DSFS_COLUMN_MAX +
		    2 * (t->ndirs + p->name_bytes / DSFS_NAME_MAX + 1) * sizeof(struct dsfs_rows);
}

int plan_make(struct plan *p, const struct tree *t, const struct options *o,
	      const struct params *params, u64 start)
{
	memset(p, 0, sizeof(*p));
	p->types[DT_DIR] = 1;
	plan_dirs(p, t, o, params);
	plan_inodes(p, t);
	p->meta_bytes += t->owners.table.list.n * sizeof(struct dsfs_owner);
	for (u32 i = 1; i <= t->xsets.list.n; i++)
		p->meta_bytes += xsets_at(&t->xsets, i)->bytes;
	/* symlinks and sets that cross no block waste less than half of it */
	plan_objects(p, t, params, start);
	p->upper += start + 2 * p->meta_bytes +
		    DSFS_REGIONS_USED * DSFS_BLOCK_SIZE +
		    (1ULL << params->align_bits);
	p->upper += (p->upper - start) / 1000;	/* BLOCKSUMS */
	p->upper = round_up_to(p->upper, DSFS_BLOCK_SIZE);
	if (o->message || o->digest)
		p->upper += DSFS_BLOCK_SIZE;
	p->lower += start + p->meta_bytes;
	p->lower = round_up_to(p->lower, DSFS_BLOCK_SIZE);
	if (p->lower >= DSFS_MAX_OFFSET) {
		msg_error(t->source, "image of %llu bytes or more: the limit is %llu",
			  p->lower, DSFS_MAX_OFFSET);
		return -EFBIG;
	}
	return 0;
}
