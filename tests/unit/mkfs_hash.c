// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of many values: each one is found while they grow, by nothing but its hash, and few others
 * are; and what exceeds the limit is not in memory.
 */
#include "format.h"
#include "hash.h"
#include "memory.h"
#include "mkfs.h"

#define VALUES	300000

static u64 hash_of(u32 value)
{
	return XXH3_64bits(&value, sizeof(value));
}

/* How many values that are in the table are not found; @others: those that were by their hash */
static u32 missing(const struct hash *h, u32 values, u32 *others)
{
	u32 missed = 0;

	*others = 0;
	for (u32 v = 1; v <= values; v++) {
		size_t cursor = 0;
		u32 found;

		while ((found = hash_next(h, hash_of(v), &cursor)) && found != v)
			++*others;
		missed += !found;
	}
	return missed;
}

static void test_grow(u64 room)
{
	u64 slots = 0;
	struct hash h;
	u32 others, missed = 0;

	OK(!hash_init(&h, room), "hash: room for %llu", room);
	for (u32 v = 1; v <= VALUES; v++) {
		missed += !!hash_add(&h, hash_of(v), v);
		if (!(v & (v - 1)))
			missed += missing(&h, v, &others);
	}
	missed += missing(&h, VALUES, &others);
	OK(!missed, "hash: all values are found as it grows");
	OK(others < 4, "hash: few others are: %u", others);
	for (unsigned int i = 0; i < HASH_PARTS; i++)
		slots += h.parts[i].size;
	OK(slots < VALUES * 10 / 7, "hash: little room is left: %llu slots", slots);
	hash_free(&h);
}

static void test_limit(void)
{
	const u64 bytes = 8 << 20;
	char *p = memory_alloc(bytes), *q;

	OK(p, "memory: without a limit");
	p[bytes - 1] = 1;
	memory_limit(bytes);
	OK(!memory_take(1), "memory: a limit is reached");
	q = memory_resize(p, 2 * bytes);
	OK(q && q[bytes - 1] && !q[2 * bytes - 1], "memory: what moves to a file stays as it is");
	OK(memory_take(bytes), "memory: what is in a file does not count");
	memory_give(bytes);
	memory_free(q);
	memory_limit(UINT64_MAX);
}

TESTS(hash)
{
	test_grow(0);
	test_grow(VALUES);
	test_limit();
}
