// SPDX-License-Identifier: GPL-2.0
/*
 * The sorter: records of one number come together, in the order in which they were added, whole;
 * and a file that cannot be written gives an error message.
 */
#include "tree/sorter.h"
#include "mkfs.h"

#include <stdio.h>

#define NUMBERS	1000	/* some parts have four of them, others three */
#define RECORDS	700000	/* more than the parts have memory for */

static struct sorter s;

/* struct record - the @place-th record, of @number, and bytes behind it, as many as @place says */
struct record {
	u32 number;
	u32 place;
	char text[];
};

static const char text[16] = "0123456789abcdef";

static u32 number_of(u32 place)
{
	return place * 7919U % NUMBERS;
}

static int add_records(u32 n)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < n; i++) {
		const struct record r = { number_of(i), i };

		ret = sorter_add(&s, r.number, &r, sizeof(r), text, i % sizeof(text));
	}
	return ret;
}

/* struct given - what came back */
struct given {
	bool seen[NUMBERS];
	u32 number;
	u32 place;
	unsigned int n;
	unsigned int wrong;
};

static int take(void *given, void *p)
{
	struct given *g = given;
	const struct record *r = p;

	if (!g->n || r->number != g->number)
		g->wrong += g->seen[r->number];
	else
		g->wrong += r->place <= g->place;
	g->wrong += (uintptr_t)p % 8 || r->number != number_of(r->place) ||
		    memcmp(r->text, text, r->place % sizeof(text));
	g->seen[r->number] = true;
	g->number = r->number;
	g->place = r->place;
	return ++g->n == RECORDS + 1 ? -ECANCELED : 0;
}

static void add_too_much(void *ret)
{
	*(int *)ret = add_records(UINT32_MAX);
}

TESTS(sorter)
{
	struct given given = { 0 };
	long said;
	int ret;

	sorter_init(&s);
	OK(!add_records(RECORDS) && s.n == RECORDS, "sorter: more than its memory");
	OK(!sorter_each(&s, take, &given) && given.n == RECORDS && !given.wrong,
	   "sorter: all of it, sorted");
	OK(!sorter_each(&s, take, &given) && given.n == RECORDS && !s.n, "sorter: once");
	OK(!add_records(1) && sorter_each(&s, take, &given) == -ECANCELED,
	   "sorter: what is said of a record ends it");
	sorter_free(&s);
	sorter_init(&s);
	said = unit_full_disk(1 << 18, add_too_much, &ret);
	OK(ret == -EFBIG && said > 0, "sorter: a file that cannot be written is said");
	sorter_free(&s);
}
