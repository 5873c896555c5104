/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The names of a name block: how many bytes they take in the form that takes the fewest, and these.
 */
#ifndef MKFS_NAMES_H
#define MKFS_NAMES_H

#include "../tree/tree.h"

/**
 * struct names_sum - what the bytes of the names of a block depend on
 * @dir, @from, @count: the names
 * @prefix, @suffix: bytes that all of them have in common
 * @tail: bytes that all of them end with, though some of these may be in the prefix, too
 * @least, @most: length of the shortest and of the longest
 * @total: of all
 * @nr_symbols, @symbols: the bytes that middles have, a bit each
 * @type: of all of them, or -1
 */
struct names_sum {
	const struct dir *dir;
	u32 from;
	u32 count;
	u32 prefix;
	u32 suffix;
	u32 tail;
	u32 least;
	u32 most;
	u32 total;
	u32 nr_symbols;
	u64 symbols[4];
	int type;
};

/* names_begin - the names of a block that begins with name number @from: none yet */
void names_begin(struct names_sum *s, const struct dir *dir, u32 from);

/* names_add - the next name, too */
void names_add(struct names_sum *s);

/* names_form - the form that takes the fewest bytes; @bytes: up to dsfs_names.end */
unsigned int names_form(const struct names_sum *s, u32 *bytes);

/* names_write - make a name block without its rows. Return: its bytes, all of them set */
u32 names_write(const struct names_sum *s, void *block);

#endif /* MKFS_NAMES_H */
