// SPDX-License-Identifier: GPL-2.0
/*
 * Arrays that grow by half, so that a record is moved two times on average
 * and a third of the memory is unused at most.
 */
#include <stdlib.h>
#include <string.h>

#include "array.h"

#define RECORDS_MIN	64

void *array_add(struct array *a)
{
	void *p;

	if (a->n == a->cap) {
		size_t cap = a->cap ? a->cap + a->cap / 2 : RECORDS_MIN;
		char *more = realloc(a->p, cap * a->size);

		if (!more)
			return NULL;
		a->p = more;
		a->cap = cap;
	}
	p = a->p + a->n++ * a->size;
	memset(p, 0, a->size);
	return p;
}

void array_free(struct array *a)
{
	free(a->p);
	a->p = NULL;
	a->n = 0;
	a->cap = 0;
}
