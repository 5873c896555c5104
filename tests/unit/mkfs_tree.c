// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of trees that no test can make on a disk, and memory in pieces.  Order, numbers, links
 * and paths are those of images: tests/golden, tests/judge, tests/cli/mkfs.sh.
 */
#include "tree.h"
#include "mkfs.h"

static void test_too_many(void)
{
	struct tree t;

	if (tree_init(&t, "source", UINT64_MAX))
		exit(1);
	t.root_dir->count = 0xffffffff;
	OK(tree_order(&t) == -EFBIG, "tree: 2^32-1 names in the root");
	t.root_dir->count = 0;
	tree_free(&t);
}

static void test_links(void)
{
	struct dir dir = { .subdirs = 65534 };

	OK(dir_nlink(&dir) == 65536, "links: 65,534 subdirectories");
	dir.subdirs = 0;
	OK(dir_nlink(&dir) == 2, "links: none");
}

static void test_arena(void)
{
	struct arena one = { 0 }, two = { 0 };
	unsigned int i, bad = 0;
	char *p;

	for (i = 1; i < 5000; i++) {
		p = arena_alloc(i & 1 ? &one : &two, i, 1 << (i % 5));
		if (!p)
			exit(1);
		bad += (uintptr_t)p % (1 << (i % 5)) != 0;
		memset(p, i, i);	/* the sanitizer looks on */
	}
	arena_join(&one, &two);
	OK(!bad && !two.chunks, "arena: aligned pieces of any size");
	arena_free(&one);
}

TESTS(tree)
{
	test_too_many();
	test_links();
	test_arena();
}
