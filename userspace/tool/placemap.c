// SPDX-License-Identifier: GPL-2.0
/*
 * A map of stored data.  Files that store the same bytes have one place in an image, within a
 * generation and in several, so a place stands for its content, and nothing has to be read to
 * know that two files have the same one.
 *
 * The length is a part of the key: a file of one generation may begin where a longer one of
 * another generation does.
 */
#include "placemap.h"

static u64 hash_start(u64 start)
{
	return XXH3_64bits(&start, sizeof(start));
}

static struct placemap_key *record(const struct placemap *m, u64 number)
{
	return (struct placemap_key *)(m->list.p + (number - 1) * m->list.size);
}

static u64 hash_number(const void *map, u64 number)
{
	return hash_start(record(map, number)->start);
}

int placemap_init(struct placemap *m, size_t size)
{
	*m = (struct placemap){ .list.size = size };
	m->numbers = (struct hash){ .of = hash_number, .ctx = m };
	return hash_init(&m->numbers, 0);
}

void placemap_free(struct placemap *m)
{
	hash_free(&m->numbers);
	array_free(&m->list);
}

void *placemap_find(const struct placemap *m, u64 start, u64 stored)
{
	size_t cursor = 0;
	u64 number;

	while ((number = hash_next(&m->numbers, hash_start(start), &cursor))) {
		struct placemap_key *key = record(m, number);

		if (key->start == start && key->stored == stored)
			return key;
	}
	return NULL;
}

void *placemap_add(struct placemap *m, u64 start, u64 stored)
{
	struct placemap_key *key = array_add(&m->list);

	if (!key)
		return NULL;
	key->start = start;
	key->stored = stored;
	return hash_add(&m->numbers, hash_start(start), m->list.n) ? NULL : key;
}
