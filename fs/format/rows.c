// SPDX-License-Identifier: GPL-2.0
/*
 * Rows: the inodes of a directory's entries, in its name blocks.
 *
 * A lookup that has found a name has its inode and its checksum in the same block, so a
 * cold one needs one read. The entries of a directory are much alike: a column is stored as
 * differences to its least value, in as many bytes as the largest of them needs, and without
 * zero bits that all of them end in, times in a unit that divides them. A row has some ten
 * bytes.
 *
 * NAMES is the inode table: the rows in it are in the order of inode numbers, which have no gaps.
 * What has only the number of an inode, such as a file handle, finds its block by a search of
 * NUMBERS, which has the first number of each.
 */
#include "format.h"

#define DSFS_BYTES	0x0101010101010101ULL	/* 1 in each byte */
#define DSFS_SHIFTS	((u64)DSFS_COLUMN_SHIFT_MAX * DSFS_BYTES | \
			 0xc0ULL << 8 * DSFS_COLUMN_MTIME)

/* Numbers in a block of metadata */
#define DSFS_NUMBERS	(DSFS_BLOCK_SIZE / sizeof(__le32))

#define DSFS_WIDTHS_ALIKE (0xffULL << 8 * DSFS_COLUMN_KIND | 0xffULL << 8 * DSFS_COLUMN_OWNER)

const u32 dsfs_mtime_units[DSFS_MTIME_UNITS] = { 1, 1000, 1000000, 1000000000 };

/**
 * struct dsfs_header - a checked header of rows
 * @raw: where it is: behind the names, at any byte
 * @width: by byte: the width of a column
 * @shift: its shift
 * @ends: where it ends in a row, of which the last one is the length
 */
struct dsfs_header {
	const u8 *raw;
	u64 width;
	u64 shift;
	u64 ends;
};

static __always_inline u64 dsfs_word(const u8 *p)
{
	__le64 raw;

	memcpy(&raw, p, sizeof(raw));
	return le64_to_cpu(raw);
}

/* Find what dsfs_rows_header() rejects. */
static int __cold dsfs_rows_broken(u64 widths, u64 shifts, struct dsfs_err *err)
{
	unsigned int i;
	u8 width = 0;

	for (i = 0; i < DSFS_COLUMNS && width <= DSFS_COLUMN_MAX; i++)
		width = widths >> 8 * i;
	if (width > DSFS_COLUMN_MAX)
		return dsfs_broken(err, "width of a column", width, DSFS_COLUMN_MAX);
	for (i = 0; i < DSFS_COLUMNS && !((u8)((shifts & ~DSFS_SHIFTS) >> 8 * i));)
		i++;
	return dsfs_broken(err, "shift of a column", (u8)(shifts >> 8 * i),
			   DSFS_COLUMN_SHIFT_MAX);
}

static __always_inline void dsfs_rows_load(const struct dsfs_names *names, struct dsfs_header *h)
{
	h->raw = (const u8 *)names + le16_to_cpu(names->end);
	h->width = dsfs_word(h->raw + offsetof(struct dsfs_rows, width));
	h->shift = dsfs_word(h->raw + offsetof(struct dsfs_rows, shift));
	h->ends = h->width * DSFS_BYTES;
}

static __always_inline const u8 *dsfs_row_at(const struct dsfs_header *h, u32 slot)
{
	return h->raw + sizeof(struct dsfs_rows) + slot * (u32)(h->ends >> 56);
}

/* All columns at once: a larger width or shift has bits that none of those allowed has. */
static __always_inline int dsfs_rows_header(const struct dsfs_names *names, size_t avail,
					    struct dsfs_header *h, struct dsfs_err *err)
{
	const u32 end = le16_to_cpu(names->end), count = le16_to_cpu(names->count);
	const u32 first = end + sizeof(struct dsfs_rows);

	if (first > avail)
		return dsfs_broken(err, "end of a name block's rows", first, avail);
	dsfs_rows_load(names, h);
	if ((h->width | (h->width + 7 * DSFS_BYTES)) & 0xf0 * DSFS_BYTES ||
	    h->shift & ~DSFS_SHIFTS)
		return dsfs_rows_broken(h->width, h->shift, err);
	if (count * (u32)(h->ends >> 56) > avail - first)
		return dsfs_broken(err, "end of a name block's rows",
				   first + count * (u32)(h->ends >> 56), avail);
	return 0;
}

static __always_inline u64 dsfs_column_base(const struct dsfs_header *h, unsigned int column)
{
	return dsfs_word(h->raw + offsetof(struct dsfs_rows, base[column]));
}

