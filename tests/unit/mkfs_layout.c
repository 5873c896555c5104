// SPDX-License-Identifier: GPL-2.0
/*
 * Offsets of symlink targets and of xattr sets: one that fits into a block must not
 * cross a block boundary.
 */
#include "mkfs.h"
#include "plan/layout.h"
#include "tree/tree.h"

#include <stdio.h>
#include <stdlib.h>

#define NODES	400

static struct tree t;
static struct node nodes[NODES];

/* Symlinks of all lengths, each with a set of its own or the first one's. */
static void tree_make(void)
{
	static char text[3 * DSFS_BLOCK_SIZE];
	char name[8];

	if (tree_init(&t, "source", UINT64_MAX) || owners_get(&t.owners, 1, 2))
		exit(1);
	t.root.mode = S_IFDIR;
	t.root_dir->nodes = nodes;
	t.root_dir->count = NODES;
	memset(nodes, 0, sizeof(nodes));
	for (unsigned int i = 0; i < NODES; i++) {
		unsigned int bytes = 1 + i * 37 % DSFS_SYMLINK_MAX;

		snprintf(name, sizeof(name), "%03u", i);
		unit_name(&t.arena, &nodes[i], name);
		nodes[i].mode = S_IFLNK;
		memset(text, i, sizeof(text));
		memcpy(text, &i, i % 3 ? sizeof(i) : 0);
		if (node_set_target(&t.arena, &nodes[i], text, bytes) ||
		    xsets_get(&t.xsets, text, 1 + i * 61 % sizeof(text), &nodes[i].xattrs))
			exit(1);
	}
	nodes[NODES - 1].xattrs = nodes[0].xattrs;
}

static bool crosses(u64 at, u64 bytes)
{
	return at / DSFS_BLOCK_SIZE != (at + bytes - 1) / DSFS_BLOCK_SIZE;
}

TESTS(layout)
{
	unsigned int cross = 0, overlap = 0, sets = 0;
	u64 links_end = 0, sets_end = 0;
	struct layout l;

	tree_make();
	if (!OK(!tree_order(&t) && !layout_make(&l, &t), "layout: made"))
		return;
	for (unsigned int i = 0; i < NODES; i++) {
		const struct symlink *s = nodes[i].u.symlink;

		cross += crosses(s->start, nodes[i].size);
		overlap += s->start < links_end;
		links_end = s->start + nodes[i].size;
	}
	OK(!cross, "layout: no target crosses a block");
	OK(!overlap && l.symlinks_end == links_end, "layout: targets in their order");
	cross = 0;
	overlap = 0;
	for (size_t i = 0; i < l.xsets.n; i++) {
		const struct xset *set = xsets_at(&t.xsets, ((u32 *)l.xsets.p)[i]);

		cross += set->bytes <= DSFS_BLOCK_SIZE ? crosses(set->off, set->bytes) :
			 set->off % DSFS_BLOCK_SIZE != 0;
		overlap += set->off < sets_end;
		sets_end = set->off + set->bytes;
		sets++;
	}
	OK(!cross, "layout: sets of a block or less cross none, others begin one");
	OK(!overlap && l.xattrs_end == sets_end, "layout: sets in the order of inodes");
	OK(sets < NODES && l.owners.n == 1 &&
	   owners_at(&t.owners, 0)->final == 1, "layout: each set and owner once");
	layout_free(&l);
	tree_free(&t);
}
