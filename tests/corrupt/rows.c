// SPDX-License-Identifier: GPL-2.0
/*
 * The row of an inode: the header of the rows of its name block, and its fields.
 *
 * A column has as many bytes as its values need, so most fields of a row have no room for another
 * value.  Before a field is changed, its column is made as wide as a value can be, in all rows of
 * the block; name blocks behind it in the same 4 KiB move.
 */
#include "corrupt.h"

/* Fields of a row: where in a column of eight bytes */
static const struct {
	const char *name;
	u8 column;
	u8 off;
	u8 size;
} parts[] = {
	{ "mode", DSFS_COLUMN_KIND, 0, 2 },
	{ "flags", DSFS_COLUMN_KIND, 2, 2 },
	{ "nlink", DSFS_COLUMN_KIND, 4, 4 },
	{ "owner", DSFS_COLUMN_OWNER, 0, 4 },
	{ "extra", DSFS_COLUMN_OWNER, 4, 4 },
	{ "size", DSFS_COLUMN_SIZE, 0, 8 },
	{ "start", DSFS_COLUMN_START, 0, 8 },
	{ "mtime", DSFS_COLUMN_MTIME, 0, 8 },
	{ "sum", DSFS_COLUMN_SUM, 0, 8 },
	{ "stored", DSFS_COLUMN_STORED, 0, 8 },
	{ "units", DSFS_COLUMN_UNITS, 0, 8 },
};

#define PARTS	(sizeof(parts) / sizeof(*parts))

/**
 * struct row - the row of an inode in the image as it was
 * @off: of its name block, in NAMES
 * @block: the name block
 * @rows: behind its names
 * @slot: the row
 * @at: where each column begins in a row, and the bytes of a row
 */
struct row {
	u64 off;
	u8 *block;
	struct dsfs_rows *rows;
	u32 slot;
	u32 at[DSFS_COLUMNS + 1];
};

static struct row find_row(struct dsfs_source *src, u32 ino)
{
	u8 *region = src->good + src->geo.regions[DSFS_REGION_NAMES].pos;
	u64 place = DSFS_NO_PLACE;
	struct dsfs_err err;
	struct row r = { 0 };

	if (dsfs_inode_place(src, ino, &place, &err) || place == DSFS_NO_PLACE)
		die("inode %u: has no row", ino);
	r.off = dsfs_row_block(place);
	r.block = region + r.off;
	r.rows = (void *)(r.block + le16_to_cpu(((struct dsfs_names *)r.block)->end));
	r.slot = place & (DSFS_BLOCK_SIZE - 1);
	for (unsigned int i = 0; i < DSFS_COLUMNS; i++)
		r.at[i + 1] = r.at[i] + r.rows->width[i];
	return r;
}

/* Make the region longer, in both superblocks. */
static void names_grow(struct dsfs_source *src, u64 bytes)
{
	const size_t at = offsetof(struct dsfs_super, regions) +
			  DSFS_REGION_NAMES * sizeof(struct dsfs_region) +
			  offsetof(struct dsfs_region, bytes);

	for (unsigned int i = 0; i < DSFS_SB_SLOTS; i++)
		field_put(src->good + DSFS_SB_POS(i) + at, 8, bytes);
	src->geo.regions[DSFS_REGION_NAMES].bytes = bytes;
}

/* Move what lies in the 4 KiB from @from to @end by @by bytes, the places of directories too. */
static void move_blocks(struct dsfs_source *src, u64 from, u64 end, u32 by)
{
	u8 *region = src->good + src->geo.regions[DSFS_REGION_NAMES].pos;
	struct dsfs_dir *dirs = (void *)(src->good + src->geo.regions[DSFS_REGION_DIRS].pos);

	memmove(region + from + by, region + from, end - from);
	memset(region + from, 0, by);
	for (u32 i = 0; i < src->geo.dirs; i++) {
		const u64 names = le64_to_cpu(dirs[i].names);

		if (dirs[i].count && names >= from && names < end)
			dirs[i].names = cpu_to_le64(names + by);
	}
}

