// SPDX-License-Identifier: GPL-2.0
/*
 * Rows: the inodes of a directory's entries, in its name blocks.
 *
 * A lookup that has found a name has its inode and its checksum in the same block, so a
 * cold one needs one read. The entries of a directory are much alike: a column is stored as
 * differences to its least value, in as many bytes as the largest of them needs, and without
 * zero bits that all of them end in. Such a row has 9 to 16 bytes.
 *
 * NAMES is the inode table: the rows in it are in the order of inode numbers, which have no gaps.
 * What has only the number of an inode, such as a file handle, finds its block by a search of
 * NUMBERS, which has the first number of each.
 */
#include "format.h"

/* The header is behind the names, at any byte. */
static int dsfs_rows_header(const struct dsfs_names *names, size_t avail, struct dsfs_rows *rows,
			    u32 *row, struct dsfs_err *err)
{
	const u32 end = le16_to_cpu(names->end), count = le16_to_cpu(names->count);
	unsigned int i;

	if (end + sizeof(*rows) > avail)
		return dsfs_broken(err, "end of a name block's rows", end + sizeof(*rows), avail);
	memcpy(rows, (const u8 *)names + end, sizeof(*rows));
	*row = 0;
	for (i = 0; i < DSFS_COLUMNS; i++) {
		if (rows->width[i] > DSFS_COLUMN_MAX)
			return dsfs_broken(err, "width of a column", rows->width[i],
					   DSFS_COLUMN_MAX);
		if (rows->shift[i] > DSFS_COLUMN_SHIFT_MAX)
			return dsfs_broken(err, "shift of a column", rows->shift[i],
					   DSFS_COLUMN_SHIFT_MAX);
		*row += rows->width[i];
	}
	if (rows->reserved)
		return dsfs_broken(err, "reserved bytes of rows", le32_to_cpu(rows->reserved), 0);
	if (count * *row > avail - end - sizeof(*rows))
		return dsfs_broken(err, "end of a name block's rows",
				   end + sizeof(*rows) + count * *row, avail);
	return 0;
}

/* An integer of @width bytes, for which the last row of a block may have no eight */
static __always_inline u64 dsfs_bytes_get(const u8 *at, unsigned int width, const u8 *end)
{
	__le64 raw;
	u64 v = 0;

	if (end - at >= (ptrdiff_t)sizeof(raw)) {
		memcpy(&raw, at, sizeof(raw));
		v = le64_to_cpu(raw);
		return width < sizeof(raw) ? v & ((1ULL << 8 * width) - 1) : v;
	}
	while (width--)
		v = v << 8 | at[width];
	return v;
}

/* Value of a column; @at: its bytes in a row, advanced; inline, as every lookup does it */
static __always_inline u64 dsfs_column_get(const struct dsfs_rows *rows, unsigned int column,
					   const u8 **at, const u8 *end)
{
	const unsigned int width = rows->width[column];
	const u64 v = dsfs_bytes_get(*at, width, end);

	*at += width;
	return le64_to_cpu(rows->base[column]) + (v << rows->shift[column]);
}

/* Fields are narrower than columns. */
static int dsfs_columns_fit(const struct dsfs_attr *a, u64 sum, struct dsfs_err *err)
{
	if (sum > U32_MAX)
		return dsfs_broken(err, "value of a column", sum, U32_MAX);
	if (a->size >= DSFS_MAX_OFFSET || a->start >= DSFS_MAX_OFFSET)
		return dsfs_broken(err, "value of a column",
				   a->size >= DSFS_MAX_OFFSET ? a->size : a->start,
				   DSFS_MAX_OFFSET - 1);
	return 0;
}

/*
 * dsfs_rows_decode - get the inode of a name, for dsfs_inode_check()
 *
 * @names has a checked header, and is followed by @avail bytes in all; @slot is below its count.
 * @attr->ino is set by the caller.
 */
