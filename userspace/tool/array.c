// SPDX-License-Identifier: GPL-2.0
/*
 * Arrays that grow by half, so that a record is moved two times on average
 * and a third of the memory is unused at most.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

#define RECORDS_MIN	64

/* Room for one more; NULL: out of memory. */
static void *next_record(struct array *a)
{
	if (a->n == a->cap) {
		size_t cap = a->cap ? a->cap + a->cap / 2 : RECORDS_MIN;
		void *more = realloc(a->p, cap * a->size);

		if (!more)
			return NULL;
		a->p = more;
		a->cap = cap;
	}
	return a->p + a->n++ * a->size;
}

void *array_add(struct array *a)
{
	void *p = next_record(a);

	return p ? memset(p, 0, a->size) : NULL;
}

int array_append(struct array *a, const void *record)
{
	void *p = next_record(a);

	if (!p)
		return -ENOMEM;
	memcpy(p, record, a->size);
	return 0;
}

static bool in_order(const struct array *a, int (*cmp)(const void *, const void *))
{
	const char *at = a->p;
	size_t i;

	for (i = 1; i < a->n; i++, at += a->size)
		if (cmp(at, at + a->size) > 0)
			return false;
	return true;
}

/* qsort(3) may need as much memory as the array has, and more time for what is in order. */
void array_sort(struct array *a, int (*cmp)(const void *, const void *))
{
	if (a->n > 1 && !in_order(a, cmp))
		qsort(a->p, a->n, a->size, cmp);
}

void array_free(struct array *a)
{
	free(a->p);
	a->p = NULL;
	a->n = 0;
	a->cap = 0;
}
