// SPDX-License-Identifier: GPL-2.0
/*
 * Arenas.  A tree has tens of millions of small allocations that live as long
 * as it does, and malloc() would add 16 bytes to each.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "overflow.h"

/* With what malloc() adds, so much that it is mapped by itself: freed, it is the system's. */
#define CHUNK_BYTES	((1 << 20) - 64)

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
	char bytes[];
};

static char *arena_chunk(struct arena *a, size_t bytes)
{
	struct arena_chunk *c = a->overflow ? overflow_alloc(a->overflow, bytes) : NULL;

	if (c)
		return (char *)c;
	c = malloc(sizeof(*c) + bytes);
	if (!c)
		return NULL;
	c->next = a->chunks;
	c->size = bytes;
	a->chunks = c;
	return c->bytes;
}

static void chunk_free(struct arena *a, struct arena_chunk *c)
{
	if (a->overflow)
		overflow_give(a->overflow, c->size);
	free(c);
}

void *arena_alloc(struct arena *a, size_t bytes, size_t align)
{
	char *p = (char *)(((uintptr_t)a->at + align - 1) & ~(align - 1));

	if (a->at && p + bytes <= a->end) {
		a->at = p + bytes;
		return p;
	}
	/* a large allocation has a chunk of its own, so that the rest of a chunk is not wasted */
	if (bytes > CHUNK_BYTES / 8) {
		p = arena_chunk(a, bytes + align);
		return p ? (void *)(((uintptr_t)p + align - 1) & ~(align - 1)) :
			   NULL;
	}
	p = arena_chunk(a, CHUNK_BYTES);
	if (!p)
		return NULL;
	a->end = p + CHUNK_BYTES;
	p = (char *)(((uintptr_t)p + align - 1) & ~(align - 1));
	a->at = p + bytes;
	return p;
}

void *arena_zalloc(struct arena *a, size_t bytes)
{
	void *p = arena_alloc(a, bytes, 8);

	return p ? memset(p, 0, bytes) : NULL;
}

void arena_join(struct arena *a, struct arena *from)
{
	struct arena_chunk **last = &from->chunks;

	while (*last)
		last = &(*last)->next;
	*last = a->chunks;
	a->chunks = from->chunks;
	*from = (struct arena){ .overflow = from->overflow };
}

void arena_reverse(struct arena *a)
{
	struct arena_chunk *c = a->chunks, *next;

	a->chunks = NULL;
	for (; c; c = next) {
		next = c->next;
		c->next = a->chunks;
		a->chunks = c;
	}
}

void arena_pass(struct arena *a, const void *p)
{
	struct arena_chunk *first = a->chunks, *c = first ? first->next : NULL;

	if (!c || (uintptr_t)p - (uintptr_t)c->bytes >= CHUNK_BYTES)
		return;
	a->chunks = c;
	chunk_free(a, first);
}

void arena_free(struct arena *a)
{
	struct arena_chunk *c, *next;

	for (c = a->chunks; c; c = next) {
		next = c->next;
		chunk_free(a, c);
	}
	*a = (struct arena){ .overflow = a->overflow };
}
