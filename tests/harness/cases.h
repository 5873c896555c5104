/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cases.h - the harness of all test programs written in C: lines "ok - NAME" and
 * "not ok - NAME", which tests/check counts, and comments, which begin with #.
 *
 * A header alone, since the programs are built in many ways: static for guests, under
 * sanitizers, for other machines.  Not for threads.
 */
#ifndef TESTS_CASES_H
#define TESTS_CASES_H

/* What nearly every program of the tests needs of libc */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * What stands in front of a case's name, before a colon; and how many were told and
 * failed.  Weak: one of each in a program, however many of its files include this.
 */
__attribute__((weak)) const char *tc_prefix;
__attribute__((weak)) unsigned int tc_told;
__attribute__((weak)) unsigned int tc_failed;

__attribute__((format(printf, 1, 2), unused))
static void tc_comment(const char *fmt, ...)
{
	va_list ap;

	fputs("# ", stdout);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

/* One case, whose name is @fmt: its line, and the counts.  Return: @good. */
__attribute__((format(printf, 2, 0), unused))
static bool tc_vresult(bool good, const char *fmt, va_list ap)
{
	tc_told++;
	tc_failed += !good;
	printf("%s - ", good ? "ok" : "not ok");
	if (tc_prefix)
		printf("%s: ", tc_prefix);
	vprintf(fmt, ap);
	putchar('\n');
	fflush(stdout);
	return good;
}

__attribute__((format(printf, 2, 3), unused))
static bool tc_result(bool good, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tc_vresult(good, fmt, ap);
	va_end(ap);
	return good;
}

/* Return: the exit code of a program: 0 if cases were told and none failed, else 1. */
__attribute__((unused))
static int tc_exit(void)
{
	if (!tc_told)
		tc_result(false, "there is a case");
	return tc_failed ? 1 : 0;
}

#endif /* TESTS_CASES_H */
