/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A hash table of small numbers, such as indexes.  Its users know what the numbers
 * stand for, and compare that.
 */
#ifndef DSFS_HASH_H
#define DSFS_HASH_H

#include "dsfs_platform.h"

#define HASH_PARTS	64

/**
 * struct hash_part - an open hash table, at most seven eighths full
 * @slots: @size of them: a value in the lower @bits, and the upper bits of its hash; 0: free
 * @n: number of values
 */
struct hash_part {
	u64 *slots;
	u32 size;
	u32 n;
	u8 bits;
};

/**
 * struct hash - tables of 8 bytes a slot, about 10 a value
 * @parts: the lower bits of a hash say which one has its value
 */
struct hash {
	struct hash_part parts[HASH_PARTS];
};

/* Make a table that has room for @n values without growing.  Return: 0 or -ENOMEM. */
int hash_init(struct hash *h, u64 n);
void hash_free(struct hash *h);

/**
 * hash_next - find the next value that may have a hash
 * @cursor: 0 to begin
 *
 * The caller compares, as different hashes may share a slot's bits.
 * Return: the value; 0 at the end.
 */
u32 hash_next(const struct hash *h, u64 hash, size_t *cursor);

/**
 * hash_add - add a value, more than 0
 *
 * Values may have the same hash, and a value may be in the table more than once.
 * Return: 0; -ENOMEM: not added.
 */
int hash_add(struct hash *h, u64 hash, u32 value);

#endif /* DSFS_HASH_H */
