// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of the unit tests, on top of the harness.  The plan comes last, so a run that dies is
 * told from one that had few checks.
 */
#include "tap.h"

bool tap_check(bool ok, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	case_vresult(ok, fmt, ap);
	va_end(ap);
	if (!ok)
		case_comment("failed at %s:%d", file, line);
	return ok;
}

int tap_result(void)
{
	printf("1..%u\n", cases_told);
	if (cases_failed)
		case_comment("%u of %u checks failed", cases_failed, cases_told);
	return case_exit();
}
