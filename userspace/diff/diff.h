/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --diff: changes from one generation to another.
 */
#ifndef DUMP_DIFF_H
#define DUMP_DIFF_H

#include "dump.h"

/**
 * struct diff_request - two generations
 * @to: 0: the newest
 */
struct diff_request {
	u64 from;
	u64 to;
};

/** diff_parse - parse "1..3" or "1..".  Return: 0 or -EINVAL. */
int diff_parse(const char *text, struct diff_request *r);

/** dump_diff - show what changed; Return: 0, or -1 after a message */
int dump_diff(struct dump *d, const struct diff_request *r);

#endif /* DUMP_DIFF_H */
