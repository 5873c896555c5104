/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contents by their place in an image.
 */
#ifndef MKFS_PLACES_H
#define MKFS_PLACES_H

#include "../plan/draft.h"
#include "base.h"
#include "format.h"
#include "msg.h"

/**
 * struct place_of - place of the stored data of a file
 * @start: offset in the image
 * @old: inode of the base image with the same data; 0: the data is new
 */
struct place_of {
	u64 start;
	u64 stored;
	struct node *node;
	u32 old;
};

/*
 * Collect all contents of the tree, sorted by their places; @places is to be freed.  @base: give
 * files that keep their content the holes and the place that it has of them, and collect this
 * place; NULL: they have theirs.  Messages are written, but for -ENOMEM.  Return: 0 or -errno.
 */
int places_collect(struct array *places, struct base *base, struct tree *t);

/*
 * Collect, and give all files that keep their content the layout that the base image has of them.
 * Called after the data phase.  Messages are written.  Return: 0 or -errno.
 */
int base_keep_layout(struct base *base, struct tree *t, struct array *places);

void places_sort(struct array *places);

/* How many files from number @from on store the same bytes. */
size_t places_alike(const struct array *places, size_t from);

/* Mark all files that share blocks, and no others. */
void places_share(const struct array *places);

/* Set base->stored and base->packed. */
void places_measure(const struct array *places, struct base *base, const struct draft *draft);

#endif /* MKFS_PLACES_H */
