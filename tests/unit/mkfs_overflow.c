// SPDX-License-Identifier: GPL-2.0
/*
 * Memory beyond a limit: it has what was written to it, also after it was given up; and on a
 * full disk there is other memory, and a warning.
 */
#include "arena.h"
#include "memory.h"
#include "mkfs.h"

#define BLOCK	(1 << 20)
#define BLOCKS	150	/* more than two segments */
#define LIMIT	(10 * BLOCK)

static u32 *blocks[BLOCKS];

static void fill(u32 *block, u32 from)
{
	for (u32 i = 0; i < BLOCK / sizeof(u32); i++)
		block[i] = from + i;
}

static unsigned int wrong(const u32 *block, u32 from)
{
	unsigned int wrong = 0;

	for (u32 i = 0; i < BLOCK / sizeof(u32); i++)
		wrong += block[i] != from + i;
	return wrong;
}

/* Return: blocks that are not in @o. */
static unsigned int take_blocks(struct overflow *o)
{
	struct arena a = { .overflow = o };
	unsigned int others = 0;

	for (u32 i = 0; i < BLOCKS; i++) {
		blocks[i] = overflow_alloc(o, BLOCK, true);
		others += !blocks[i];
		/* one that is larger than a segment */
		if (i == BLOCKS / 2 && !overflow_alloc(o, OVERFLOW_SEGMENT + 1, true))
			others++;
		if (blocks[i])
			fill(blocks[i], i << 20);
	}
	for (u32 i = 0; i < 3000; i++) {
		u64 *p = arena_alloc(&a, 40, 8);

		if (!p || (uintptr_t)p % 8)
			return BLOCKS;
		p[4] = i;
	}
	arena_free(&a);
	return others;
}

static unsigned int wrong_blocks(struct overflow *o)
{
	unsigned int n = 0;

	for (u32 i = 0; i < BLOCKS; i++) {
		n += blocks[i] ? wrong(blocks[i], i << 20) : 0;
		overflow_pass(o, BLOCK);
	}
	return n;
}

static u64 resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	if (!f || fscanf(f, "%*u %lu", &pages) != 1)
		exit(1);
	fclose(f);
	return (u64)pages * sysconf(_SC_PAGESIZE);
}

static void test_blocks(void)
{
	struct overflow o;
	u64 before;

	overflow_init(&o, LIMIT);
	OK(!overflow_begun(&o), "overflow: none yet");
	OK(take_blocks(&o) == LIMIT / BLOCK, "overflow: what is beyond the limit");
	OK(overflow_begun(&o), "overflow: begun");
	OK(!wrong_blocks(&o) && !wrong_blocks(&o), "overflow: has what was written, twice");
	before = resident();
	overflow_pass(&o, OVERFLOW_SEGMENT + 1);
	before -= resident();
	OK(before >= 16 * BLOCK, "overflow: what was passed leaves memory: %llu bytes", before);
	overflow_free(&o);
}

/* struct filled - the overflow to fill, and how many blocks are other memory in the end */
struct filled {
	struct overflow o;
	unsigned int others;
};

static void fill_disk(void *arg)
{
	struct filled *f = arg;

	f->others = take_blocks(&f->o);
}

static void test_full(void)
{
	struct filled f;
	long said;

	memory_limit(UINT64_MAX);
	overflow_init(&f.o, 0);
	said = unit_full_disk(OVERFLOW_SEGMENT, fill_disk, &f);
	OK(f.others == BLOCKS + 1 - OVERFLOW_SEGMENT / BLOCK && !overflow_begun(&f.o),
	   "overflow: a full disk: the rest is other memory");
	OK(said > 0 && said < 300, "overflow: a full disk is said once");
	OK(!wrong_blocks(&f.o), "overflow: a full disk: what the file has stays");
	overflow_free(&f.o);
	memory_limit(UINT64_MAX);
}

TESTS(overflow)
{
	test_blocks();
	test_full();
}
