/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash table of small numbers: what they are numbers of, and when two of those
 * are the same, its users know.
 */
#ifndef DSFS_HASH_H
#define DSFS_HASH_H

#include "dsfs_platform.h"

#define HASH_VALUE_BITS	48	/* enough for an address */

/**
 * struct hash - an open hash table, 8 bytes a slot, at most three quarters full
 * @slots: a value and 16 bits of its hash; 0: free
 * @n: values in it
 * @of: the hash of a value that is in it, by which the table grows; NULL: it must
 *	not grow
 */
struct hash {
	u64 *slots;
	size_t mask;
	size_t n;
	u64 (*of)(const void *ctx, u64 value);
	const void *ctx;
};

/* Room for @n values.  Return: 0 or -ENOMEM. */
int hash_init(struct hash *h, u64 n);
void hash_free(struct hash *h);

/**
 * hash_next - the next value that may have a hash
 * @cursor: 0 to begin
 *
 * What is found is a guess: the caller compares.
 * Return: 0 at the end.
 */
u64 hash_next(const struct hash *h, u64 hash, size_t *cursor);

/**
 * hash_add - add a value, more than 0 and less than 2^48
 *
 * Values may have the same hash, and a value may be in the table more than once.
 * Return: 0; -ENOMEM: it is not in the table.
 */
int hash_add(struct hash *h, u64 hash, u64 value);

#endif /* DSFS_HASH_H */
