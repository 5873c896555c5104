/* SPDX-License-Identifier: GPL-2.0 */
/* The name that a mistyped one was meant to be: "did you mean". */
#ifndef DSFS_NEAREST_H
#define DSFS_NEAREST_H

#include <stddef.h>

/**
 * struct nearest - a search for the name that is nearest to a word
 * @word: what was typed, @len bytes of it
 * @name: the nearest name so far; NULL: none is near
 * @far: how many letters it differs in
 */
struct nearest {
	const char *word;
	size_t len;
	const char *name;
	unsigned int far;
};

/* Compare a name, which must outlive the search. */
void nearest_try(struct nearest *n, const char *name);

/* ", did you mean PREFIX and the name?", or "".  The text is valid until the next call. */
const char *nearest_text(const struct nearest *n, const char *prefix);

#endif /* DSFS_NEAREST_H */
