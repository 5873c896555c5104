// SPDX-License-Identifier: GPL-2.0
/*
 * What --exclude leaves out, and which files --compress=none: leaves as they are.
 */
#include "options/options.h"
#include "mkfs.h"

static void test_names(void)
{
	static const struct {
		const char *pattern, *dir, *name;
		bool is_dir, hit;
	} table[] = {
		{ "*.o", "", "a.o", false, true },
		{ "*.o", "x/y", "a.o", false, true },
		{ "*.o", "", "a.c", false, false },
		{ "build/", "", "build", true, true },
		{ "build/", "", "build", false, false },
		{ "/top", "", "top", false, true },
		{ "/top", "sub", "top", false, false },
		{ "a/b", "a", "b", false, true },
		{ "a/b", "x/a", "b", false, false },
		{ "a/*", "a", "b", false, true },
		{ "a/*", "a/c", "b", false, false },
		{ "./x", "", "x", false, true },
		{ "./x", "d", "x", false, false },
		{ "[ab]", "", "b", false, true },
	};
	struct patterns set = { 0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (patterns_add(&set, table[i].pattern, strlen(table[i].pattern)))
			exit(1);
		OK(patterns_match_below(&set, table[i].dir, table[i].name,
					table[i].is_dir) == table[i].hit &&
		   *set.p[0].used == table[i].hit,
		   "patterns: %s %s %s/%s", table[i].pattern,
		   table[i].hit ? "matches" : "does not match", table[i].dir,
		   table[i].name);
		patterns_free(&set);
		memset(&set, 0, sizeof(set));
	}
	OK(patterns_add(&set, "///", 3) == -EINVAL, "patterns: nothing but slashes");
	patterns_free(&set);
}

/* A file matches if one of the directories that it lies in does. */
static void test_any(void)
{
	static const struct {
		const char *pattern, *path;
		bool hit;
	} table[] = {
		{ "*.bin", "raw/a/x.bin", true },
		{ "*.bin", "raw/a/x.txt", false },
		{ "raw", "raw/a/x", true },
		{ "raw/", "a/raw/x", true },
		{ "raw/", "a/raw", false },
		{ "/raw", "a/raw/x", false },
		{ "a/raw", "a/raw/b/x", true },
		{ "a/*.x", "a/b/c.x", false },
		{ "raw/*/c.x", "raw/b/c.x", true },
	};
	struct patterns set = { 0 };
	unsigned int i;
	char path[32];

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (patterns_add(&set, table[i].pattern, strlen(table[i].pattern)))
			exit(1);
		strcpy(path, table[i].path);
		OK(patterns_match_any(&set, path) == table[i].hit && !strcmp(path, table[i].path),
		   "patterns: %s %s %s, or a directory of it", table[i].pattern,
		   table[i].hit ? "matches" : "does not match", path);
		patterns_free(&set);
		memset(&set, 0, sizeof(set));
	}
}

TESTS(patterns)
{
	test_names();
	test_any();
}
