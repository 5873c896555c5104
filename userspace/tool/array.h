/* SPDX-License-Identifier: GPL-2.0 */
/* The growing array of all tools: records of one size. */
#ifndef DSFS_ARRAY_H
#define DSFS_ARRAY_H

#include "dsfs_platform.h"

/**
 * struct array - a growing array
 * @p: @n contiguous records; moves when the array grows
 * @cap: number of records that the memory is sufficient for
 * @size: bytes of a record, set before the first one is added
 */
struct array {
	void *p;
	size_t n;
	size_t cap;
	size_t size;
};

/* Add a zeroed record.  NULL: out of memory. */
void *array_add(struct array *a);
/* Add a copy of a record.  Return: 0 or -ENOMEM. */
int array_append(struct array *a, const void *record);
void array_sort(struct array *a, int (*cmp)(const void *, const void *));
/* The same, with an argument for @cmp. */
typedef int array_order_fn(const void *a, const void *b, void *arg);
void array_sort_by(struct array *a, array_order_fn *cmp, void *arg);

/* Of numbers, for such a @cmp. */
static inline int array_order(u64 a, u64 b)
{
	return (a > b) - (a < b);
}

/* Free the memory; @size stays, so records can be added again. */
void array_free(struct array *a);

#endif /* DSFS_ARRAY_H */
