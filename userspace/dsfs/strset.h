/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A set of strings, each with the number of its coming.
 */
#ifndef DSFS_STRSET_H
#define DSFS_STRSET_H

#include "dsfs_platform.h"

/**
 * struct strset - zero-initialise it; free it with strset_free()
 * @v: the strings, @nr of them, by number
 * @slots: number + 1 of a string, by hash; @mask + 1 of them
 */
struct strset {
	char **v;
	size_t nr;
	size_t room;
	u32 *slots;
	size_t mask;
};

/**
 * strset_add - look a string up, and add it if it is not there
 * @s: @len bytes, which are copied; none is NUL
 * @fresh: gets whether it was not there; or NULL
 *
 * Return: its number, or -ENOMEM.
 */
s64 strset_add(struct strset *set, const char *s, size_t len, bool *fresh);
void strset_free(struct strset *set);

#endif /* DSFS_STRSET_H */
