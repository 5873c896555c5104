// SPDX-License-Identifier: GPL-2.0
/*
 * The harness of the unit tests.  The plan comes last, so a run that dies is
 * told from one that had few checks.
 */
#include "tap.h"

#include <stdarg.h>
#include <stdio.h>

static unsigned int tap_checks, tap_failures;

bool tap_check(bool ok, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	tap_checks++;
	tap_failures += !ok;
	printf("%s - ", ok ? "ok" : "not ok");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	if (!ok)
		tap_note("failed at %s:%d", file, line);
	return ok;
}

void tap_note(const char *fmt, ...)
{
	va_list ap;

	printf("# ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

int tap_result(void)
{
	printf("1..%u\n", tap_checks);
	if (tap_failures)
		tap_note("%u of %u checks failed", tap_failures, tap_checks);
	return tap_failures || !tap_checks;
}
