// SPDX-License-Identifier: GPL-2.0
/*
 * A hash table with linear probing.  A slot has 16 bits of the hash besides those that choose
 * the slot, so few values are compared in vain.  The other bits are not stored, because tables
 * of tens of millions of files have to be small.  For the same reason the number of slots is not
 * a power of two: such a table may have twice the slots that it needs.
 */
#include <stdlib.h>

#include "hash.h"

#define SLOTS_MIN	256
#define VALUE		((1ULL << HASH_VALUE_BITS) - 1)
#define CHOOSING_BITS	31	/* their product with a number of slots fits into 64 bits */
#define CHOOSING	((1ULL << CHOOSING_BITS) - 1)

static bool is_full(size_t slots, u64 n)
{
	return n > slots / 8 * 7;
}

int hash_init(struct hash *h, u64 n)
{
	h->n = 0;
	h->size = is_full(SLOTS_MIN, n) ? (n + 6) / 7 * 8 : SLOTS_MIN;
	h->slots = calloc(h->size, sizeof(*h->slots));
	return h->slots ? 0 : -ENOMEM;
}

void hash_free(struct hash *h)
{
	free(h->slots);
	h->slots = NULL;
	h->n = 0;
}

/* The first slot of a hash.  Its lower bits choose, as the upper ones are in the slot. */
static size_t first_slot(const struct hash *h, u64 hash)
{
	return ((hash & CHOOSING) * h->size) >> CHOOSING_BITS;
}

u64 hash_next(const struct hash *h, u64 hash, size_t *cursor)
{
	size_t i = first_slot(h, hash) + *cursor;

	for (i -= i < h->size ? 0 : h->size;; i = i + 1 < h->size ? i + 1 : 0) {
		const u64 slot = h->slots[i];

		if (!slot)
			return 0;
		++*cursor;
		if (slot >> HASH_VALUE_BITS == hash >> HASH_VALUE_BITS)
			return slot & VALUE;
	}
}

static void put(struct hash *h, u64 hash, u64 value)
{
	size_t i = first_slot(h, hash);

	while (h->slots[i])
		i = i + 1 < h->size ? i + 1 : 0;
	h->slots[i] = hash >> HASH_VALUE_BITS << HASH_VALUE_BITS | value;
	h->n++;
}

static int grow(struct hash *h)
{
	struct hash more = { .of = h->of, .ctx = h->ctx };

	if (!h->of || hash_init(&more, 2 * h->n))
		return -ENOMEM;
	for (size_t i = 0; i < h->size; i++) {
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
	if (is_full(h->size, h->n + 1) && grow(h))
		return -ENOMEM;
	put(h, hash, value);
	return 0;
}
