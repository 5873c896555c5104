/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records in bounded memory: spools, byte sequences of any length that are appended to and read
 * later, and records that come in no order, sorted by a number.
 */
#ifndef DSFS_SPOOL_H
#define DSFS_SPOOL_H

#include "dsfs_platform.h"

#define SPOOL_MEMORY	(16 << 20)
#define SPOOL_SHARE	32

/* What a spool has in memory, of a run that has @memory bytes */
static inline size_t spool_memory(u64 memory)
{
	return memory / SPOOL_SHARE < SPOOL_MEMORY ? memory / SPOOL_SHARE : SPOOL_MEMORY;
}

/**
 * struct spool - a byte sequence
 * @memory: bytes of it that are in no file
 * @len: its length
 * @flushed: bytes of it that are in the file
 */
struct spool {
	char *buf;
	size_t memory;
	u64 len;
	u64 flushed;
	size_t cap;
	int fd;
};

void spool_init(struct spool *s, size_t memory);
void spool_free(struct spool *s);
/* Shorten the sequence to @len. */
void spool_cut(struct spool *s, u64 len);
/* Both return 0 or -errno; messages are written, but for -ENOMEM. */
int spool_add(struct spool *s, const void *p, size_t bytes);
int spool_read(struct spool *s, u64 off, void *p, size_t bytes);

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

#endif /* DSFS_SPOOL_H */