/*
 * Bytes of a column of a row, shifted. There are eight bytes up to its end, as the header is in
 * front of all rows; those in front of the column are shifted out, in halves, as a shift by 64 is
 * none.
 */
static __always_inline u64 dsfs_column_bits(const struct dsfs_header *h, unsigned int column,
					    const u8 *row)
{
	const u64 spare = 4 * (DSFS_COLUMN_MAX * DSFS_BYTES - h->width);
	const unsigned int half = spare >> 8 * column & 63;
	const u64 v = dsfs_word(row + (u8)(h->ends >> 8 * column) - 8) >> half >> half;

	return v << (h->shift >> 8 * column & DSFS_COLUMN_SHIFT_MAX);
}

static __always_inline u64 dsfs_column_get(const struct dsfs_header *h, unsigned int column,
					   const u8 *row)
{
	return dsfs_column_base(h, column) + dsfs_column_bits(h, column, row);
}

static __always_inline u64 dsfs_mtime_get(const struct dsfs_header *h, const u8 *row)
{
	const u8 unit = h->shift >> (8 * DSFS_COLUMN_MTIME + DSFS_MTIME_UNIT_SHIFT) & 3;

	return dsfs_column_base(h, DSFS_COLUMN_MTIME) +
	       dsfs_column_bits(h, DSFS_COLUMN_MTIME, row) * dsfs_mtime_units[unit];
}

/* Fields are narrower than columns. */
static int __cold dsfs_columns_broken(const struct dsfs_attr *a, u64 wide, struct dsfs_err *err)
{
	if (wide > U32_MAX)
		return dsfs_broken(err, "value of a column", wide, U32_MAX);
	return dsfs_broken(err, "value of a column",
			   a->size >= DSFS_MAX_OFFSET ? a->size : a->start, DSFS_MAX_OFFSET - 1);
}

static __always_inline int __dsfs_rows_decode(const struct dsfs_names *names, size_t avail,
					      u32 slot, struct dsfs_attr *attr,
					      struct dsfs_err *err)
{
	u64 kind, owner, sum, stored = 0, units = 0;
	struct dsfs_header h;
	const u8 *row;
	int ret;

	ret = dsfs_rows_header(names, avail, &h, err);
	if (ret)
		return ret;
	row = dsfs_row_at(&h, slot);
	kind = dsfs_column_base(&h, DSFS_COLUMN_KIND);
	owner = dsfs_column_base(&h, DSFS_COLUMN_OWNER);
	/* In most blocks they are all alike. */
	if (h.width & DSFS_WIDTHS_ALIKE) {
		kind += dsfs_column_bits(&h, DSFS_COLUMN_KIND, row);
		owner += dsfs_column_bits(&h, DSFS_COLUMN_OWNER, row);
	}
	attr->size = dsfs_column_get(&h, DSFS_COLUMN_SIZE, row);
	attr->start = dsfs_column_get(&h, DSFS_COLUMN_START, row);
	attr->mtime = dsfs_mtime_get(&h, row);
	sum = dsfs_column_get(&h, DSFS_COLUMN_SUM, row);
	/* Most blocks have no compressed file. */
	if (h.width >> 8 * DSFS_COLUMN_STORED || dsfs_column_base(&h, DSFS_COLUMN_STORED) ||
	    dsfs_column_base(&h, DSFS_COLUMN_UNITS)) {
		stored = dsfs_column_get(&h, DSFS_COLUMN_STORED, row);
		units = dsfs_column_get(&h, DSFS_COLUMN_UNITS, row);
	}
	attr->mode = kind;
	attr->flags = kind >> 16;
	attr->nlink = kind >> 32;
	attr->owner = owner;
	attr->extra = owner >> 32;
	attr->sum = sum;
	attr->stored = stored;
	attr->units = units;
	if ((sum | stored | units) > U32_MAX || (attr->size | attr->start) >= DSFS_MAX_OFFSET)
		return dsfs_columns_broken(attr, sum | stored | units, err);
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
	return __dsfs_rows_decode(names, avail, slot, attr, err);
}

/*
 * dsfs_links_good - whether the row of each hard-link entry of a block is right
 *
 * @avail is the number of bytes from the block on, @ino the number of its first entry. As with
 * dsfs_names_good(), it stays true, and dsfs_link_good() may be used.
 */
bool dsfs_links_good(const struct dsfs_geo *geo, const struct dsfs_names_info *names, u64 avail,
		     u32 ino)
{
	struct dsfs_err err = {};
	struct dsfs_middle middle;
	struct dsfs_attr attr;
	u32 slot;

	for (slot = 0; slot < names->count; slot++) {
		dsfs_names_middle(names, slot, &middle);
		if (middle.type != DSFS_DT_HARDLINK)
			continue;
		attr.ino = ino + slot;
		if (dsfs_rows_decode(names->raw, avail, slot, &attr, &err) ||
		    dsfs_inode_check(geo, &attr, &err) || !dsfs_attr_is_hardlink(&attr))
			return false;
	}
	return true;
}

