/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that is given back all at once.
 */
#ifndef MKFS_ARENA_H
#define MKFS_ARENA_H

#include <stddef.h>

/**
 * struct arena - pieces of memory, of one thread
 * @at: the next piece comes from here; up to @end is free
 */
struct arena {
	char *at;
	char *end;
	struct arena_chunk *chunks;
};

/* @bytes that begin at a multiple of @align; NULL: out of memory. */
void *arena_alloc(struct arena *a, size_t bytes, size_t align);
/* Hand the chunks of @from to @a; threads end, what they made stays. */
void arena_join(struct arena *a, struct arena *from);
void arena_free(struct arena *a);

#endif /* MKFS_ARENA_H */
