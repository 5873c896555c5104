/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the metadata is made of: numbers and places, names with their rows in blocks, indexes.
 */
#ifndef DSFS_LAYOUT_H
#define DSFS_LAYOUT_H

#include "tree.h"

/**
 * struct layout - order of the objects that inodes refer to
 * @owners, @xsets: their numbers in the tree, in the order of the image
 * @xattrs_end, @symlinks_end: lengths of these regions
 */
struct layout {
	struct array owners;
	struct array xsets;
	u64 xattrs_end;
	u64 symlinks_end;
};

/**
 * layout_make - number all inodes, and place targets and xattr sets
 * @t: ordered; no node is removed later
 *
 * Sets inode numbers in directories, places in symlinks and xattr sets, and final numbers in
 * owners.  All follow from the order of inodes, so they do
 * not depend on the order in which threads found them.
 *
 * Return: 0 or -ENOMEM.
 */
int layout_make(struct layout *l, struct tree *t);
void layout_free(struct layout *l);

/* names.c: the names of a block, in the form that takes the fewest bytes */

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

/* rows.c: names with their rows in blocks */

/* Set the values of a row, by column; signed, as times may be before 1970. Return: 0 or -errno */
typedef int row_fn(void *arg, struct node *n, s64 *row);

/* rows_new - state to fill the name blocks of directories, for rows_free(); NULL: no memory */
struct rows *rows_new(row_fn *make, void *arg);
void rows_free(struct rows *r);

/**
 * rows_begin - fill the first name block of a directory with as many names as fit
 * @dir: @dir->names and @dir->name_blocks are set
 * @end: end of NAMES
 *
 * A lookup without an index reads all blocks at worst, so a directory that is too small for one
 * does not begin where it would need a second block.
 *
 * Return: its names; 0 for an empty directory; -errno.
 */
int rows_begin(struct rows *r, struct dir *dir, u64 end);

/* rows_next - fill the next block.  Return: its names; 0: all are in blocks; -errno */
int rows_next(struct rows *r);

/* rows_at - where the block that was filled begins in NAMES; @bytes: of names and rows */
u64 rows_at(const struct rows *r, u32 *bytes);

/* rows_write - the bytes of the block that was filled */
void rows_write(const struct rows *r, void *block);

/* index.c: the hash index of a directory */

/* Target load of a bucket: names for 16 entries */
#define INDEX_LOAD	14

/**
 * index_bits - whether a directory can have an index, and the widths of its fields
 * @most: names in the fullest of its @blocks blocks
 * @slot, @block: set to the bits of a slot and of a name block; 0 without an index
 */
bool index_bits(u32 count, u32 most, u32 blocks, u8 *slot, u8 *block);

/* Number of buckets of the first attempt. */
u32 index_buckets(u32 count);

/**
 * index_build - build the index of a directory that is laid out
 * @fills: names in each of its name blocks
 * @buckets: set to dir->buckets buckets, malloc'ed; NULL without an index
 *
 * Sets buckets, slot_bits and block_bits of @dir.
 * Return: 0 or -ENOMEM.
 */
int index_build(struct dir *dir, const u16 *fills, struct dsfs_bucket **buckets);

#endif /* DSFS_LAYOUT_H */
