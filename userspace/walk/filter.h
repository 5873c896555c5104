/* SPDX-License-Identifier: GPL-2.0 */
/* Selection of a part of the tree by patterns of paths. */
#ifndef FILTER_H
#define FILTER_H

#include <stddef.h>

struct filter_pattern;
struct view;

/**
 * struct filter - patterns; all zero: everything is selected
 */
struct filter {
	struct filter_pattern *patterns;
	size_t count;
};

/**
 * filter_take - select objects that match one of the texts, and everything below them
 * @f: zeros
 * @texts: kept, not copied, NULL behind the last one: shell patterns with slashes between
 *	them, one for each name of a path, from the root on.  None selects everything
 *
 * Return: 0, or -ENOMEM after a message.
 */
int filter_take(struct filter *f, char **texts);
void filter_free(struct filter *f);

/* How an object lies to what is selected; ABOVE: something below it may be */
enum filter_match { FILTER_OUTSIDE, FILTER_ABOVE, FILTER_INSIDE };

/** filter_match - for a path of the tree; @f: NULL as one without patterns */
enum filter_match filter_match(struct filter *f, const char *path);

/** filter_check - after a walk: report patterns that matched nothing, as errors */
void filter_check(struct view *v, const struct filter *f);

#endif /* FILTER_H */
