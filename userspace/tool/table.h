/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A table: records of one size that are found by what they begin with.
 */
#ifndef DSFS_TABLE_H
#define DSFS_TABLE_H

#include "array.h"
#include "hash.h"

/**
 * struct table - records, each with another key; does not move itself
 * @list: the records, in the order in which they were added
 * @numbers: finds them by their first @key bytes: index plus one
 */
struct table {
	struct array list;
	struct hash numbers;
	size_t key;
};

/* Make a table of records of @size bytes.  Return: 0 or -ENOMEM. */
int table_init(struct table *t, size_t size, size_t key);
void table_free(struct table *t);

/* Find a record; NULL: there is none.  Valid up to the next table_add(). */
void *table_find(const struct table *t, const void *key);

/* Add a record, zero behind its key.  NULL: out of memory. */
void *table_add(struct table *t, const void *key);

#endif /* DSFS_TABLE_H */
