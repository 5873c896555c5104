/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A part of the tree, chosen by patterns of paths.
 */
#ifndef DUMP_FILTER_H
#define DUMP_FILTER_H

#include "dump.h"

struct filter_pattern;

/**
 * struct filter - what is wanted; all zero: everything
 */
struct filter {
	struct filter_pattern *patterns;
	size_t count;
};

/**
 * filter_add - what matches @text is wanted, too, and all below it
 * @text: kept, not copied: shell patterns with slashes between them, one for each
 *	name of a path, from the root on
 *
 * Return: 0 or -ENOMEM.
 */
int filter_add(struct filter *f, const char *text);
void filter_free(struct filter *f);

/** filter_text - the first pattern, as it was given */
const char *filter_text(const struct filter *f);

/**
 * filter_walk - walk() over what is wanted, and the directories on the way there
 *
 * Directories on the way come right in front of the first thing that is wanted in
 * them.  With @ops->dirs_only nobody knows what is in them, so all come that may
 * have something.
 *
 * Return: as walk().
 */
int filter_walk(struct dump *d, struct filter *f, const struct walk_ops *ops, void *arg);

/** filter_check - behind a walk: name the patterns that matched nothing, as errors */
void filter_check(struct dump *d, const struct filter *f);

#endif /* DUMP_FILTER_H */
