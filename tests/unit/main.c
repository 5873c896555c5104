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
