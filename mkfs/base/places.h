/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contents by their place in an image.
 */
#ifndef MKFS_PLACES_H
#define MKFS_PLACES_H

#include "../options/params.h"
#include "base.h"
#include "format.h"

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

/**
 * places_collect - all contents of the tree, sorted by place
 * @places: struct place_of
 * @base: NULL: there is none, or files that stay have their new places already
 * @kept: called for each file that stays, in the order of inodes; NULL: not
 *
 * Messages are written, except for -ENOMEM.  Return: 0 or -errno.
 */
int places_collect(struct array *places, struct base *base, struct tree *t,
		   int (*kept)(void *ctx, struct node *n, const struct dsfs_attr *attr,
			       const struct dsfs_extra_info *extra), void *ctx);

void places_sort(struct array *places);

/* Whether the bytes of some file begin at @start; @places is sorted. */
bool places_have(const struct array *places, u64 start);

/* How many files from number @from on store the same bytes. */
size_t places_alike(const struct array *places, size_t from);

/* Mark @n files from number @at on, which are alike, if others share a block with them. */
void places_set_shared(const struct array *places, size_t at, size_t n);

/* Mark all files that share blocks, and no others. */
void places_share(const struct array *places);

/* Set base->stored and base->packed. */
void places_measure(const struct array *places, struct base *base, const struct params *params);

#endif /* MKFS_PLACES_H */
