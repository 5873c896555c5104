/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the unit tests of fs/format share.
 */
#ifndef UNIT_H
#define UNIT_H

#include "builder.h"
#include "tap.h"

/* The image of the test that runs, and what its last call said is wrong */
static struct dsfs_source src __attribute__((unused));
static struct dsfs_err err __attribute__((unused));

/* Whether a call answered as it should; says what it answered if not. */
bool unit_answer(int got, int want, const struct dsfs_err *err,
		 const char *what);

/* The same as a check of its own that also looks for held metadata. */
#define ANSWER(call, want, what_, ...) do { \
	int got_; \
	err.what = NULL; \
	got_ = (call); \
	OK(unit_answer(got_, want, &err, what_), __VA_ARGS__); \
} while (0)

#endif /* UNIT_H */
