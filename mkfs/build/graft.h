/* SPDX-License-Identifier: GPL-2.0 */
/*
 * More archives for an image of archives: its tree, and theirs beside it.
 */
#ifndef MKFS_GRAFT_H
#define MKFS_GRAFT_H

#include "../base/base.h"

/* The tree of the image, in base->root_dir.  Messages are written.  0 or -errno. */
int base_tree(struct base *base, const struct options *o, struct tree *t);

/*
 * Let the tree of the image be that of the run, with the names of the source's in it, of
 * which it has none but directories.  Messages are written.  Return: 0 or -errno.
 */
int base_graft(struct base *base, struct tree *t);

#endif /* MKFS_GRAFT_H */
