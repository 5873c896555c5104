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
 * @seen: told each answer that was no error: a text that says what was asked,
 *	and the bytes of the answer
 * @errors: calls that failed
 * @first: the first of them, as "errno call path"
 * @missing: of them: something that was listed, or should be there, is not
 * @broken: of them: what no image may lead to, such as bytes behind the end of a
 *	file
 * @turn: which objects are asked what only one in four is
 */
struct walk {
	void (*seen)(const char *what, const void *p, size_t len);
	unsigned long errors;
	unsigned long missing;
	unsigned long broken;
	unsigned long objects;
	unsigned long turn;
	bool dear;
	char first[256];
};

/* Walk the tree at @root: all that readdir says there is. */
void walk_tree(struct walk *w, const char *root);

/* The same for objects by their paths below @root, whatever readdir says. */
void walk_paths(struct walk *w, const char *root, char **paths, size_t count);

#endif /* HOSTILE_WALK_H */
