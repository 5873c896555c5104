/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stored data of a tree, by its position: what a generation keeps of its base, and what is new.
 */
#ifndef DSFS_EXTENTS_H
#define DSFS_EXTENTS_H

#include "array.h"
#include "tree.h"

struct base;

#define EXTENT_BITS	16
#define EXTENT_LONG	0x7fff
#define EXTENT_FAR	0xffffffffffffULL

/**
 * struct extent - a file that stores data
 * @key: where that begins, above EXTENT_BITS bits: how many bytes they are; and whether blocks are
 *	shared.  Of EXTENT_FAR or EXTENT_LONG the node says the number.
 *
 * A node may lie in a file, so it is not looked at for what is here.
 */
struct extent {
	u64 key;
	struct node *node;
};

/**
 * tree_extents - list the files of a tree that store data, sorted by position
 * @list: struct extent, to be freed; NULL: none is asked for
 * @base: whose content files keep; NULL: none do
 *
 * Gives files that keep their content what the base has of it: position, holes, ends of frames and
 * checksums, which take the place of @old.  Called once, when new data is stored.
 *
 * Messages are written.  Return: 0 or -errno.
 */
int tree_extents(struct array *list, struct base *base, struct tree *t);

/* Add a file.  Return: 0 or -ENOMEM. */
int extents_add(struct array *list, const struct tree *t, struct node *n);

/* Order a list; extents_sort(): again, as files have other positions. */
void extents_order(struct array *list, const struct tree *t);
void extents_sort(struct array *list, const struct tree *t);

static inline struct extent *extent_at(const struct array *list, size_t i)
{
	return (struct extent *)list->p + i;
}

static inline struct node *extent_node(const struct array *list, size_t i)
{
	return extent_at(list, i)->node;
}

/* The stored bytes of number @i, and where they begin and end in the image */
static inline u64 extent_stored(const struct array *list, const struct tree *t, size_t i)
{
	const u64 bytes = extent_at(list, i)->key >> 1 & EXTENT_LONG;

	return bytes < EXTENT_LONG ? bytes : node_stored(t, extent_node(list, i));
}

static inline u64 extent_start(const struct array *list, size_t i)
{
	const u64 start = extent_at(list, i)->key >> EXTENT_BITS;

	return start < EXTENT_FAR ? start : node_data(extent_node(list, i))->start;
}

static inline u64 extent_end(const struct array *list, const struct tree *t, size_t i)
{
	return extent_start(list, i) + extent_stored(list, t, i);
}

/* How many files from number @from on store the same bytes. */
size_t extents_alike(const struct array *list, const struct tree *t, size_t from);

/* Mark all files that share blocks, and no others.  Return: the bytes that are stored. */
u64 extents_share(struct array *list, const struct tree *t);
/* The same where files lie in the data of archives. */
u64 extents_share_archives(const struct array *list, const struct tree *t);

#endif /* DSFS_EXTENTS_H */
