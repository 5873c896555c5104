// SPDX-License-Identifier: GPL-2.0
/*
 * The plan: names and sizes, and contents as they may be before they are read.  It does no I/O, so
 * it can be tested without files.
 *
 * What a generation takes is known by writing it to a target that only adds up.  What is equal, a
 * hole or smaller when it is compressed only reading finds, so there are two guesses, and the image
 * is between them.  Files that keep their content need none, if tree_extents() was called.
 */
#include "format.h"
#include "plan.h"

unsigned int plan_bucket(u64 size)
{
	unsigned int b = size ? 64 - __builtin_clzll(size) : 0;

	return b < PLAN_BUCKETS ? b : PLAN_BUCKETS - 1;
}

/* Add a regular file. */
static void plan_file(struct plan *p, const struct node *n)
{
	p->bytes += n->size;
	p->buckets[plan_bucket(n->size)]++;
	if (n->size && n->flags & NODE_KEPT) {
		p->kept++;
		p->kept_bytes += n->size;
	} else if (n->size) {
		p->data++;
	}
}

void plan_make(struct plan *p, const struct tree *t)
{
	struct tree_walk walk = { 0 };
	const struct node *n;

	*p = (struct plan){
		.owners = t->owners.table.list.n, .xattr_sets = t->xsets.list.n,
		.types[DT_DIR] = 1,
	};
	while ((n = tree_next(t, &walk))) {
		p->names++;
		p->name_bytes += node_len(n);
		if (n->flags & NODE_HARDLINK)
			p->links++;
		else
			p->types[dsfs_mode_to_dt(n->mode)]++;
		if (S_ISREG(n->mode) && !(n->flags & NODE_HARDLINK))
			plan_file(p, n);
	}
}

/* A compressed file: the size that is stored is any, and so is what differs from it. */
static int guess_packed(struct tree *t, struct node *n)
{
	const u64 units = packed_units(n->size);
	const struct packed packed = {
		.stored = (n->size + 1) / 2 + t->packed.n % (n->size / 4 + 1),
		.codec = DSFS_CODEC_ZSTD,
	};

	int ret = tree_add_packed(t, n, &packed, units);

	if (!ret && units > 1)
		t->units.len += units * sizeof(__le32);
	return ret;
}

/* Checksums of a file: they are any numbers, a hash of @number by the golden ratio. */
static void guess_sums(struct tree *t, struct node *n, const struct draft *draft, u64 number)
{
	const unsigned int bits = !draft->chunk_bits ? 0 :
				  dsfs_chunk_choose(draft->chunk_bits, draft->small_bits,
						    draft->large_bits, n->size);

	n->sum = number * 0x9e3779b1;
	if (!bits || n->size <= 1ULL << bits)
		return;
	n->sum = t->chunks.len / sizeof(__le32);
	t->chunks.len += (((n->size - 1) >> bits) + 1) * sizeof(__le32);
}

int guess_contents(struct guess *g, struct tree *t, const struct draft *draft, bool whole)
{
	struct tree_walk walk = { 0 };
	u64 files = 0;
	struct node *n;
	int ret = 0;

	*g = (struct guess){
		.packed = t->packed.n,
		.units = t->units.len,
		.chunks = t->chunks.len,
	};
	place_init(&g->place, draft->start, draft->align_bits, draft->object_bits);
	while (!ret && (n = tree_next(t, &walk))) {
		if (!node_is_data(n) || (!whole && (!draft->no_dedup || draft->packs ||
						    n->size >= HOLE_MIN)))
			continue;
		if (draft->packs)
			ret = guess_packed(t, n);
		node_data(n)->start = place_file(&g->place, n, n->size);
		guess_sums(t, n, draft, ++files);
	}
	return ret;
}

void guess_end(const struct guess *g, struct tree *t)
{
	struct tree_walk walk = { 0 };
	struct node *n;

	while ((n = tree_next(t, &walk))) {
		if (!node_is_data(n))
			continue;
		node_data(n)->start = 0;
		n->sum = 0;
		n->sparse = 0;
		n->flags &= ~(NODE_SHARED | NODE_PACKED);
	}
	t->packed.n = g->packed;
	spool_cut(&t->units, g->units);
	spool_cut(&t->chunks, g->chunks);
}

/*
 * Data may have another order than names: then positions take up to four bytes more a file, and
 * small files find other gaps.  An object is left for a file that is larger than its rest.
 */
u64 guess_slack(const struct tree *t, const struct draft *draft)
{
	const u64 objects = draft->object_bits ? 2ULL << draft->object_bits : 0;

	return (t->inodes * sizeof(u32) + objects + PLACE_GAPS * DSFS_BLOCK_SIZE) &
	       ~(u64)(DSFS_BLOCK_SIZE - 1);
}
