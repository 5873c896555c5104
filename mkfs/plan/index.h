/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hash index of a directory.
 */
#ifndef MKFS_INDEX_H
#define MKFS_INDEX_H

#include "../tree/tree.h"

/* Target load of a bucket: names for 16 entries */
#define INDEX_LOAD	14

/**
 * index_bits - whether a directory can have an index, and the widths of its fields
 * @most: names in the fullest of its @blocks blocks
 * @slot, @block: set to the bits of a slot and of a name block; 0 without an index
 */
bool index_bits(u32 count, u32 most, u32 blocks, u8 *slot, u8 *block);

/* Number of buckets of the first attempt. */
u32 index_buckets(u32 count);

/**
 * index_build - build the index of a directory that is laid out
 * @fills: names in each of its name blocks
 * @buckets: set to dir->buckets buckets, malloc'ed; NULL without an index
 *
 * Sets buckets, slot_bits and block_bits of @dir.
 * Return: 0 or -ENOMEM.
 */
int index_build(struct dir *dir, const u16 *fills, struct dsfs_bucket **buckets);

#endif /* MKFS_INDEX_H */
