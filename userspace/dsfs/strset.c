// SPDX-License-Identifier: GPL-2.0
/*
 * A set of strings: open addressing, at most half full.
 */
#include <stdlib.h>

#include "strset.h"

#define SLOTS_MIN	1024

static u32 *strset_slot(const struct strset *set, const char *s, size_t len)
{
	size_t i = xxh64(s, len, 0);
	u32 *slot;

	for (;; i++) {
		slot = &set->slots[i & set->mask];
		if (!*slot)
			return slot;
		if (!strncmp(set->v[*slot - 1], s, len) &&
		    !set->v[*slot - 1][len])
			return slot;
	}
}

static int strset_grow(struct strset *set)
{
	const size_t slots = set->slots ? 2 * (set->mask + 1) : SLOTS_MIN;
	char **v = realloc(set->v, slots / 2 * sizeof(*v));
	u32 *old = set->slots;

	if (!v)
		return -ENOMEM;
	set->v = v;
	set->slots = calloc(slots, sizeof(*set->slots));
	if (!set->slots) {
		set->slots = old;
		return -ENOMEM;
	}
	free(old);
	set->room = slots / 2;
	set->mask = slots - 1;
	for (size_t i = 0; i < set->nr; i++)
		*strset_slot(set, v[i], strlen(v[i])) = i + 1;
	return 0;
}

s64 strset_add(struct strset *set, const char *s, size_t len, bool *fresh)
{
	u32 *slot;

	if (set->nr == set->room && strset_grow(set))
		return -ENOMEM;
	slot = strset_slot(set, s, len);
	if (fresh)
		*fresh = !*slot;
	if (!*slot) {
		set->v[set->nr] = strndup(s, len);
		if (!set->v[set->nr])
			return -ENOMEM;
		*slot = ++set->nr;
	}
	return *slot - 1;
}

void strset_free(struct strset *set)
{
	for (size_t i = 0; i < set->nr; i++)
		free(set->v[i]);
	free(set->v);
	free(set->slots);
	*set = (struct strset){ };
}