int dsfs_rows_decode(const struct dsfs_names *names, size_t avail, u32 slot,
		     struct dsfs_attr *attr, struct dsfs_err *err)
{
	const u8 *at, *behind = (const u8 *)names + avail;
	struct dsfs_rows rows;
	u64 kind, owner, sum;
	u32 row;
	int ret;

	ret = dsfs_rows_header(names, avail, &rows, &row, err);
	if (ret)
		return ret;
	at = (const u8 *)names + le16_to_cpu(names->end) + sizeof(rows) + slot * row;
	kind = dsfs_column_get(&rows, DSFS_COLUMN_KIND, &at, behind);
	owner = dsfs_column_get(&rows, DSFS_COLUMN_OWNER, &at, behind);
	attr->size = dsfs_column_get(&rows, DSFS_COLUMN_SIZE, &at, behind);
	attr->start = dsfs_column_get(&rows, DSFS_COLUMN_START, &at, behind);
	attr->mtime = dsfs_column_get(&rows, DSFS_COLUMN_MTIME, &at, behind);
	sum = dsfs_column_get(&rows, DSFS_COLUMN_SUM, &at, behind);
	ret = dsfs_columns_fit(attr, sum, err);
	if (ret)
		return ret;
	attr->mode = kind;
	attr->flags = kind >> 16;
	attr->nlink = kind >> 32;
	attr->owner = owner;
	attr->extra = owner >> 32;
	attr->sum = sum;
	return 0;
}

/* dsfs_rows_bytes - bytes of a name block with its rows; 0: they break a rule */
u64 dsfs_rows_bytes(const struct dsfs_names *names, size_t avail)
{
	struct dsfs_err err;
	struct dsfs_rows rows;
	u32 row;

	if (dsfs_rows_header(names, avail, &rows, &row, &err))
		return 0;
	return le16_to_cpu(names->end) + sizeof(rows) + le16_to_cpu(names->count) * row;
}

/* The name block of a row. Return: 0, or an error without a reference. */
static int dsfs_row_names(struct dsfs_source *src, u64 place, struct dsfs_mref *ref, u64 *avail,
			  struct dsfs_err *err)
{
	const u64 room = dsfs_source_geo(src)->regions[DSFS_REGION_NAMES].bytes;
	const u64 off = dsfs_row_block(place);
	int ret;

	if (off >= room || room - off < sizeof(struct dsfs_names))
		return dsfs_broken(err, "place of names", off, room);
	*avail = dsfs_names_avail(dsfs_source_geo(src), off);
	if (*avail < sizeof(struct dsfs_names))
		return dsfs_broken(err, "room for a name block", *avail, sizeof(struct dsfs_names));
	ret = dsfs_meta_get(src, DSFS_REGION_NAMES, off, *avail, ref);
	return ret ? dsfs_bad(err, "name block", off, room, ret) : 0;
}

static u32 dsfs_row_slot(u64 place)
{
	return place & (DSFS_BLOCK_SIZE - 1);
}

/* dsfs_row_get - read the inode of the row at @place, for dsfs_inode_check() */
int dsfs_row_get(struct dsfs_source *src, u32 ino, u64 place, struct dsfs_attr *attr,
		 struct dsfs_err *err)
{
	const u32 slot = dsfs_row_slot(place);
	const struct dsfs_names *names;
	struct dsfs_mref ref;
	u64 avail;
	int ret = dsfs_row_names(src, place, &ref, &avail, err);

	if (ret)
		return ret;
	names = ref.p;
	attr->ino = ino;
	if (slot >= le16_to_cpu(names->count))
		ret = dsfs_broken(err, "slot", slot, le16_to_cpu(names->count));
	else
		ret = dsfs_rows_decode(names, avail, slot, attr, err);
	dsfs_meta_put(&ref);
	return ret;
}

