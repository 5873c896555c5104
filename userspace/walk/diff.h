/* SPDX-License-Identifier: GPL-2.0 */
/* Changes from one generation of an image to another. */
#ifndef DIFF_H
#define DIFF_H

#include "walk.h"

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

/** dump_diff - show what changed, in JSON if @j is not NULL.  Return: 0, or -1 after a message */
int dump_diff(struct view *v, struct json *j, const struct diff_request *r);

#endif /* DIFF_H */
