/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tiny test harness: a line `ok - name` or `not ok - name` a check, as the
 * Test Anything Protocol has it, so that a failure is found by its name.
 */
#ifndef TAP_H
#define TAP_H

#include "dsfs_platform.h"

/**
 * tap_check - count and print a check
 * @ok: whether it passed
 * @file: of the check
 * @line: of the check
 * @fmt: its name, as for printf()
 *
 * Not for threads.
 *
 * Return: @ok.
 */
bool tap_check(bool ok, const char *file, int line, const char *fmt, ...)
	__printf(4, 5);
#define OK(cond, ...)	tap_check(cond, __FILE__, __LINE__, __VA_ARGS__)

/* Print what a failed check saw. */
void tap_note(const char *fmt, ...) __printf(1, 2);

/**
 * tap_result - print the plan
 *
 * Return: the exit code: 0 if checks were made and all passed, else 1.
 */
int tap_result(void);

#endif /* TAP_H */
