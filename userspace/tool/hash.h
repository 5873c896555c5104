/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash table of small numbers, such as indexes.  Its users know what the numbers
 * stand for, and compare that.
 */
#ifndef DSFS_HASH_H
#define DSFS_HASH_H

#include "dsfs_platform.h"

#define HASH_VALUE_BITS	48	/* enough for an address */

/**
 * struct hash - an open hash table, 8 bytes a slot, at most seven eighths full
 * @slots: @size of them: a value and 16 bits of its hash; 0: free
 * @n: number of values
 * @of: computes the hash of a value, for growing; NULL: the table must not grow
 */
struct hash {
	u64 *slots;
	size_t size;
	size_t n;
	u64 (*of)(const void *ctx, u64 value);
	const void *ctx;
};

/* Make a table for @n values.  Return: 0 or -ENOMEM. */
int hash_init(struct hash *h, u64 n);
void hash_free(struct hash *h);

/**
 * hash_next - find the next value that may have a hash
 * @cursor: 0 to begin
 *
 * The caller compares, as different hashes may share a slot's bits.
 * Return: the value; 0 at the end.
 */
u64 hash_next(const struct hash *h, u64 hash, size_t *cursor);

/**
 * hash_add - add a value, more than 0 and less than 2^48
 *
 * Values may have the same hash, and a value may be in the table more than once.
 * Return: 0; -ENOMEM: not added.
 */
int hash_add(struct hash *h, u64 hash, u64 value);

#endif /* DSFS_HASH_H */
