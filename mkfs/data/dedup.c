// SPDX-License-Identifier: GPL-2.0
/*
 * Deduplication by whole contents.  The table only proposes; bytes decide, by
 * comparison with what is in the image.  So it can forget most of the hash:
 * 16 bits in a slot besides those that chose the slot, and the size and the
 * checksum that the node has anyway, leave hardly a false proposal.
 */
#include <stdlib.h>

#include "dedup.h"

#define ADDRESS_BITS	48
#define ADDRESS		((1ULL << ADDRESS_BITS) - 1)

int dedup_init(struct dedup *d, u64 files)
{
	size_t size = 1024;

	while (size / 4 * 3 < files)
		size *= 2;
	d->mask = size - 1;
	d->slots = calloc(size, sizeof(*d->slots));
	return d->slots ? 0 : -ENOMEM;
}

void dedup_free(struct dedup *d)
{
	free(d->slots);
}

struct node *dedup_next(const struct dedup *d, u64 hash, size_t *cursor)
{
	size_t i = (hash + *cursor) & d->mask;

	for (; d->slots[i]; i = (i + 1) & d->mask) {
		(*cursor)++;
		if (d->slots[i] >> ADDRESS_BITS == hash >> ADDRESS_BITS)
			return (struct node *)(uintptr_t)(d->slots[i] & ADDRESS);
	}
	return NULL;
}

void dedup_add(struct dedup *d, u64 hash, struct node *node)
{
	size_t i = hash & d->mask;

	while (d->slots[i])
		i = (i + 1) & d->mask;
	d->slots[i] = hash >> ADDRESS_BITS << ADDRESS_BITS |
		      ((uintptr_t)node & ADDRESS);
}
