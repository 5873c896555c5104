/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers and places of the metadata, decided once.
 */
#ifndef MKFS_LAYOUT_H
#define MKFS_LAYOUT_H

#include "../tree/tree.h"

/**
 * struct layout - order of the objects that inodes refer to
 * @owners, @xsets: their numbers in the tree, in the order of the image
 * @xattrs_end, @symlinks_end: lengths of these regions
 */
struct layout {
	struct array owners;
	struct array xsets;
	u64 xattrs_end;
	u64 symlinks_end;
};

/**
 * layout_make - number all inodes, and place targets and xattr sets
 * @t: ordered; no node is removed later
 *
 * Sets inode numbers in directories, places in symlinks and xattr sets, and final numbers in
 * owners.  All follow from the order of inodes, so they do
 * not depend on the order in which threads found them.
 *
 * Return: 0 or -ENOMEM.
 */
int layout_make(struct layout *l, struct tree *t);
void layout_free(struct layout *l);

#endif /* MKFS_LAYOUT_H */
