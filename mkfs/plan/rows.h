/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Distribution of names, with their rows, to name blocks.  The plan uses it for sizes, and the
 * writer for bytes.
 */
#ifndef MKFS_ROWS_H
#define MKFS_ROWS_H

#include "names.h"

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

#endif /* MKFS_ROWS_H */
