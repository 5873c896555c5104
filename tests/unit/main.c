// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of fs/format, to be run with the address and the undefined behaviour
 * sanitizers.
 */
#include "unit.h"

#include <stdio.h>

bool unit_answer(int got, int want, const struct dsfs_err *err,
		 const char *what)
{
	const bool named = what ? err->what && !strcmp(err->what, what) :
				  !err->what;

	if (got == want && named && !bld_held)
		return true;
	tap_note("answer %d (%s), expected %d (%s); %d pieces held", got,
		 err->what ? err->what : "nothing", want,
		 what ? what : "nothing", bld_held);
	bld_held = 0;
	return false;
}

/*
 * What was put back is known as such for the next 250 pieces of metadata.  By default it is for
 * 60,000, which do not fit the processor's caches and take as long again as the tests.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=1";
}

int main(void)
{
	test_cases();
	test_super();
	test_history();
	test_inode();
	test_dir();
	test_dir_bad();
	test_dir_large();
	test_rows();
	test_extent();
	test_compressed();
	test_xattr();
	return tap_result();
}
