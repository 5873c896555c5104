/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names in name blocks: how many bytes they take in the form that takes the fewest, how many a block
 * has room for, and the bytes.
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

/*
 * names_fill - as many names from name number @from on as a block without rows has room for, the
 * first one up to the next 4 KiB boundary after @dir->names
 */
void names_fill(struct names_sum *s, const struct dir *dir, u32 from);

/**
 * struct names_place - the name blocks of a directory
 * @most: names in the fullest block
 */
struct names_place {
	u32 blocks;
	u32 most;
};

/**
 * names_place - place a directory's name blocks: @dir->names and @dir->name_blocks
 * @pos: end of NAMES, advanced
 */
void names_place(struct dir *dir, u64 *pos, struct names_place *place);

/* names_write - make a name block without its rows. Return: its bytes, all of them set */
u32 names_write(const struct names_sum *s, void *block);

#endif /* MKFS_NAMES_H */
