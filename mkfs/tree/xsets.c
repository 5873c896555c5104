// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of extended attributes are mostly alike (a security label on a million
 * files), so each is kept once and found again by its bytes.
 */
#include <stdlib.h>

#include "libdsfs.h"
#include "xsets.h"

int xsets_init(struct xsets *x)
{
	*x = (struct xsets){ .list.size = sizeof(struct xset), .mask = 255 };
	pthread_mutex_init(&x->lock, NULL);
	x->slots = calloc(x->mask + 1, sizeof(*x->slots));
	return x->slots ? 0 : -ENOMEM;
}

void xsets_free(struct xsets *x)
{
	pthread_mutex_destroy(&x->lock);
	array_free(&x->list);
	arena_free(&x->arena);
	free(x->slots);
}

static u32 *xsets_slot(const struct xsets *x, u64 hash, const void *p,
		       u32 bytes)
{
	size_t i = hash & x->mask;

	for (; x->slots[i]; i = (i + 1) & x->mask) {
		const struct xset *s = xsets_at(x, x->slots[i]);

		if (s->hash == hash && s->bytes == bytes &&
		    !memcmp(s->p, p, bytes))
			break;
	}
	return &x->slots[i];
}

static int xsets_grow(struct xsets *x)
{
	size_t size = (x->mask + 1) * 2;
	u32 *more = calloc(size, sizeof(*more));

	if (!more)
		return -ENOMEM;
	free(x->slots);
	x->slots = more;
	x->mask = size - 1;
	for (u32 i = 1; i <= x->list.n; i++) {
		const struct xset *s = xsets_at(x, i);

		*xsets_slot(x, s->hash, s->p, s->bytes) = i;
	}
	return 0;
}

int xsets_get(struct xsets *x, const void *p, u32 bytes, u32 *number)
{
	u64 hash = XXH3_64bits(p, bytes);
	struct xset *s;
	u32 *slot;

	if (x->list.n * 2 > x->mask && xsets_grow(x))
		return -ENOMEM;
	slot = xsets_slot(x, hash, p, bytes);
	if (!*slot) {
		char *copy = arena_alloc(&x->arena, bytes, 4);

		s = copy ? array_add(&x->list) : NULL;
		if (!s)
			return -ENOMEM;
		memcpy(copy, p, bytes);
		s->p = copy;
		s->hash = hash;
		s->bytes = bytes;
		*slot = x->list.n;
	}
	*number = *slot;
	return 0;
}
