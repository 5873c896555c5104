// SPDX-License-Identifier: GPL-2.0
/*
 * The hash table: it finds what was added, after it has grown, and with equal hashes.
 */
#include "hash.h"
#include "mkfs.h"

#define VALUES	10000

/* Few different slots, the last ones among them, and fewer different tags. */
static u64 poor_hash(const void *ctx, u64 value)
{
	(void)ctx;
	return value % 5 << HASH_VALUE_BITS | (0x7fffffff - (value % 300 << 20));
}

static unsigned int times_found(const struct hash *h, u64 value)
{
	unsigned int times = 0;
	size_t cursor = 0;
	u64 have;

	while ((have = hash_next(h, poor_hash(NULL, value), &cursor)))
		times += have == value;
	return times;
}

TESTS(hash)
{
	struct hash h = { .of = poor_hash };
	u64 most = (1ULL << HASH_VALUE_BITS) - 1;
	unsigned int lost = 0, invented;
	size_t cursor = 0;

	if (!OK(!hash_init(&h, 0), "hash: an empty table"))
		return;
	OK(!hash_next(&h, 1, &cursor), "hash: has nothing");
	for (u64 i = 1; i <= VALUES; i++)
		lost += hash_add(&h, poor_hash(NULL, i), i) != 0;
	for (u64 i = 1; i <= VALUES; i += 7)
		lost += times_found(&h, i) != 1;
	invented = times_found(&h, VALUES + 1);
	OK(!lost && !invented && h.n == VALUES, "hash: each value once, and no other");
	OK(!hash_add(&h, poor_hash(NULL, most), most) && times_found(&h, most) == 1,
	   "hash: the largest value");
	hash_free(&h);
	h.of = NULL;
	if (!OK(!hash_init(&h, 224), "hash: one that must not grow"))
		return;
	for (u64 i = 1; i <= 224; i++)
		lost += hash_add(&h, i, i) != 0;
	OK(!lost, "hash: takes what it was made for");
	cursor = 0;
	OK(!hash_next(&h, 5 | 1ULL << HASH_VALUE_BITS, &cursor),
	   "hash: nothing for a hash that differs in its upper bits");
	OK(hash_add(&h, 225, 225) == -ENOMEM && h.n == 224, "hash: and no more");
	hash_free(&h);
}
