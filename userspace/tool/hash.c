// SPDX-License-Identifier: GPL-2.0
/*
 * A hash table with linear probing, of tens of millions of files, so it has to be small and to grow
 * without its values being read again: those are records on a disk, in no order.
 *
 * A slot has the upper bits of the hash, as many as the values leave.  They choose the slot, too,
 * by a product that keeps their order: a larger table is made by going through the smaller one, and
 * both are used from front to end.  The table is in parts, of which one grows at a time, by a
 * quarter: twice the memory is never needed.
 */
#include "hash.h"
#include "memory.h"

#define SLOTS_MIN	8
#define BITS_MIN	16

static bool is_full(u64 slots, u64 n)
{
	return n > slots / 8 * 7;
}

static u64 value_mask(const struct hash_part *p)
{
	return (1ULL << p->bits) - 1;
}

static struct hash_part *part_of(const struct hash *h, u64 hash)
{
	return (struct hash_part *)&h->parts[hash % HASH_PARTS];
}

static u32 first_slot(const struct hash_part *p, u64 hash)
{
	return ((hash >> 32) * p->size) >> 32;
}

static void put(struct hash_part *p, u64 slot)
{
	u32 i = first_slot(p, slot);

	while (p->slots[i])
		i = i + 1 < p->size ? i + 1 : 0;
	p->slots[i] = slot;
	p->n++;
}

/* Make room for @n values of up to @bits bits.  A slot's upper bits are those of the hash still. */
static int grow(struct hash_part *p, u64 n, u8 bits)
{
	struct hash_part more = { .bits = bits, .size = n / 7 * 8 + SLOTS_MIN };
	const u64 mask = value_mask(p);

	more.slots = n > U32_MAX / 2 ? NULL : memory_alloc(more.size * sizeof(*more.slots));
	if (!more.slots)
		return -ENOMEM;
	for (u32 i = 0; i < p->size; i++) {
		const u64 slot = p->slots[i];

		if (slot)
			put(&more, slot >> bits << bits | (slot & mask));
	}
	memory_free(p->slots);
	*p = more;
	return 0;
}

int hash_init(struct hash *h, u64 n)
{
	/* what parts have more than others, nearly never */
	const u64 each = n / HASH_PARTS, most = each + each / 64;
	int ret = 0;

	memset(h, 0, sizeof(*h));
	for (unsigned int i = 0; !ret && n > HASH_PARTS && i < HASH_PARTS; i++)
		ret = grow(&h->parts[i], most, BITS_MIN);
	return ret;
}

void hash_free(struct hash *h)
{
	for (unsigned int i = 0; i < HASH_PARTS; i++)
		memory_free(h->parts[i].slots);
	memset(h, 0, sizeof(*h));
}

u32 hash_next(const struct hash *h, u64 hash, size_t *cursor)
{
	const struct hash_part *p = part_of(h, hash);
	u64 i;

	if (!p->n)
		return 0;
	i = first_slot(p, hash) + *cursor;
	for (i -= i < p->size ? 0 : p->size;; i = i + 1 < p->size ? i + 1 : 0) {
		const u64 slot = p->slots[i];

		if (!slot)
			return 0;
		++*cursor;
		if (slot >> p->bits == hash >> p->bits)
			return slot & value_mask(p);
	}
}

static u8 bits_of(u32 value)
{
	return 32 - __builtin_clz(value);
}

int hash_add(struct hash *h, u64 hash, u32 value)
{
	struct hash_part *p = part_of(h, hash);
	u8 bits = p->bits < BITS_MIN ? BITS_MIN : p->bits;
	const bool full = is_full(p->size, p->n + 1ULL);

	/* a bit more than is needed, as the next values will be larger */
	if (bits_of(value) > bits)
		bits = bits_of(value) < 32 ? bits_of(value) + 1 : 32;
	if ((full || bits > p->bits) && grow(p, full ? p->n + p->n / 4 : p->n, bits))
		return -ENOMEM;
	put(p, hash >> p->bits << p->bits | value);
	return 0;
}
