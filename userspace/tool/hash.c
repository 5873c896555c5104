// SPDX-License-Identifier: GPL-2.0
/*
 * A hash table with linear probing.  A slot has 16 bits of the hash besides those that choose
 * the slot, so few values are compared in vain.  The other bits are not stored, because tables
 * of tens of millions of files have to be small.
 */
#include <stdlib.h>

#include "hash.h"

#define SLOTS_MIN	256
#define VALUE		((1ULL << HASH_VALUE_BITS) - 1)

static bool is_full(size_t slots, u64 n)
{
	return n > slots / 4 * 3;
}

int hash_init(struct hash *h, u64 n)
{
	size_t size = SLOTS_MIN;

	while (is_full(size, n))
		size *= 2;
	h->n = 0;
	h->mask = size - 1;
	h->slots = calloc(size, sizeof(*h->slots));
	return h->slots ? 0 : -ENOMEM;
}

void hash_free(struct hash *h)
{
	free(h->slots);
	h->slots = NULL;
	h->n = 0;
}

u64 hash_next(const struct hash *h, u64 hash, size_t *cursor)
{
	for (;;) {
		u64 slot = h->slots[(hash + *cursor) & h->mask];

		if (!slot)
			return 0;
		++*cursor;
		if (slot >> HASH_VALUE_BITS == hash >> HASH_VALUE_BITS)
			return slot & VALUE;
	}
}

static void put(struct hash *h, u64 hash, u64 value)
{
	size_t i = hash & h->mask;

	while (h->slots[i])
		i = (i + 1) & h->mask;
	h->slots[i] = hash >> HASH_VALUE_BITS << HASH_VALUE_BITS | value;
	h->n++;
}

static int grow(struct hash *h)
{
	struct hash more = { .of = h->of, .ctx = h->ctx };

	if (!h->of || hash_init(&more, 2 * h->n))
		return -ENOMEM;
	for (size_t i = 0; i <= h->mask; i++) {
		u64 value = h->slots[i] & VALUE;

		if (value)
			put(&more, h->of(h->ctx, value), value);
	}
	free(h->slots);
	*h = more;
	return 0;
}

int hash_add(struct hash *h, u64 hash, u64 value)
{
	if (is_full(h->mask + 1, h->n + 1) && grow(h))
		return -ENOMEM;
	put(h, hash, value);
	return 0;
}
