/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers and places of the metadata, decided once.
 */
#ifndef MKFS_LAYOUT_H
#define MKFS_LAYOUT_H

#include "../tree/tree.h"

/**
 * struct layout - what a node refers to, in the order of the image
 * @owners, @xsets: the tree's numbers of them
 * @names_end, @xattrs_end, @symlinks_end: lengths of these regions
 */
struct layout {
	struct array owners;
	struct array xsets;
	u64 names_end;
	u64 xattrs_end;
	u64 symlinks_end;
};

/**
 * layout_make - number all inodes and place all that they refer to by position
 * @t: ordered, and nothing will be taken out any more
 *
 * Sets inode numbers and places of names in directories, places in symlinks and
 * xattr sets, final numbers in owners.  All of them follow from the order of
 * inodes, so nothing depends on the order in which threads met them.
 *
 * Return: 0 or -ENOMEM.
 */
int layout_make(struct layout *l, struct tree *t);
void layout_free(struct layout *l);

#endif /* MKFS_LAYOUT_H */
