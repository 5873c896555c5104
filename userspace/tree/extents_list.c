// SPDX-License-Identifier: GPL-2.0
/*
 * A list of stored data, sorted by position.  Entries of one position are files that store the same
 * bytes, neighbours share blocks, and the sum over all positions is the number of stored bytes.
 *
 * Nodes may lie in a file that is larger than memory.  Files of equal bytes are anywhere in it, so
 * the list is sorted without them, and they are visited in the order in which they lie there.
 */
#include "extents.h"

#define NEAR		1048576	/* bytes between nodes that are one behind the other */

static struct extent extent_of(const struct tree *t, struct node *n)
{
	const u64 stored = node_stored(t, n), bytes = stored < EXTENT_LONG ? stored : EXTENT_LONG;
	const u64 start = node_data(n)->start < EXTENT_FAR ? node_data(n)->start : EXTENT_FAR;

	return (struct extent){ start << EXTENT_BITS | bytes << 1, n };
}

int extents_add(struct array *list, const struct tree *t, struct node *n)
{
	const struct extent e = extent_of(t, n);

	list->size = sizeof(e);
	return array_append(list, &e);
}

static int extent_cmp(const void *a, const void *b, void *t)
{
	const struct extent *x = a, *y = b;
	int cmp = array_order(x->key >> EXTENT_BITS, y->key >> EXTENT_BITS);

	if (!cmp && x->key >> EXTENT_BITS == EXTENT_FAR)
		cmp = array_order(node_data(x->node)->start, node_data(y->node)->start);
	cmp = cmp ?: array_order(x->key >> 1, y->key >> 1);
	if (cmp || (x->key >> 1 & EXTENT_LONG) < EXTENT_LONG)
		return cmp;
	return array_order(node_stored(t, x->node), node_stored(t, y->node));
}

static int node_place_cmp(const void *a, const void *b, void *t)
{
	const struct extent *x = a, *y = b;

	return array_order((uintptr_t)x->node, (uintptr_t)y->node);
}

void extents_order(struct array *list, const struct tree *t)
{
	array_sort_by(list, extent_cmp, (void *)t);
}

void extents_sort(struct array *list, const struct tree *t)
{
	for (size_t i = 0; i < list->n; i++)
		*extent_at(list, i) = extent_of(t, extent_node(list, i));
	extents_order(list, t);
}

size_t extents_alike(const struct array *list, const struct tree *t, size_t from)
{
	size_t n = 1;

	while (from + n < list->n &&
	       !extent_cmp(extent_at(list, from), extent_at(list, from + n), (void *)t))
		n++;
	return n;
}

/* Whether number @i begins in the block in which the one before it ends */
static bool meets(const struct array *list, const struct tree *t, size_t i)
{
	return i && i < list->n && (extent_end(list, t, i - 1) - 1) >> DSFS_BLOCK_BITS ==
				   extent_start(list, i) >> DSFS_BLOCK_BITS;
}

/* Whether more than a few nodes lie elsewhere than those before them. */
static bool is_scattered(const struct array *list)
{
	size_t jumps = 0;

	for (size_t i = 1; i < list->n; i++) {
		const uintptr_t a = (uintptr_t)extent_node(list, i - 1);
		const uintptr_t b = (uintptr_t)extent_node(list, i);

		jumps += (a > b ? a - b : b - a) > NEAR;
	}
	return jumps > list->n / 64;
}

/* Let nodes have the mark of the list. */
static void mark_nodes(struct array *list, const struct tree *t)
{
	const bool scattered = is_scattered(list);

	if (scattered)
		array_sort_by(list, node_place_cmp, NULL);
	for (size_t i = 0; i < list->n; i++) {
		struct extent *e = extent_at(list, i);

		e->node->flags &= ~NODE_SHARED;
		e->node->flags |= e->key & 1 ? NODE_SHARED : 0;
	}
	if (scattered)
		extents_order(list, t);
}

u64 extents_share(struct array *list, const struct tree *t)
{
	u64 stored = 0;

	for (size_t i = 0, n; i < list->n; i += n) {
		bool shared;

		n = extents_alike(list, t, i);
		shared = meets(list, t, i) || meets(list, t, i + n);
		for (size_t k = i; k < i + n; k++)
			extent_at(list, k)->key = (extent_at(list, k)->key & ~1ULL) | shared;
		stored += extent_stored(list, t, i);
	}
	mark_nodes(list, t);
	return stored;
}

/* A member's blocks have the archive's bytes, too; two archives may meet in a block. */
u64 extents_share_archives(const struct array *list, const struct tree *t)
{
	struct node *archive = NULL;
	u64 stored = 0, end = 0;

	for (size_t i = 0; i < list->n; i++)
		extent_node(list, i)->flags &= ~NODE_SHARED;
	for (size_t i = 0; i < list->n; i++) {
		const u64 start = extent_start(list, i);

		if (archive && start >> DSFS_BLOCK_BITS <= (end - 1) >> DSFS_BLOCK_BITS) {
			extent_node(list, i)->flags |= NODE_SHARED;
			archive->flags |= NODE_SHARED;
		}
		if (archive && start < end)
			continue;
		archive = extent_node(list, i);
		end = extent_end(list, t, i);
		stored += end - start;
	}
	return stored;
}
