/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of a name block in an image that may be broken in any way.
 */
#ifndef HOSTILE_ROWS_H
#define HOSTILE_ROWS_H

#include "layout.h"

/**
 * struct rows - the rows of a name block, all of which lie in the image
 * @names: struct dsfs_names
 * @head: struct dsfs_rows
 * @first: the first row
 * @bytes: of a row; may be 0
 */
struct rows {
	u8 *names;
	u8 *head;
	u8 *first;
	u64 count;
	u64 bytes;
};

/* The rows of the name block at an offset of NAMES; false: they do not lie in the region. */
bool layout_rows(const struct layout *l, u64 names, struct rows *r);

/* Where a name block begins in NAMES: the first one within 4 KiB, each other one with them. */
u64 layout_block(const u8 *dir, u64 block);

/* The values of a row, by column */
void rows_get(const struct rows *r, u64 slot, u64 row[DSFS_COLUMNS]);

/*
 * Change a row.  What its columns cannot say is left alone, or, with @base, said by the base of a
 * column, which changes the other rows of the block, too.
 */
void rows_put(const struct rows *r, u64 slot, const u64 row[DSFS_COLUMNS], bool base);

/* Fields of an inode that are parts of columns */
#define ROW_MODE(row)	((u16)(row)[DSFS_COLUMN_KIND])
#define ROW_FLAGS(row)	((u16)((row)[DSFS_COLUMN_KIND] >> 16))
#define ROW_EXTRA(row)	((row)[DSFS_COLUMN_OWNER] >> 32)

#endif /* HOSTILE_ROWS_H */
