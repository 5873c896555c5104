/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records that come in no order, sorted by a number: of many more than there is memory for.
 */
#ifndef MKFS_SORTER_H
#define MKFS_SORTER_H

#include "spool.h"

#define SORTER_PARTS	256

/**
 * struct sorter - the records
 * @part_memory: bytes of each part that are in no file
 * @parts: each has those whose number, by the remainder, is its own
 * @n: records
 */
struct sorter {
	size_t part_memory;
	struct spool parts[SORTER_PARTS];
	u64 n;
};

/* @memory: bytes that the run has */
void sorter_init(struct sorter *s, u64 memory);
void sorter_free(struct sorter *s);

/*
 * Both return 0 or -errno; messages are written, but for -ENOMEM.
 *
 * Add a record of two pieces, one behind the other.
 */
int sorter_add(struct sorter *s, u32 number, const void *p, u32 bytes, const void *q, u32 more);
/*
 * Call @fn for each record, those of a number one after the other, in the order in which they were
 * added.  Not 0 ends it.  The records, aligned for any structure, are there once.
 */
int sorter_each(struct sorter *s, int (*fn)(void *ctx, void *p), void *ctx);

#endif /* MKFS_SORTER_H */
