/* SPDX-License-Identifier: GPL-2.0 */
/* Paths of a walk, each directory kept once. */
#ifndef DSFS_PATHS_H
#define DSFS_PATHS_H

#include <stddef.h>

#define PATHS_TEXTS	2

/**
 * struct path_part - the last name of a path
 * @above: its directory, NULL: the root
 * @len: bytes of the whole path
 * @older: for paths_free()
 */
struct path_part {
	struct path_part *above;
	struct path_part *older;
	size_t len;
	size_t name_len;
	char name[];
};

/**
 * struct paths - paths that were kept; all zero at first
 * @dir: directory of the last one
 * @newest: the last part that was made
 * @texts: room for PATHS_TEXTS paths of any length that was kept
 */
struct paths {
	struct path_part *dir;
	struct path_part *newest;
	char *texts;
	size_t room;
};

/**
 * paths_add - keep a path
 * @path: "/a/b"; a directory takes memory once if its paths come in the order of a walk
 *
 * Return: what stands for it, until paths_free(); NULL: out of memory.
 */
const struct path_part *paths_add(struct paths *p, const char *path);

/**
 * paths_text - a path as text
 * @n: less than PATHS_TEXTS: which text, valid until the next call with the same @n, or
 *	paths_add()
 */
const char *paths_text(const struct paths *p, const struct path_part *part, unsigned int n);
void paths_free(struct paths *p);

#endif /* DSFS_PATHS_H */
