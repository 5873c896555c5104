// SPDX-License-Identifier: GPL-2.0
/*
 * Memory beyond a limit.  A tree of hundreds of millions of files is larger than the memory of
 * many machines, but it is used directory by directory, in one order.  So it may lie in a file,
 * of which a process has no more in memory than what it is about to use.
 *
 * Tables are used in no order, so they have a right to memory before the tree, whose limit is a
 * part of that of the process.
 */
#include "memory.h"
#include "overflow.h"

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

static int add_segment(struct overflow *o, size_t bytes)
{
	struct overflow_segment s = {
		.bytes = bytes < OVERFLOW_SEGMENT ? OVERFLOW_SEGMENT : bytes,
	};

	give_up(o);
	s.p = memory_map(s.bytes, true);
	if (!s.p)
		return -ENOMEM;
	o->at = 0;
	if (!array_append(&o->segments, &s))
		return 0;
	memory_unmap(s.p, s.bytes);
	return -ENOMEM;
}

/* Memory of the file; NULL: there will be no more. */
static void *take(struct overflow *o, size_t bytes)
{
	const struct overflow_segment *last = o->segments.n ?
					      segment_at(o, o->segments.n - 1) : NULL;
	char *p;

	if (!last || o->at + bytes > last->bytes) {
		if (add_segment(o, bytes))
			return NULL;
		last = segment_at(o, o->segments.n - 1);
	}
	p = last->p + o->at;
	o->at += (bytes + 15) & ~15ULL;
	return p;
}

void *overflow_alloc(struct overflow *o, size_t bytes)
{
	void *p = NULL;

	pthread_mutex_lock(&o->lock);
	if (o->memory + bytes > o->limit || !memory_take(bytes)) {
		p = memory_has_file() ? take(o, bytes) : NULL;
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
