/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Selection of a part of the tree by patterns of paths.
 */
#ifndef DUMP_FILTER_H
#define DUMP_FILTER_H

#include "dump.h"

struct filter_pattern;

/**
 * struct filter - patterns; all zero: everything is selected
 */
struct filter {
	struct filter_pattern *patterns;
	size_t count;
};

/**
 * filter_add - select objects that match @text, and everything below them
 * @text: kept, not copied: shell patterns with slashes between them, one for each
 *	name of a path, from the root on
 *
 * Return: 0 or -ENOMEM.
 */
int filter_add(struct filter *f, const char *text);
void filter_free(struct filter *f);

/** filter_text - the first pattern, as given */
const char *filter_text(const struct filter *f);

/**
 * filter_walk - walk() over selected objects and the directories above them
 *
 * A directory above is visited just before the first selected object in it.  With
 * @ops->dirs_only its content is not read, so all directories are visited that may
 * have selected objects.
 *
 * Return: as walk().
 */
int filter_walk(struct dump *d, struct filter *f, const struct walk_ops *ops, void *arg);

/** filter_check - after a walk: report patterns that matched nothing, as errors */
void filter_check(struct dump *d, const struct filter *f);

#endif /* DUMP_FILTER_H */
