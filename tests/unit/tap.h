/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks of the unit tests, on top of tests/harness/cases.h: each is a case of its own,
 * and one that fails says where it stands.
 */
#ifndef TAP_H
#define TAP_H

#include "../harness/cases.h"
#include "dsfs_platform.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

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
#define tap_note	tc_comment

/**
 * tap_result - print the plan
 *
 * Return: the exit code: 0 if checks were made and all passed, else 1.
 */
int tap_result(void);

/* Remove a directory and all below it. */
void tap_remove(const char *dir);

/* A group of checks, which has a name */
struct tap_group {
	const char *name;
	void (*run)(void);
};

/* Define a group: it runs if tap_main() is given its name, or none. */
#define TESTS(group) \
	static void test_##group(void); \
	static const struct tap_group group_##group \
		__attribute__((used, section("tap_groups"))) = { #group, test_##group }; \
	static void test_##group(void)

/* Run the groups that are named, or all.  Return: the exit code. */
int tap_main(int argc, char **argv);

#endif /* TAP_H */
