/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A map of stored data, by its place in an image.
 */
#ifndef DSFS_PLACEMAP_H
#define DSFS_PLACEMAP_H

#include "array.h"
#include "hash.h"

/* Offset and length of stored data; a record of a map begins with it. */
struct placemap_key {
	u64 start;
	u64 stored;
};

/**
 * struct placemap - records of one size; does not move itself
 * @list: the records, in the order in which they were added
 * @numbers: finds them by @start: index plus one
 */
struct placemap {
	struct array list;
	struct hash numbers;
};

/* Make a map of records of @size bytes.  Return: 0 or -ENOMEM. */
int placemap_init(struct placemap *m, size_t size);
void placemap_free(struct placemap *m);

/* Find a record; NULL: there is none.  Valid up to the next placemap_add(). */
void *placemap_find(const struct placemap *m, u64 start, u64 stored);

/* Add a record, zero behind its key.  NULL: out of memory. */
void *placemap_add(struct placemap *m, u64 start, u64 stored);

#endif /* DSFS_PLACEMAP_H */
