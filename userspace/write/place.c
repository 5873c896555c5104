// SPDX-License-Identifier: GPL-2.0
/*
 * Placement of data.  Files are laid out one after the other, each at an aligned place.  Most
 * samples end within a 4 KiB block, which would waste half a block for each file.  So a file of up
 * to a block goes into the space after the last byte of an earlier file: into the smallest gap that
 * holds it, among the last few gaps and not far back.  Thus the image is still written front to
 * back, and files that are read together lie together.
 *
 * A file that shares a block cannot be read with O_DIRECT alone.  So a file
 * that is larger than a whole-file read does not share its last block.
 *
 * A store of objects (RADOS) answers a read that crosses from one object into the next with two
 * operations.  So a file lies in as few objects as its size allows.  If the next file does not fit
 * into the rest of an object, the front moves on to the next object, and later, smaller files fill
 * the rest.  This changes the order of data a little and wastes hardly any space.
 */
#include "place.h"

void place_init(struct place *p, u64 start, unsigned int align_bits, unsigned int object_bits)
{
	memset(p, 0, sizeof(*p));
	p->at.end = start;
	p->align_bits = align_bits;
	p->object_bits = object_bits;
}

static u64 block_of(u64 pos)
{
	return pos >> DSFS_BLOCK_BITS;
}

static void gap_drop(struct place *p, unsigned int i)
{
	memmove(&p->gaps[i], &p->gaps[i + 1], (--p->ngaps - i) * sizeof(p->gaps[0]));
}

static void gap_add(struct place *p, u64 start, u64 bytes, struct node *owner)
{
	if (!bytes)
		return;
	if (p->ngaps == PLACE_GAPS) {
		/* drop the smallest gap */
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
	u64 from = p->at.end > PLACE_WINDOW ? p->at.end - PLACE_WINDOW : 0;
	int best = -1;

	for (unsigned int i = 0; i < p->ngaps;) {
		struct gap *g = &p->gaps[i];

		if (g->start < from) {
			gap_drop(p, i);
			continue;
		}
		if (g->bytes >= stored && (best < 0 || g->bytes < p->gaps[best].bytes))
			best = i;
		i++;
	}
	return best;
}

static u64 place_in_gap(struct place *p, unsigned int i, struct node *node, u64 stored)
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

/* The first place from @end on at which a file may begin. */
static u64 place_next(const struct place *p, u64 end, u64 stored)
{
	u64 align = 1ULL << p->align_bits;
	u64 pos = (end + align - 1) & ~(align - 1);

	/* a file of up to a block does not cross one */
	if (stored <= DSFS_BLOCK_SIZE && block_of(pos) != block_of(pos + stored - 1))
		pos = (pos + DSFS_BLOCK_SIZE - 1) & ~(u64)(DSFS_BLOCK_SIZE - 1);
	return pos;
}

/* Bytes from the end of the last file to the end of its block. */
static u64 block_room(const struct front *f)
{
	if (!f->last || f->last_bytes > PLACE_OWNER_MAX)
		return 0;
	return -f->end & (DSFS_BLOCK_SIZE - 1);
}

static void place_at_end(struct front *f, struct node *node, u64 pos, u64 stored)
{
	if (f->last && block_of(pos) == block_of(f->end - 1)) {
		node->flags |= NODE_SHARED;
		f->last->flags |= NODE_SHARED;
	}
	f->end = pos + stored;
	f->last = node;
	f->last_bytes = stored;
}

/* Place a file of up to a block right behind the last one. */
static bool place_in_block(struct place *p, struct front *f, struct node *node, u64 stored, int gap)
{
	u64 room = block_room(f);

	if (room < stored || (gap >= 0 && room > p->gaps[gap].bytes))
		return false;
	place_at_end(f, node, f->end, stored);
	p->packed++;
	return true;
}

static u64 place_behind(struct place *p, struct front *f, struct node *node, u64 pos, u64 stored)
{
	u64 room = block_room(f);

	/* with --align below 4K the next file may begin in that room */
	gap_add(p, f->end, pos - f->end < room ? pos - f->end : room, f->last);
	place_at_end(f, node, pos, stored);
	return pos;
}

/* Whether a file at @pos lies in more objects than necessary. */
static bool crosses(const struct place *p, u64 pos, u64 bytes)
{
	const unsigned int bits = p->object_bits;

	if (!bits)
		return false;
	return ((pos + bytes - 1) >> bits) - (pos >> bits) >
	       (bytes - 1) >> bits;
}

static void old_drop(struct place *p, unsigned int i)
{
	p->lost += p->old[i].limit - p->old[i].end;
	memmove(&p->old[i], &p->old[i + 1], (--p->nold - i) * sizeof(p->old[0]));
}

/* Continue in the next object; the rest of this one is for later files. */
static void next_object(struct place *p, u64 pos)
{
	const u64 object = 1ULL << p->object_bits;
	u64 limit = (pos | (object - 1)) + 1;

	if (p->nold == PLACE_OLD)
		old_drop(p, 0);
	p->at.limit = limit;
	p->old[p->nold++] = p->at;
	p->at = (struct front){ .end = limit };
	while (p->old[0].limit + (PLACE_OLD_OBJECTS << p->object_bits) < limit)
		old_drop(p, 0);
}

/* Find the earlier object with the best fit for a file; NULL: none. */
static struct front *old_find(struct place *p, u64 stored, u64 size, u64 *pos)
{
	struct front *best = NULL;

	if (size >= PLACE_FILL_MAX)
		return NULL;
	for (unsigned int i = 0; i < p->nold; i++) {
		struct front *f = &p->old[i];
		u64 at = place_next(p, f->end, stored);

		if (at + size > f->limit || (best && f->limit - at >= best->limit - *pos))
			continue;
		best = f;
		*pos = at;
	}
	return best;
}

u64 place_file(struct place *p, struct node *node, u64 stored)
{
	/* a file of up to a block is placed by its stored bytes, a larger one by its size */
	u64 size = stored <= DSFS_BLOCK_SIZE ? stored : node->size;
	struct front *old;
	u64 pos;
	int gap = -1;

	if (size < stored)
		size = stored;
	p->stored += stored;
	if (stored <= DSFS_BLOCK_SIZE) {
		gap = gap_find(p, stored);
		if (place_in_block(p, &p->at, node, stored, gap))
			return p->at.end - stored;
	}
	if (gap >= 0)
		return place_in_gap(p, gap, node, stored);
	old = old_find(p, stored, size, &pos);
	if (old)
		return place_behind(p, old, node, pos, stored);
	pos = place_next(p, p->at.end, stored);
	if (crosses(p, pos, size)) {
		next_object(p, pos);
		pos = place_next(p, p->at.end, stored);
	}
	return place_behind(p, &p->at, node, pos, stored);
}

void place_resize(struct place *p, u64 pos, u64 was, u64 stored)
{
	p->at.end = pos + stored;
	p->at.last_bytes = stored;
	p->stored += stored - was;
}

u64 place_object_padding(const struct place *p)
{
	u64 lost = p->lost;

	for (unsigned int i = 0; i < p->nold; i++)
		lost += p->old[i].limit - p->old[i].end;
	return lost;
}

u64 place_meta(const struct place *p, bool alone)
{
	bool objects = p->object_bits && alone;
	u64 unit = 1ULL << (objects ? p->object_bits : DSFS_BLOCK_BITS);

	return (p->at.end + unit - 1) & ~(unit - 1);
}
