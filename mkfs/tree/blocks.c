// SPDX-License-Identifier: GPL-2.0
/*
 * Arrays of tens of millions of records.  One that grows by realloc() has to be in memory.
 */
#include "blocks.h"

void *blocks_add(struct blocks *b, struct arena *a)
{
	char *block;

	if (b->n % BLOCK_RECORDS)
		return blocks_at(b, b->n++);
	b->list.size = sizeof(block);
	block = arena_zalloc(a, BLOCK_RECORDS * b->size);
	if (!block || array_append(&b->list, &block))
		return NULL;
	b->n++;
	return block;
}

void blocks_free(struct blocks *b)
{
	array_free(&b->list);
	b->n = 0;
}