/* dsfs_link_good - dsfs_hardlink_follow() without checks */
void dsfs_link_good(const struct dsfs_names *names, u32 slot, u32 *ino, u8 *type)
{
	struct dsfs_header h;
	const u8 *row;

	dsfs_rows_load(names, &h);
	row = dsfs_row_at(&h, slot);
	*ino = dsfs_column_get(&h, DSFS_COLUMN_START, row);
	*type = (u16)dsfs_column_get(&h, DSFS_COLUMN_KIND, row) >> 12;
}

/* dsfs_rows_bytes - bytes of a name block with its rows; 0: they break a rule */
u64 dsfs_rows_bytes(const struct dsfs_names *names, size_t avail)
{
	struct dsfs_header h;
	struct dsfs_err err;

	if (dsfs_rows_header(names, avail, &h, &err))
		return 0;
	return le16_to_cpu(names->end) + sizeof(struct dsfs_rows) +
	       le16_to_cpu(names->count) * (h.ends >> 56);
}

/* The name block of a row, inline as dsfs_row_get(). Return: 0, or an error without a reference. */
static __always_inline int dsfs_row_names(struct dsfs_source *src, u64 place,
					  struct dsfs_mref *ref, u64 *avail, struct dsfs_err *err)
{
	const u64 room = dsfs_source_geo(src)->regions[DSFS_REGION_NAMES].bytes;
	const u64 off = dsfs_row_block(place);
	int ret;

	if (off >= room)
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

/*
 * dsfs_row_get - read and check the inode of the row at @place
 *
 * Each lookup of a new inode comes here, so that all it needs is one function.
 */
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
		ret = __dsfs_rows_decode(names, avail, slot, attr, err);
	if (!ret)
		ret = dsfs_inode_check(dsfs_source_geo(src), attr, err);
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

/* How many of the numbers, which ascend, are not above @ino */
static u32 dsfs_numbers_below(const __le32 *numbers, u32 count, u32 ino)
{
	u32 lo = 0, hi = count, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (le32_to_cpu(numbers[mid]) > ino)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* The last block of metadata with numbers whose first one is not above @ino */
static int dsfs_number_page(struct dsfs_source *src, u32 ino, u64 pages, u64 *page,
			    struct dsfs_err *err)
{
	u64 lo = 0, hi = pages, mid;
	u32 first;
	int ret;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		ret = dsfs_number_get(src, mid * DSFS_NUMBERS, &first, err);
		if (ret)
			return ret;
		if (first > ino)
			hi = mid;
		else
			lo = mid + 1;
	}
	if (!lo)
		return dsfs_broken(err, "first inode number", ino, 0);
	*page = lo - 1;
	return 0;
}

/*
 * Find the last block of NAMES whose first number, @number, is not above @ino. A hard link is
 * found so, and one block of numbers at a time costs less than a reference for each of them.
 */
static int dsfs_number_block(struct dsfs_source *src, u32 ino, u64 *block, u32 *number,
			     struct dsfs_err *err)
{
	const u64 bytes = dsfs_source_geo(src)->regions[DSFS_REGION_NUMBERS].bytes;
	struct dsfs_mref ref;
	const __le32 *numbers;
	u64 page, off, len;
	u32 below;
	int ret = dsfs_number_page(src, ino, (bytes + DSFS_BLOCK_SIZE - 1) >> DSFS_BLOCK_BITS,
				   &page, err);

	if (ret)
		return ret;
	off = page << DSFS_BLOCK_BITS;
	len = bytes - off < DSFS_BLOCK_SIZE ? bytes - off : DSFS_BLOCK_SIZE;
	ret = dsfs_meta_get(src, DSFS_REGION_NUMBERS, off, len, &ref);
	if (ret)
		return dsfs_bad(err, "first inode number", page * DSFS_NUMBERS, 0, ret);
	numbers = ref.p;
	below = dsfs_numbers_below(numbers, len / sizeof(*numbers), ino);
	*number = below ? le32_to_cpu(numbers[below - 1]) : 0;
	dsfs_meta_put(&ref);
	if (!below)
		return dsfs_broken(err, "first inode number", ino, 0);
	*block = page * DSFS_NUMBERS + below - 1;
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
		if (count > DSFS_BLOCK_SIZE)	/* A slot in a place is below that. */
			break;
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
