/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The order of data: which file comes next.
 */
#ifndef MKFS_ORDER_H
#define MKFS_ORDER_H

#include "../options/options.h"
#include "../tree/tree.h"

/* A file in the order of data */
struct listed {
	struct dir *dir;
	struct node *node;
};

/**
 * struct order - the files of --order, then all others in the order of inodes
 * @listed: struct listed, those of --order
 * @listed_at: what comes next of these
 * @walk: over the others
 */
struct order {
	const struct tree *tree;
	struct array listed;
	size_t listed_at;
	struct tree_walk walk;
};

/* Begin with the list of --order, if it is given.  Messages are written.  0 or -errno. */
int order_init(struct order *order, const struct tree *t, const struct options *o);
void order_free(struct order *order);

/* Take the next file.  Return: whether there was one. */
bool order_next(struct order *order, struct dir **dir, struct node **node);
/* Give back the file of the last order_next(). */
void order_back(struct order *order);

#endif /* MKFS_ORDER_H */
