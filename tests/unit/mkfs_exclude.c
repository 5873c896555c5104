// SPDX-License-Identifier: GPL-2.0
/*
 * What --exclude leaves out.
 */
#include "options/options.h"
#include "mkfs.h"

#include <stdlib.h>

void test_exclude(void)
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
	struct options o = { 0 };
	bool used;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		if (exclude_add(&o, table[i].pattern, strlen(table[i].pattern)))
			exit(1);
		used = false;
		OK(exclude_match(&o, &used, table[i].dir, table[i].name,
				 table[i].is_dir) == table[i].hit &&
		   used == table[i].hit,
		   "exclude: %s %s %s/%s", table[i].pattern,
		   table[i].hit ? "leaves out" : "keeps", table[i].dir,
		   table[i].name);
		free(o.patterns[0].text);
		free(o.patterns);
		memset(&o, 0, sizeof(o));
	}
	OK(exclude_add(&o, "///", 3) == -EINVAL, "exclude: nothing but slashes");
	free(o.patterns);
}
