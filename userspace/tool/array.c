// SPDX-License-Identifier: GPL-2.0
/*
 * Arrays that grow by half, so that a record is moved two times on average
 * and a third of the memory is unused at most.
 */
#include "array.h"
#include "memory.h"

#define RECORDS_MIN	64
#define NEARLY		16	/* in order, but for one of so many */

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

/* What to sort by */
struct ordering {
	array_order_fn *cmp;
	void *arg;
};

static char *record_at(const struct array *a, size_t i)
{
	return a->p + i * a->size;
}

/*
 * Take out, to @out, what is larger than a record behind it; without @out, count it.  The others
 * are in order then, at the end of the array.  Return: how many are out.
 */
static size_t take_out(struct array *a, const struct ordering *by, char *out)
{
	const char *least = record_at(a, a->n - 1);
	size_t n = 0;

	for (size_t i = a->n - 1; i--;) {
		char *p = record_at(a, i);

		if (by->cmp(p, least, by->arg) > 0) {
			if (out)
				memcpy(out + n * a->size, p, a->size);
			n++;
		} else {
			least = p;
			if (out && n)
				least = memcpy(record_at(a, i + n), p, a->size);
		}
	}
	return n;
}

/* Merge @out, whose room at the front of an array is free, with the rest of that. */
static void put_back(struct array *a, const struct ordering *by, const struct array *out)
{
	size_t k = 0, from = out->n;

	for (size_t i = 0; k < out->n; i++) {
		const char *p = record_at(out, k);

		if (from < a->n && by->cmp(record_at(a, from), p, by->arg) <= 0)
			p = record_at(a, from++);
		else
			k++;
		memcpy(record_at(a, i), p, a->size);
	}
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
static size_t divide(char *p, size_t n, size_t size, array_order_fn *cmp, void *arg, size_t pivot)
{
	char *lo = p, *hi = p + n * size;

	/* the first one is the pivot, and ends both searches */
	swap(p, p + pivot * size, size);
	for (;;) {
		do
			lo += size;
		while (lo < hi && cmp(lo, p, arg) < 0);
		do
			hi -= size;
		while (cmp(hi, p, arg) > 0);
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
static void sort(char *p, size_t n, size_t size, array_order_fn *cmp, void *arg)
{
	u32 random = 1;

	while (n > 1) {
		size_t mid;

		random = random * 1664525 + 1013904223;
		mid = divide(p, n, size, cmp, arg, ((u64)random * n) >> 32);
		/* the smaller side first, so that this is not deep */
		if (mid < n / 2) {
			sort(p, mid, size, cmp, arg);
			p += (mid + 1) * size;
			n -= mid + 1;
		} else {
			sort(p + (mid + 1) * size, n - mid - 1, size, cmp, arg);
			n = mid;
		}
	}
}

/*
 * Lists of an update are in order but for what is new, which comes behind all of them: that is
 * sorted alone.
 */
void array_sort_by(struct array *a, array_order_fn *cmp, void *arg)
{
	const struct ordering by = { cmp, arg };
	struct array out = { .n = a->n > 1 ? take_out(a, &by, NULL) : 0, .size = a->size };

	if (!out.n)
		return;
	out.p = out.n <= a->n / NEARLY ? memory_alloc(out.n * out.size) : NULL;
	if (!out.p) {
		sort(a->p, a->n, a->size, cmp, arg);
		return;
	}
	take_out(a, &by, out.p);
	sort(out.p, out.n, out.size, cmp, arg);
	put_back(a, &by, &out);
	array_free(&out);
}

struct plain_order {
	int (*cmp)(const void *a, const void *b);
};

static int plain_cmp(const void *a, const void *b, void *arg)
{
	return ((const struct plain_order *)arg)->cmp(a, b);
}

void array_sort(struct array *a, int (*cmp)(const void *, const void *))
{
	struct plain_order by = { cmp };

	array_sort_by(a, plain_cmp, &by);
}

void array_free(struct array *a)
{
	memory_free(a->p);
	a->p = NULL;
	a->n = 0;
	a->cap = 0;
}
