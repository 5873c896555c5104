/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Everything that can be asked of a mounted tree, within bounds.
 */
#ifndef HOSTILE_WALK_H
#define HOSTILE_WALK_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct walk - a walk over a mounted image
 * @errors: calls that failed
 * @first: the first of them, as "errno call path"
 * @broken: of them: what no image may lead to, such as bytes behind the end of a
 *	file
 * @turn: which objects are asked what only one in four is
 */
struct walk {
	unsigned long errors;
	unsigned long broken;
	unsigned long objects;
	unsigned long turn;
	bool dear;
	char first[256];
};

/* Walk the tree at @root: all that readdir says there is. */
void walk_tree(struct walk *w, const char *root);

#endif /* HOSTILE_WALK_H */
