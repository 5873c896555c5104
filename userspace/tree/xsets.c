// SPDX-License-Identifier: GPL-2.0
/*
 * What many nodes have in common, stored once and known by a number.  The numbers of owners depend
 * on the order of threads; write/layout.c gives others in the order of inodes for the image.  Most
 * sets of xattrs are equal (a security label on a million files), so each is found by its bytes.
 */
#include "format.h"
#include "xsets.h"

int owners_init(struct owners *o)
{
	pthread_mutex_init(&o->lock, NULL);
	return table_init(&o->table, sizeof(struct owner), offsetof(struct owner, final));
}

void owners_free(struct owners *o)
{
	pthread_mutex_destroy(&o->lock);
	table_free(&o->table);
}

s64 owners_get(struct owners *o, u32 uid, u32 gid)
{
	const struct owner key = { .uid = uid, .gid = gid };
	struct owner *own;
	s64 ret;

	pthread_mutex_lock(&o->lock);
	own = table_find(&o->table, &key) ?: table_add(&o->table, &key);
	ret = own ? own - owners_at(o, 0) : -ENOMEM;
	pthread_mutex_unlock(&o->lock);
	return ret;
}

int xsets_init(struct xsets *x, struct overflow *overflow)
{
	*x = (struct xsets){ .list.size = sizeof(struct xset), .arena.overflow = overflow };
	pthread_mutex_init(&x->lock, NULL);
	return hash_init(&x->numbers, 0);
}

void xsets_free(struct xsets *x)
{
	pthread_mutex_destroy(&x->lock);
	array_free(&x->list);
	arena_free(&x->arena);
	hash_free(&x->numbers);
}

/* Find a set.  Return: its number; 0: none. */
static u32 xsets_find(const struct xsets *x, u64 hash, const void *p, u32 bytes)
{
	size_t cursor = 0;
	u32 number;

	while ((number = hash_next(&x->numbers, hash, &cursor))) {
		const struct xset *s = xsets_at(x, number);

		if (s->bytes == bytes && !memcmp(s->p, p, bytes))
			break;
	}
	return number;
}

int xsets_get(struct xsets *x, const void *p, u32 bytes, u32 *number)
{
	u64 hash = XXH3_64bits(p, bytes);
	struct xset *s;
	char *copy;

	*number = xsets_find(x, hash, p, bytes);
	if (*number)
		return 0;
	copy = arena_alloc(&x->arena, bytes, 4);
	s = copy ? array_add(&x->list) : NULL;
	if (!s)
		return -ENOMEM;
	memcpy(copy, p, bytes);
	s->p = copy;
	s->bytes = bytes;
	if (hash_add(&x->numbers, hash, x->list.n)) {
		x->list.n--;
		return -ENOMEM;
	}
	*number = x->list.n;
	return 0;
}
