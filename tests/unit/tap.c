// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of the unit tests, on top of the harness.  The plan comes last, so a run that dies has
 * none.
 */
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
