// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of the unit tests, on top of the harness.  The plan comes last, so a run that dies has
 * none.
 */
#include <ftw.h>

#include "tap.h"

bool tap_check(bool ok, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tc_vresult(ok, fmt, ap);
	va_end(ap);
	if (!ok)
		tc_comment("failed at %s:%d", file, line);
	return ok;
}

int tap_result(void)
{
	printf("1..%u\n", tc_told);
	if (tc_failed)
		tc_comment("%u of %u checks failed", tc_failed, tc_told);
	return tc_exit();
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

void tap_remove(const char *dir)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* The linker puts all groups of a program in one place. */
extern const struct tap_group __start_tap_groups[] __attribute__((weak));
extern const struct tap_group __stop_tap_groups[] __attribute__((weak));

int tap_main(int argc, char **argv)
{
	const struct tap_group *g;

	for (g = __start_tap_groups; g < __stop_tap_groups; g++) {
		bool named = argc == 1;

		for (int i = 1; i < argc; i++)
			named |= !strcmp(argv[i], g->name);
		if (named)
			g->run();
	}
	return tap_result();
}
