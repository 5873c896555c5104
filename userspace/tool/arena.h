/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of a tree: arenas, which are freed all at once, and the temporary file that they lie in
 * beyond a limit.  The kernel writes out what it has no memory for, and reads it when it is used
 * again, so what lies there has to be used in order.
 */
#ifndef DSFS_ARENA_H
#define DSFS_ARENA_H

#include <pthread.h>

#include "array.h"
#include "dsfs_platform.h"

/* What one segment of the file has, and what is used between two times that memory is given up */
#define OVERFLOW_SEGMENT	(64 << 20)

/* What is free of a segment */
struct overflow_free {
	char *at;
	u64 bytes;
};

/**
 * struct overflow - memory of many allocations, freed at once
 * @limit: bytes that are not in the file
 * @memory: bytes that are not in it
 * @segments: struct overflow_segment, mappings of it
 * @free: of the last ones whose use is scattered, and in order
 * @passed: bytes that were used since memory was given up
 */
struct overflow {
	u64 limit;
	u64 memory;
	pthread_mutex_t lock;
	struct array segments;
	struct overflow_free free[2];
	u64 passed;
};

void overflow_init(struct overflow *o, u64 limit);
void overflow_free(struct overflow *o);

/*
 * Memory that is freed by overflow_free(), aligned for any structure.  NULL: take other memory,
 * which is counted until overflow_give(), because neither the limit here nor that of the process is
 * reached, or no file can be had, of which a warning has told.  Any thread may call both.  The
 * kernel reads ahead in what is used @in_order.
 */
void *overflow_alloc(struct overflow *o, size_t bytes, bool in_order);
void overflow_give(struct overflow *o, size_t bytes);

/* Whether the limit is reached, so that what is allocated next is in the file. */
bool overflow_begun(struct overflow *o);

/*
 * So many bytes of what lies in it were used, and will not be used soon.  @o may be NULL.  Any
 * thread may call it.
 */
void overflow_pass(struct overflow *o, u64 bytes);

/**
 * struct arena - memory of one thread
 * @at: the next allocation; memory up to @end is free
 * @overflow: where memory beyond its limit is; NULL: there is no limit
 * @scattered: what lies there is used in no order, or in turn with what is used in order: the
 *	kernel has one place in a file behind which it reads ahead, so it shall not for this
 */
struct arena {
	char *at;
	char *end;
	struct arena_chunk *chunks;
	struct overflow *overflow;
	bool scattered;
};

/* Allocate @bytes at a multiple of @align; NULL: out of memory. */
void *arena_alloc(struct arena *a, size_t bytes, size_t align);
/* The same of zeros, for any structure. */
void *arena_zalloc(struct arena *a, size_t bytes);
/* Move the chunks of @from, of the same overflow, to @a, for example at the end of a thread. */
void arena_join(struct arena *a, struct arena *from);
/*
 * Free an arena of small structures little by little, in the order in which they were allocated:
 * arena_reverse() once, then arena_pass() for each structure before it is used the last time.
 */
void arena_reverse(struct arena *a);
void arena_pass(struct arena *a, const void *p);
/* Free all but what is in the overflow.  The arena can be used again. */
void arena_free(struct arena *a);

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

#endif /* DSFS_ARENA_H */