/* Where the last name block of the 4 KiB that begins at @first ends */
static u64 blocks_end(struct dsfs_source *src, u64 first)
{
	const struct dsfs_region_info *r = &src->geo.regions[DSFS_REGION_NAMES];
	u64 off = first, end = first;

	while (off < r->bytes && off < first + DSFS_BLOCK_SIZE) {
		const struct dsfs_names *names = (void *)(src->good + r->pos + off);
		const u64 avail = dsfs_names_avail(&src->geo, off);

		if (avail < sizeof(*names) || !names->count)
			break;
		end = off + dsfs_rows_bytes(names, avail);
		off = (end + 3) & ~3ULL;
	}
	return end;
}

static void widen(struct dsfs_source *src, u32 ino, unsigned int column)
{
	struct row r = find_row(src, ino);
	const u32 count = le16_to_cpu(((struct dsfs_names *)r.block)->count);
	const u32 width = r.rows->width[column], shift = r.rows->shift[column];
	const u32 row = r.at[DSFS_COLUMNS];
	const u64 first = r.off & ~(DSFS_BLOCK_SIZE - 1ULL), end = blocks_end(src, first);
	const u32 more = count * (8 - width);
	u8 old[DSFS_BLOCK_SIZE], *to = (u8 *)(r.rows + 1);
	const u64 own = r.off + (to - r.block) + (u64)count * row;
	const u32 by = ((own + more + 3) & ~3ULL) - ((own + 3) & ~3ULL);

	if (width == 8)
		return;
	if (end - first + by > DSFS_BLOCK_SIZE)
		die("inode %u: no room for a wider column", ino);
	if (end > own)
		move_blocks(src, (own + 3) & ~3ULL, end, by);
	if (end + by > src->geo.regions[DSFS_REGION_NAMES].bytes)
		names_grow(src, end > own ? end + by : own + more);
	memcpy(old, r.rows + 1, count * row);
	for (u32 i = 0; i < count; i++) {
		const u8 *from = old + i * row;
		const u64 v = le64_to_cpu(r.rows->base[column]) +
			      (field_get(from + r.at[column], width) << (shift & 63)) *
			      (column == DSFS_COLUMN_MTIME ? dsfs_mtime_units[shift >> 6] : 1);

		memcpy(to, from, r.at[column]);
		to += r.at[column];
		field_put(to, 8, v);
		to += 8;
		memcpy(to, from + r.at[column] + width, row - r.at[column] - width);
		to += row - r.at[column] - width;
	}
	r.rows->base[column] = 0;
	r.rows->shift[column] = 0;
	r.rows->width[column] = 8;
}

void row_widen(struct dsfs_source *src, u32 ino, const char *field)
{
	for (unsigned int i = 0; i < PARTS; i++)
		if (!strncmp(field, parts[i].name, strlen(parts[i].name)))
			widen(src, ino, parts[i].column);
}

struct place place_rows(struct dsfs_source *src, u32 ino)
{
	const struct row r = find_row(src, ino);

	return in_region(src, DSFS_REGION_NAMES, r.off + ((u8 *)r.rows - r.block),
			 sizeof(*r.rows), rows_fields);
}

struct place place_row(struct dsfs_source *src, u32 ino)
{
	static struct field fields[PARTS + 1];
	const struct row r = find_row(src, ino);
	unsigned int n = 0;

	memset(fields, 0, sizeof(fields));
	for (unsigned int i = 0; i < PARTS; i++)
		if (r.rows->width[parts[i].column] == 8)
			fields[n++] = (struct field){ parts[i].name,
						      r.at[parts[i].column] + parts[i].off,
						      parts[i].size, 1 };
	return in_region(src, DSFS_REGION_NAMES, r.off + ((u8 *)(r.rows + 1) - r.block) +
			 r.slot * r.at[DSFS_COLUMNS], r.at[DSFS_COLUMNS], fields);
}
