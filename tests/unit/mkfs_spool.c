// SPDX-License-Identifier: GPL-2.0
/*
 * Spools: what was added is read back, from memory and from the file, also after the end
 * was truncated; and a file that cannot be written gives an error message.
 */
#include "spool.h"
#include "mkfs.h"

#define NUMBERS	(3 * SPOOL_MEMORY / sizeof(u32))

static int add_numbers(struct spool *s, u32 from, u32 to)
{
	int ret = 0;

	for (u32 i = from; !ret && i < to; i++)
		ret = spool_add(s, &i, sizeof(i));
	return ret;
}

static unsigned int wrong_numbers(struct spool *s, u32 n)
{
	unsigned int wrong = 0;
	u32 have[1021];

	for (u32 at = 0; at < n; at += ARRAY_SIZE(have)) {
		u32 some = n - at < ARRAY_SIZE(have) ? n - at : ARRAY_SIZE(have);

		if (spool_read(s, at * sizeof(u32), have, some * sizeof(u32)))
			return n;
		for (u32 i = 0; i < some; i++)
			wrong += have[i] != at + i;
	}
	return wrong;
}

static void test_numbers(void)
{
	struct spool s;

	spool_init(&s, SPOOL_MEMORY);
	OK(!add_numbers(&s, 0, NUMBERS), "spool: takes more than its memory");
	OK(!wrong_numbers(&s, NUMBERS), "spool: gives it back");
	spool_cut(&s, 1000 * sizeof(u32));
	OK(!add_numbers(&s, 1000, NUMBERS), "spool: goes on where it was cut");
	OK(!wrong_numbers(&s, NUMBERS), "spool: gives that back");
	spool_free(&s);
}

static void add_too_much(void *arg)
{
	int *ret = arg;
	struct spool s;

	spool_init(&s, SPOOL_MEMORY);
	*ret = add_numbers(&s, 0, NUMBERS);
	spool_free(&s);
}

TESTS(spool)
{
	long said;
	int ret;

	test_numbers();
	said = unit_full_disk(1 << 20, add_too_much, &ret);
	OK(ret == -EFBIG, "spool: a file that cannot be written");
	OK(said > 0, "spool: a file that cannot be written is said");
}