/* The first inode number in a block of NAMES */
static int dsfs_number_get(struct dsfs_source *src, u64 block, u32 *number, struct dsfs_err *err)
{
	__le32 raw;
	int ret = dsfs_meta_copy(src, DSFS_REGION_NUMBERS, block * sizeof(raw), sizeof(raw), &raw);

	if (ret)
		return dsfs_bad(err, "first inode number", block, 0, ret);
	*number = le32_to_cpu(raw);
	return 0;
}

/* Binary search for the last block of NAMES whose first number, @number, is not above @ino */
static int dsfs_number_block(struct dsfs_source *src, u32 ino, u64 *block, u32 *number,
			     struct dsfs_err *err)
{
	u64 lo = 0, hi = dsfs_source_geo(src)->regions[DSFS_REGION_NUMBERS].bytes / sizeof(__le32);
	u64 mid;
	int ret;

	*number = 0;
	while (lo < hi) {
		u32 first;

		mid = lo + (hi - lo) / 2;
		ret = dsfs_number_get(src, mid, &first, err);
		if (ret)
			return ret;
		if (first > ino) {
			hi = mid;
		} else {
			lo = mid + 1;
			*number = first;
		}
	}
	if (!lo)
		return dsfs_broken(err, "first inode number", ino, 0);
	*block = lo - 1;
	return 0;
}

/*
 * Name block of row number @skip of a block of NAMES, and its slot. @names and @avail are of the
 * first name block.
 */
static int dsfs_row_skip(const struct dsfs_names *names, u64 avail, u64 off, u32 skip, u64 *place,
			 struct dsfs_err *err)
{
	u64 bytes;
	u32 count;

	while (avail >= sizeof(*names)) {
		count = le16_to_cpu(names->count);
		if (skip < count) {
			*place = dsfs_row_place(off, skip);
			return 0;
		}
		bytes = (dsfs_rows_bytes(names, avail) + 3) & ~3ULL;
		if (!count || !bytes || bytes > avail)
			break;
		skip -= count;
		off += bytes;
		avail -= bytes;
		names = (const void *)((const u8 *)names + bytes);
	}
	return dsfs_broken(err, "row of an inode", off, skip);
}

/*
 * dsfs_row_find - find the row of an inode, other than the root, by its number
 *
 * One search of an array that is small, and one block, in which the name blocks follow one
 * another.
 */
int dsfs_row_find(struct dsfs_source *src, u32 ino, u64 *place, struct dsfs_err *err)
{
	struct dsfs_mref ref;
	u64 block, avail;
	u32 number;
	int ret = dsfs_number_block(src, ino, &block, &number, err);

	if (!ret)
		ret = dsfs_row_names(src, dsfs_row_place(block << DSFS_BLOCK_BITS, 0), &ref, &avail,
				     err);
	if (ret)
		return ret;
	ret = dsfs_row_skip(ref.p, avail, block << DSFS_BLOCK_BITS, ino - number, place, err);
	dsfs_meta_put(&ref);
	return ret;
}

/*
 * dsfs_row_next - find the row of inode @ino when @place is that of the number before
 *
 * Equal to dsfs_row_find(), with a search only where a name block begins. @place may be
 * DSFS_NO_PLACE, and is that after an error.
 */
int dsfs_row_next(struct dsfs_source *src, u32 ino, u64 *place, struct dsfs_err *err)
{
	const u64 last = *place;
	struct dsfs_mref ref;
	u64 avail;
	u32 count;
	int ret;

	*place = DSFS_NO_PLACE;
	if (last != DSFS_NO_PLACE) {
		ret = dsfs_row_names(src, last, &ref, &avail, err);
		if (ret)
			return ret;
		count = le16_to_cpu(((const struct dsfs_names *)ref.p)->count);
		dsfs_meta_put(&ref);
		if (dsfs_row_slot(last) + 1 < count) {
			*place = last + 1;
			return 0;
		}
	}
	ret = dsfs_row_find(src, ino, place, err);
	if (ret)
		*place = DSFS_NO_PLACE;
	return ret;
}
