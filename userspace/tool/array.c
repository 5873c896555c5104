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
#include "memory.h"

#define RECORDS_MIN	64

/* Room for one more; NULL: out of memory. */
static void *next_record(struct array *a)
{
	if (a->n == a->cap) {
		size_t cap = a->cap ? a->cap + a->cap / 2 : RECORDS_MIN;
		void *more = memory_resize(a->p, cap * a->size);

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

static void swap(char *a, char *b, size_t size)
{
	char was[256];

	if (a == b)
		return;
	memcpy(was, a, size);
	memcpy(a, b, size);
	memcpy(b, was, size);
}

/* Put records below one of them in front.  Return: index of the first one behind. */
static size_t divide(char *p, size_t n, size_t size, int (*cmp)(const void *, const void *),
		     size_t pivot)
{
	char *lo = p, *hi = p + n * size;

	/* the first one is the pivot, and ends both searches */
	swap(p, p + pivot * size, size);
	for (;;) {
		do
			lo += size;
		while (lo < hi && cmp(lo, p) < 0);
		do
			hi -= size;
		while (cmp(hi, p) > 0);
		if (lo >= hi)
			break;
		swap(lo, hi, size);
	}
	swap(p, hi, size);
	return (hi - p) / size;
}

/*
 * Quicksort, which goes through the records in order: qsort(3) may need as much memory as they
 * have.  The pivot is at random, so there is no order that takes long.
 */
static void sort(char *p, size_t n, size_t size, int (*cmp)(const void *, const void *))
{
	u32 random = 1;

	while (n > 1) {
		size_t mid;

		random = random * 1664525 + 1013904223;
		mid = divide(p, n, size, cmp, ((u64)random * n) >> 32);
		/* the smaller side first, so that this is not deep */
		if (mid < n / 2) {
			sort(p, mid, size, cmp);
			p += (mid + 1) * size;
			n -= mid + 1;
		} else {
			sort(p + (mid + 1) * size, n - mid - 1, size, cmp);
			n = mid;
		}
	}
}

void array_sort(struct array *a, int (*cmp)(const void *, const void *))
{
	if (a->n > 1 && !in_order(a, cmp))
		sort(a->p, a->n, a->size, cmp);
}

void array_free(struct array *a)
{
	memory_free(a->p);
	a->p = NULL;
	a->n = 0;
	a->cap = 0;
}
