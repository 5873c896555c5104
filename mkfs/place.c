// SPDX-License-Identifier: GPL-2.0
/*
 * Placement.  Files are laid one behind the other, each at an aligned place.
 * Most samples end somewhere in a 4 KiB block, and half a block a file would
 * be lost, so files of up to a block go, whole, into the room behind earlier
 * files' last bytes: the tightest gap that takes them, among the last few and
 * not far behind, so that the image is still written front to back and what
 * is read together lies together.
 *
 * A file that shares a block cannot be read past the page cache; what is
 * larger than a whole-file read keeps its last block to itself for that.
 */
#include "place.h"

void place_init(struct place *p, u64 start, unsigned int align_bits)
{
	memset(p, 0, sizeof(*p));
	p->end = start;
	p->align_bits = align_bits;
}

static u64 block_of(u64 pos)
{
	return pos >> DSFS_BLOCK_BITS;
}

static void gap_drop(struct place *p, unsigned int i)
{
	memmove(&p->gaps[i], &p->gaps[i + 1],
		(--p->ngaps - i) * sizeof(p->gaps[0]));
}

static void gap_add(struct place *p, u64 start, u64 bytes, struct node *owner)
{
	if (!bytes)
		return;
	if (p->ngaps == PLACE_GAPS) {
		/* the smallest one is missed least */
		unsigned int least = 0;

		for (unsigned int i = 1; i < p->ngaps; i++) {
			if (p->gaps[i].bytes < p->gaps[least].bytes)
				least = i;
		}
		gap_drop(p, least);
	}
	p->gaps[p->ngaps++] = (struct gap){ start, bytes, owner };
}

/* Best fit; -1 for none. Gaps that fell behind the window are dropped. */
static int gap_find(struct place *p, u64 stored)
{
	u64 from = p->end > PLACE_WINDOW ? p->end - PLACE_WINDOW : 0;
	int best = -1;

	for (unsigned int i = 0; i < p->ngaps;) {
		struct gap *g = &p->gaps[i];

		if (g->start < from) {
			gap_drop(p, i);
			continue;
		}
		if (g->bytes >= stored &&
		    (best < 0 || g->bytes < p->gaps[best].bytes))
			best = i;
		i++;
	}
	return best;
}

static u64 place_in_gap(struct place *p, unsigned int i, struct node *node,
			u64 stored)
{
	struct gap *g = &p->gaps[i];
	u64 pos = g->start;

	node->flags |= NODE_SHARED;
	g->owner->flags |= NODE_SHARED;
	g->start += stored;
	g->bytes -= stored;
	if (!g->bytes)
		gap_drop(p, i);
	p->packed++;
	return pos;
}

/* The next place that a file may begin at. */
static u64 place_next(const struct place *p, u64 stored)
{
	u64 align = 1ULL << p->align_bits;
	u64 pos = (p->end + align - 1) & ~(align - 1);

	/* whole in its block, if a block is enough */
	if (stored <= DSFS_BLOCK_SIZE &&
	    block_of(pos) != block_of(pos + stored - 1))
		pos = (pos + DSFS_BLOCK_SIZE - 1) & ~(u64)(DSFS_BLOCK_SIZE - 1);
	return pos;
}

/* Room behind the file placed last, up to the end of its block. */
static u64 tail_room(const struct place *p)
{
	if (!p->last || p->last_bytes > PLACE_OWNER_MAX)
		return 0;
	return -p->end & (DSFS_BLOCK_SIZE - 1);
}

static void place_at_end(struct place *p, struct node *node, u64 pos,
			 u64 stored)
{
	if (p->last && block_of(pos) == block_of(p->end - 1)) {
		node->flags |= NODE_SHARED;
		p->last->flags |= NODE_SHARED;
	}
	p->end = pos + stored;
	p->last = node;
	p->last_bytes = stored;
}

u64 place_file(struct place *p, struct node *node, u64 stored)
{
	u64 pos, room = tail_room(p);
	int gap = -1;

	p->stored += stored;
	if (stored <= DSFS_BLOCK_SIZE) {
		gap = gap_find(p, stored);
		if (room >= stored &&
		    (gap < 0 || room <= p->gaps[gap].bytes)) {
			pos = p->end;
			place_at_end(p, node, pos, stored);
			p->packed++;
			return pos;
		}
	}
	if (gap >= 0)
		return place_in_gap(p, gap, node, stored);
	pos = place_next(p, stored);
	/* with --align below 4K the next file may begin in that room */
	gap_add(p, p->end, pos - p->end < room ? pos - p->end : room, p->last);
	place_at_end(p, node, pos, stored);
	return pos;
}

void place_resize(struct place *p, u64 pos, u64 was, u64 stored)
{
	p->end = pos + stored;
	p->last_bytes = stored;
	p->stored += stored - was;
}
