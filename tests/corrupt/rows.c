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

/* The header of the rows of a name, and its slot; @off: its offset in NAMES */
static const struct dsfs_rows *find_rows(struct dsfs_source *src, const char *path, u64 *off,
					 u32 *slot)
{
	const u8 *region = src->good + src->geo.regions[DSFS_REGION_NAMES].pos;
	u64 place = DSFS_NO_PLACE;
	struct dsfs_err err;

	if (!has_rows(src) || dsfs_inode_place(src, find_ino(src, path), &place, &err) ||
	    place == DSFS_NO_PLACE)
		die("%s: has no row", path);
	*off = dsfs_row_block(place);
	*off += le16_to_cpu(((const struct dsfs_names *)(region + *off))->end);
	*slot = place & (DSFS_BLOCK_SIZE - 1);
	return (const struct dsfs_rows *)(region + *off);
}

struct place place_rows(struct dsfs_source *src, char **arg)
{
	u64 off;
	u32 slot;

	find_rows(src, arg[0], &off, &slot);
	return in_region(src, DSFS_REGION_NAMES, off, sizeof(struct dsfs_rows), rows_fields);
}

static struct place at_column(struct dsfs_source *src, const char *path, const char *column)
{
	const struct dsfs_rows *raw;
	u32 slot, row = 0, at = 0, width = 0;
	u64 off;

	raw = find_rows(src, path, &off, &slot);
	for (unsigned int i = 0; i < DSFS_COLUMNS; i++) {
		if (!strcmp(columns[i], column)) {
			at = row;
			width = raw->width[i];
		}
		row += raw->width[i];
	}
	if (!width)
		die("%s: no bytes of column %s", path, column);
	return in_region(src, DSFS_REGION_NAMES, off + sizeof(*raw) + slot * row + at, width,
			 value_fields[width]);
}

struct place place_row(struct dsfs_source *src, char **arg)
{
	return at_column(src, arg[0], arg[1]);
}

struct place place_sum(struct dsfs_source *src, const char *path)
{
	return at_column(src, path, columns[DSFS_COLUMN_SUM]);
}
