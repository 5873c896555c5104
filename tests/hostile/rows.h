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

/* Whether the slot says that inodes are in rows. */
bool layout_has_rows(const struct layout *l);

/* The rows of the name block at an offset of NAMES; false: they do not lie in the region. */
bool layout_rows(const struct layout *l, u64 names, struct rows *r);

/* Where a name block begins in NAMES: the first one within 4 KiB, each other one with them. */
u64 layout_block(const u8 *dir, u64 block);

/* Make a row into a record of INODES; returns its checksum. */
u32 rows_inode(const struct rows *r, u64 slot, u8 inode[sizeof(struct dsfs_inode)]);

/* Change a row, as far as its columns can say it. */
void rows_put(const struct rows *r, u64 slot, const u8 inode[sizeof(struct dsfs_inode)], u32 sum);

#endif /* HOSTILE_ROWS_H */
