// SPDX-License-Identifier: GPL-2.0
/*
 * A table is an array beside a hash: records have numbers, in the order in which they came, and
 * those that are equal are stored once.
 */
#include "table.h"

static void *record(const struct table *t, u64 number)
{
	return (char *)t->list.p + (number - 1) * t->list.size;
}

int table_init(struct table *t, size_t size, size_t key)
{
	*t = (struct table){ .list.size = size, .key = key };
	return hash_init(&t->numbers, 0);
}

void table_free(struct table *t)
{
	hash_free(&t->numbers);
	array_free(&t->list);
}

void *table_find(const struct table *t, const void *key)
{
	const u64 hash = XXH3_64bits(key, t->key);
	size_t cursor = 0;
	u64 number;

	while ((number = hash_next(&t->numbers, hash, &cursor))) {
		if (!memcmp(record(t, number), key, t->key))
			return record(t, number);
	}
	return NULL;
}

void *table_add(struct table *t, const void *key)
{
	void *p = array_add(&t->list);

	if (!p)
		return NULL;
	memcpy(p, key, t->key);
	if (!hash_add(&t->numbers, XXH3_64bits(key, t->key), t->list.n))
		return p;
	t->list.n--;
	return NULL;
}
