/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An array of fixed-size records that grows.
 */
#ifndef DSFS_ARRAY_H
#define DSFS_ARRAY_H

#include <stddef.h>

/**
 * struct array - the records
 * @p: @n of them, one behind the other; it moves when the array grows
 * @cap: records that there is memory for
 * @size: bytes of a record, set before the first is added
 */
struct array {
	char *p;
	size_t n;
	size_t cap;
	size_t size;
};

/* One more record, zeroed; NULL: out of memory. */
void *array_add(struct array *a);
/* Give back the memory; the size stays, so records can be added again. */
void array_free(struct array *a);

#endif /* DSFS_ARRAY_H */
