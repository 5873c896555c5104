// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of a name block in an image that may be broken in any way. What a row says is made into the
 * bytes of an inode record, so that what looks at records looks at rows, too.
 */
#include "rows.h"

static unsigned int width(const struct rows *r, unsigned int column)
{
	return r->head[offsetof(struct dsfs_rows, width) + column];
}

static unsigned int shift(const struct rows *r, unsigned int column)
{
	return r->head[offsetof(struct dsfs_rows, shift) + column] & 63;
}

static u64 base(const struct rows *r, unsigned int column)
{
	return field_get(r->head + offsetof(struct dsfs_rows, base) + 8 * column, 8);
}

bool layout_has_rows(const struct layout *l)
{
	return l->slot >= 0 && GET(l->image + DSFS_SB_POS(l->slot), dsfs_super, incompat) &
			       DSFS_INCOMPAT_ROWS;
}

bool layout_rows(const struct layout *l, u64 names, struct rows *r)
{
	const u64 region = l->regions[DSFS_REGION_NAMES].bytes;
	u8 *raw;
	u64 at;

	if (names >= region || region - names < sizeof(struct dsfs_names))
		return false;
	raw = l->image + l->regions[DSFS_REGION_NAMES].pos + names;
	at = GET(raw, dsfs_names, end);
	if (region - names < at + sizeof(struct dsfs_rows))
		return false;
	*r = (struct rows){ .names = raw, .head = raw + at,
			    .first = raw + at + sizeof(struct dsfs_rows),
			    .count = GET(raw, dsfs_names, count) };
	for (unsigned int i = 0; i < DSFS_COLUMNS; i++) {
		if (width(r, i) > DSFS_COLUMN_MAX)
			return false;
		r->bytes += width(r, i);
	}
	return r->count * r->bytes <= region - names - at - sizeof(struct dsfs_rows);
}

u64 layout_block(const u8 *dir, u64 block)
{
	const u64 names = GET(dir, dsfs_dir, names), in = names % DSFS_BLOCK_SIZE;

	return names + (block << DSFS_BLOCK_BITS) - (block ? in : 0);
}

static u8 *column_at(const struct rows *r, u64 slot, unsigned int column)
{
	u8 *at = r->first + slot * r->bytes;

	for (unsigned int i = 0; i < column; i++)
		at += width(r, i);
	return at;
}

static u64 value(const struct rows *r, u64 slot, unsigned int column)
{
	const u64 v = field_get(column_at(r, slot, column), width(r, column));

	return base(r, column) + (v << shift(r, column));
}

u32 rows_inode(const struct rows *r, u64 slot, u8 inode[sizeof(struct dsfs_inode)])
{
	field_put(inode, 8, value(r, slot, DSFS_COLUMN_KIND));
	PUT(inode, dsfs_inode, extra, value(r, slot, DSFS_COLUMN_EXTRA));
	PUT48(inode, size, value(r, slot, DSFS_COLUMN_SIZE));
	PUT48(inode, start, value(r, slot, DSFS_COLUMN_START));
	PUT(inode, dsfs_inode, mtime, value(r, slot, DSFS_COLUMN_MTIME));
	return value(r, slot, DSFS_COLUMN_SUM);
}

static void put_value(const struct rows *r, u64 slot, unsigned int column, u64 v)
{
	const unsigned int bytes = width(r, column);

	v = (v - base(r, column)) >> shift(r, column);
	if (bytes == 8 || !(v >> 8 * bytes))
		field_put(column_at(r, slot, column), bytes, v);
}

void rows_put(const struct rows *r, u64 slot, const u8 inode[sizeof(struct dsfs_inode)], u32 sum)
{
	put_value(r, slot, DSFS_COLUMN_KIND, field_get(inode, 8));
	put_value(r, slot, DSFS_COLUMN_EXTRA, GET(inode, dsfs_inode, extra));
	put_value(r, slot, DSFS_COLUMN_SIZE, GET48(inode, size));
	put_value(r, slot, DSFS_COLUMN_START, GET48(inode, start));
	put_value(r, slot, DSFS_COLUMN_MTIME, GET(inode, dsfs_inode, mtime));
	put_value(r, slot, DSFS_COLUMN_SUM, sum);
}
