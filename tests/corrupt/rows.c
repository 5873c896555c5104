// SPDX-License-Identifier: GPL-2.0
/*
 * Where rows are in an image: the header of those of a name block, and the bytes of a column in the
 * row of a name.
 */
#include "corrupt.h"

static const char *const columns[DSFS_COLUMNS] = {
	"kind", "extra", "size", "start", "mtime", "sum",
};

/* A number of as many bytes as the column has */
static const struct field value_fields[DSFS_COLUMN_MAX + 1][2] = {
	{ }, { { "value", 0, 1, 1 } }, { { "value", 0, 2, 1 } }, { { "value", 0, 3, 1 } },
	{ { "value", 0, 4, 1 } }, { { "value", 0, 5, 1 } }, { { "value", 0, 6, 1 } },
	{ { "value", 0, 7, 1 } }, { { "value", 0, 8, 1 } },
};

bool has_rows(const struct dsfs_source *src)
{
	return src->geo.incompat & DSFS_INCOMPAT_ROWS;
}

/* The header of the rows of an inode, and its slot; @off: its offset in NAMES */
static const struct dsfs_rows *find_rows(struct dsfs_source *src, u32 ino, u64 *off, u32 *slot)
{
	const u8 *region = src->good + src->geo.regions[DSFS_REGION_NAMES].pos;
	u64 place = DSFS_NO_PLACE;
	struct dsfs_err err;

	if (!has_rows(src) || dsfs_inode_place(src, ino, &place, &err) ||
	    place == DSFS_NO_PLACE)
		die("inode %u: has no row", ino);
	*off = dsfs_row_block(place);
	*off += le16_to_cpu(((const struct dsfs_names *)(region + *off))->end);
	*slot = place & (DSFS_BLOCK_SIZE - 1);
	return (const struct dsfs_rows *)(region + *off);
}

struct place place_rows(struct dsfs_source *src, u32 ino)
{
	u64 off;
	u32 slot;

	find_rows(src, ino, &off, &slot);
	return in_region(src, DSFS_REGION_NAMES, off, sizeof(struct dsfs_rows), rows_fields);
}

struct place place_column(struct dsfs_source *src, u32 ino, const char *column)
{
	const struct dsfs_rows *raw;
	u32 slot, row = 0, at = 0, width = 0;
	u64 off;

	raw = find_rows(src, ino, &off, &slot);
	for (unsigned int i = 0; i < DSFS_COLUMNS; i++) {
		if (!strcmp(columns[i], column)) {
			at = row;
			width = raw->width[i];
		}
		row += raw->width[i];
	}
	if (!width)
		die("inode %u: no bytes of column %s", ino, column);
	return in_region(src, DSFS_REGION_NAMES, off + sizeof(*raw) + slot * row + at, width,
			 value_fields[width]);
}

struct place place_sum(struct dsfs_source *src, u32 ino)
{
	return place_column(src, ino, columns[DSFS_COLUMN_SUM]);
}
