// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of a name block in an image that may be broken in any way.
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

/* What a unit of a column is, but for its shift: times have one */
static u64 unit(const struct rows *r, unsigned int column)
{
	static const u32 units[] = { 1, 1000, 1000000, 1000000000 };

	if (column != DSFS_COLUMN_MTIME)
		return 1;
	return units[r->head[offsetof(struct dsfs_rows, shift) + column] >> 6];
}

static u64 base(const struct rows *r, unsigned int column)
{
	return field_get(r->head + offsetof(struct dsfs_rows, base) + 8 * column, 8);
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

void rows_get(const struct rows *r, u64 slot, u64 row[DSFS_COLUMNS])
{
	for (unsigned int i = 0; i < DSFS_COLUMNS; i++)
		row[i] = base(r, i) +
			 (field_get(column_at(r, slot, i), width(r, i)) << shift(r, i)) *
			 unit(r, i);
}

void rows_put(const struct rows *r, u64 slot, const u64 row[DSFS_COLUMNS], bool by_base)
{
	for (unsigned int i = 0; i < DSFS_COLUMNS; i++) {
		const unsigned int bytes = width(r, i);
		u8 *at = column_at(r, slot, i);
		const u64 more = row[i] - base(r, i), v = more / unit(r, i) >> shift(r, i);

		if ((v << shift(r, i)) * unit(r, i) == more && (bytes == 8 || !(v >> 8 * bytes)))
			field_put(at, bytes, v);
		else if (by_base)
			field_put(r->head + offsetof(struct dsfs_rows, base) + 8 * i, 8,
				  row[i] - (field_get(at, bytes) << shift(r, i)) * unit(r, i));
	}
}
