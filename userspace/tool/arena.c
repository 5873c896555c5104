// SPDX-License-Identifier: GPL-2.0
/*
 * Memory beyond a limit.  A tree of hundreds of millions of files is larger than the memory of
 * many machines, but it is used directory by directory, in one order.  So it may lie in a file,
 * of which a process has no more in memory than what it is about to use.
 *
 * Tables are used in no order, so they have a right to memory before the tree, whose limit is a
 * part of that of the process.
 */
#include "arena.h"
#include "memory.h"

struct overflow_segment {
	char *p;
	size_t bytes;
};

void overflow_init(struct overflow *o, u64 limit)
{
	*o = (struct overflow){ .limit = limit };
	o->segments.size = sizeof(struct overflow_segment);
	pthread_mutex_init(&o->lock, NULL);
}

static struct overflow_segment *segment_at(const struct overflow *o, size_t i)
{
	return (struct overflow_segment *)o->segments.p + i;
}

void overflow_free(struct overflow *o)
{
	for (size_t i = 0; i < o->segments.n; i++)
		memory_unmap(segment_at(o, i)->p, segment_at(o, i)->bytes);
	array_free(&o->segments);
	memory_give(o->memory);
	pthread_mutex_destroy(&o->lock);
}

/* The pages leave this process.  The file has them, and as long as it can, the kernel. */
static void give_up(struct overflow *o)
{
	for (size_t i = 0; i < o->segments.n; i++)
		memory_pass(segment_at(o, i)->p, segment_at(o, i)->bytes);
	o->passed = 0;
}

static int add_segment(struct overflow *o, size_t bytes, bool in_order)
{
	struct overflow_segment s = {
		.bytes = bytes < OVERFLOW_SEGMENT ? OVERFLOW_SEGMENT : bytes,
	};

	give_up(o);
	s.p = memory_map(s.bytes, in_order);
	if (!s.p)
		return -ENOMEM;
	o->free[in_order] = (struct overflow_free){ s.p, s.bytes };
	if (!array_append(&o->segments, &s))
		return 0;
	memory_unmap(s.p, s.bytes);
	return -ENOMEM;
}

/* Memory of the file; NULL: there will be no more. */
static void *take(struct overflow *o, size_t bytes, bool in_order)
{
	struct overflow_free *f = &o->free[in_order];
	char *p;

	bytes = (bytes + 15) & ~15ULL;
	if (bytes > f->bytes && add_segment(o, bytes, in_order))
		return NULL;
	p = f->at;
	f->at += bytes;
	f->bytes -= bytes;
	return p;
}

void *overflow_alloc(struct overflow *o, size_t bytes, bool in_order)
{
	void *p = NULL;

	pthread_mutex_lock(&o->lock);
	if (o->memory + bytes > o->limit || !memory_take(bytes)) {
		p = memory_has_file() ? take(o, bytes, in_order) : NULL;
		if (!p)
			memory_force(bytes);
	}
	o->memory += p ? 0 : bytes;
	pthread_mutex_unlock(&o->lock);
	return p;
}

void overflow_give(struct overflow *o, size_t bytes)
{
	pthread_mutex_lock(&o->lock);
	o->memory -= bytes;
	pthread_mutex_unlock(&o->lock);
	memory_give(bytes);
}

bool overflow_begun(struct overflow *o)
{
	bool begun;

	pthread_mutex_lock(&o->lock);
	begun = o->segments.n && memory_has_file();
	pthread_mutex_unlock(&o->lock);
	return begun;
}

void overflow_pass(struct overflow *o, u64 bytes)
{
	if (!o)
		return;
	pthread_mutex_lock(&o->lock);
	o->passed += o->segments.n ? bytes : 0;
	if (o->passed > OVERFLOW_SEGMENT)
		give_up(o);
	pthread_mutex_unlock(&o->lock);
}

/*
 * Arenas.  A tree has tens of millions of small allocations that live as long
 * as it does, and malloc() would add 16 bytes to each.
 */

/* With what malloc() adds, so much that it is mapped by itself: freed, it is the system's. */
#define CHUNK_BYTES	((1 << 20) - 64)

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
	char bytes[];
};

static char *arena_chunk(struct arena *a, size_t bytes)
{
	struct arena_chunk *c = a->overflow ? overflow_alloc(a->overflow, bytes, !a->scattered) :
					       NULL;

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
	*from = (struct arena){ .overflow = from->overflow, .scattered = from->scattered };
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
	*a = (struct arena){ .overflow = a->overflow, .scattered = a->scattered };
}

/*
 * Arrays of tens of millions of records.  One that grows by realloc() has to be in memory.
 */

void *blocks_add(struct blocks *b, struct arena *a)
{
	char *block;

	if (b->n % BLOCK_RECORDS)
		return blocks_at(b, b->n++);
	b->list.size = sizeof(block);
	block = arena_zalloc(a, BLOCK_RECORDS * b->size);
	if (!block || array_append(&b->list, &block))
		return NULL;
	b->n++;
	return block;
}

void blocks_free(struct blocks *b)
{
	array_free(&b->list);
	b->n = 0;
}
