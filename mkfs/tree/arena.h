/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arenas: memory that is freed all at once.
 */
#ifndef MKFS_ARENA_H
#define MKFS_ARENA_H

#include <stddef.h>

struct overflow;

/**
 * struct arena - memory of one thread
 * @at: the next allocation; memory up to @end is free
 * @overflow: where memory beyond its limit is; NULL: there is no limit
 */
struct arena {
	char *at;
	char *end;
	struct arena_chunk *chunks;
	struct overflow *overflow;
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

#endif /* MKFS_ARENA_H */
