/* SPDX-License-Identifier: GPL-2.0 */
/* A growing array that does not move, and may be in the overflow, as it is in an arena. */
#ifndef MKFS_BLOCKS_H
#define MKFS_BLOCKS_H

#include "arena.h"
#include "array.h"
#include "dsfs_platform.h"

#define BLOCK_RECORDS	1024

/**
 * struct blocks - records of one size
 * @list: blocks of BLOCK_RECORDS
 * @n: records
 * @size: bytes of a record, set before the first one is added
 */
struct blocks {
	struct array list;
	u64 n;
	size_t size;
};

static inline void *blocks_at(const struct blocks *b, u64 i)
{
	return ((char **)b->list.p)[i / BLOCK_RECORDS] + i % BLOCK_RECORDS * b->size;
}

/* Add a zeroed record.  NULL: out of memory. */
void *blocks_add(struct blocks *b, struct arena *a);
/* Free what is not in the arena. */
void blocks_free(struct blocks *b);

#endif /* MKFS_BLOCKS_H */
