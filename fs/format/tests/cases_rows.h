/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cases of the rows of a name block: the rules of rows.c, and what a column can hold. The rows
 * follow the three names of cases_dir.h.
 */
#ifndef FORMAT_CASES_ROWS_H
#define FORMAT_CASES_ROWS_H

#include "cases_dir.h"

/*
 * Three files of 1 byte, 1 KiB + 1 and 2 KiB + 1, 4 KiB apart: a row is a byte of the size, in
 * steps of 1 KiB, a byte of the start, in steps of 4 KiB, and four of the checksum. Mode, flags,
 * number of links, owner and time are in the base alone.
 */
#define CASE_ROW		6
#define CASE_ROWS_AT		CASE_NAMES_END
#define CASE_ROWS_FIRST		(CASE_ROWS_AT + sizeof(struct dsfs_rows))
#define CASE_ROWS_END		(CASE_ROWS_FIRST + 3 * CASE_ROW)
#define CASE_ROWS_SUM		0x89abcdefU	/* of the last one */
#define CASE_ROWS_MTIME		(-1500000000LL)

/* What a column said */
static inline u64 dsfs_case_row(const struct dsfs_attr *a, u32 column)
{
	switch (column) {
	case DSFS_COLUMN_KIND:
		return (u64)a->nlink << 32 | (u32)a->flags << 16 | a->mode;
	case DSFS_COLUMN_OWNER:
		return (u64)a->extra << 32 | a->owner;
	case DSFS_COLUMN_SIZE:
		return a->size;
	case DSFS_COLUMN_START:
		return a->start;
	case DSFS_COLUMN_MTIME:
		return a->mtime;
	case DSFS_COLUMN_SUM:
		return a->sum;
	case DSFS_COLUMN_STORED:
		return a->stored;
	default:
		return a->units;
	}
}

static inline void dsfs_case_rows(void *buf)
{
	struct dsfs_rows rows = {
		.width = { [DSFS_COLUMN_SIZE] = 1, [DSFS_COLUMN_START] = 1, [DSFS_COLUMN_SUM] = 4 },
		.shift = { [DSFS_COLUMN_SIZE] = 10, [DSFS_COLUMN_START] = 12 },
	};
	u8 *row = (u8 *)buf + CASE_ROWS_FIRST;
	u8 i;

	dsfs_case_names(buf);
	rows.base[DSFS_COLUMN_KIND] = cpu_to_le64(1ULL << 32 | S_IFREG | 0644);
	rows.base[DSFS_COLUMN_OWNER] = cpu_to_le64(2);
	rows.base[DSFS_COLUMN_SIZE] = cpu_to_le64(1);
	rows.base[DSFS_COLUMN_START] = cpu_to_le64(DSFS_DATA_START_MIN - 2 * DSFS_BLOCK_SIZE);
	rows.base[DSFS_COLUMN_MTIME] = cpu_to_le64((u64)CASE_ROWS_MTIME);
	memcpy((u8 *)buf + CASE_ROWS_AT, &rows, sizeof(rows));
	for (i = 0; i < 3; i++, row += CASE_ROW) {
		const u8 raw[CASE_ROW] = { i, i, 0xef, 0xcd, 0xab, 0x89 };

		memcpy(row, raw, sizeof(raw));
	}
}

/*
 * dsfs_links_good() must agree with the checks of single rows, and dsfs_link_good() with what they
 * decode; false if not. @buf becomes a block of hard-link entries.
 */
static inline bool dsfs_case_links(void *buf, u64 avail, const struct dsfs_geo *geo)
{
	const struct dsfs_names_info names = { .raw = buf, .count = 3, .form = DSFS_NAMES_EQUAL };
	struct dsfs_attr attr;
	struct dsfs_err err;
	u32 i, ino;
	u8 type;

	((struct dsfs_names *)buf)->form = DSFS_DT_HARDLINK;
	for (i = 0; i < 3; i++) {
		attr.ino = CASE_INODES - 3 + i;
		if (dsfs_rows_decode(buf, avail, i, &attr, &err) ||
		    dsfs_inode_check(geo, &attr, &err) || !dsfs_attr_is_hardlink(&attr))
			return !dsfs_links_good(geo, &names, avail, CASE_INODES - 3);
		dsfs_link_good(buf, i, &ino, &type);
		if (ino != attr.start || type != dsfs_mode_to_dt(attr.mode))
			return false;
	}
	return dsfs_links_good(geo, &names, avail, CASE_INODES - 3);
}

/*
 * @base: bytes there are, 0: all; @arg: 0: the last row is that of the valid block; otherwise the
 * number of a column plus one in the low 4 bits, and behind them its value. -EINVAL: it has
 * another one.
 */
static inline int dsfs_case_run_rows(const struct dsfs_case *c, void *buf, struct dsfs_geo *geo,
				     struct dsfs_err *err)
{
	struct dsfs_attr attr = { .ino = CASE_INODES - 1 };
	u64 bytes, value;
	int ret;

	dsfs_case_rows(buf);
	dsfs_case_patch(buf, c);
	ret = dsfs_rows_decode(buf, c->base ? c->base : CASE_BUF, 2, &attr, err);
	if (!ret)
		ret = dsfs_inode_check(geo, &attr, err);
	bytes = dsfs_rows_bytes(buf, c->base ? c->base : CASE_BUF);
	if (!dsfs_case_links(buf, c->base ? c->base : CASE_BUF, geo))
		return -EINVAL;
	/* What has no place for its rows has no bytes, and no row. */
	if (!bytes && !ret)
		return -EINVAL;
	if (ret)
		return ret;
	if (c->arg) {
		value = dsfs_case_row(&attr, (c->arg & 15) - 1);
		return value << 4 == c->arg >> 4 << 4 ? 0 : -EINVAL;
	}
	if (bytes != CASE_ROWS_END || attr.mode != (S_IFREG | 0644) || attr.owner != 2 ||
	    attr.nlink != 1 || attr.flags || attr.extra || attr.size != 2049 ||
	    attr.start != DSFS_DATA_START_MIN || attr.mtime != CASE_ROWS_MTIME ||
	    attr.sum != CASE_ROWS_SUM || attr.stored || attr.units || attr.ino != CASE_INODES - 1)
		return -EINVAL;
	return 0;
}

#define ROWS_P(v, ...)	{ CASE_ROWS_AT + offsetof(struct dsfs_rows, __VA_ARGS__), \
			  sizeof_field(struct dsfs_rows, __VA_ARGS__), v }
#define R(f, v)		ROWS_P(v, f)
#define WIDTHS(v)	{ CASE_ROWS_AT + offsetof(struct dsfs_rows, width), 8, v }
/* Bytes of the last row, when a row has @row bytes */
#define LAST(row, at, size, v)	{ CASE_ROWS_FIRST + 2 * (row) + (at), size, v }
#define KIND(flags)	(1ULL << 32 | (flags) << 16 | S_IFREG)
#define IS(column, v)	((u64)(v) << 4 | (DSFS_COLUMN_##column + 1))

static const struct dsfs_case dsfs_rows_cases[] = {
	{ "good" },
	{ "no byte behind", CASE_ROWS_END },
	{ "one byte missing", CASE_ROWS_END - 1, "end of a name block's rows" },
	{ "room for the header alone", CASE_ROWS_FIRST, "end of a name block's rows" },
	{ "no room for the header", CASE_ROWS_FIRST - 1, "end of a name block's rows" },
	{ "names that end in the header's last byte", 0, "end of a name block's rows",
	  { { offsetof(struct dsfs_names, end), 2, DSFS_BLOCK_SIZE - 79 } } },
	{ "names that end at 2^16-1", 0, "end of a name block's rows",
	  { { offsetof(struct dsfs_names, end), 2, 0xffff } } },
	{ "more rows than there is room", 0, "end of a name block's rows",
	  { { offsetof(struct dsfs_names, count), 2, 669 } } },
	{ "2^16-1 rows of 64 bytes", 0, "end of a name block's rows",
	  { { offsetof(struct dsfs_names, count), 2, 0xffff }, WIDTHS(0x0808080808080808ULL) } },
	{ "rows of 64 bytes, one missing", CASE_ROWS_FIRST + 3 * 64 - 1,
	  "end of a name block's rows", { WIDTHS(0x0808080808080808ULL) } },
	{ "width 9 of the first column", 0, "width of a column", { R(width[0], 9) } },
	{ "width 15 of the second one", 0, "width of a column", { R(width[1], 15) } },
	{ "width 16 of one in the middle", 0, "width of a column", { R(width[4], 16) } },
	{ "width 128 of the last but one", 0, "width of a column", { R(width[6], 128) } },
	{ "width 249 of the last one", 0, "width of a column", { R(width[7], 249) } },
	{ "width 255 of all columns", 0, "width of a column", { WIDTHS(~0ULL) } },
	{ "shift 64 of the first column", 0, "shift of a column", { R(shift[0], 64) } },
	{ "shift 128 of the second one", 0, "shift of a column", { R(shift[1], 128) } },
	{ "shift 64 beside times", 0, "shift of a column", { R(shift[3], 64) } },
	{ "shift 255 of the last one", 0, "shift of a column", { R(shift[7], 255) } },
	{ "shift 63 of what has no bytes", 0, NULL, { R(shift[1], 63) } },

	{ "largest checksum", 0, NULL, { LAST(6, 2, 4, 0xffffffff) }, .arg = IS(SUM, 0xffffffff) },
	{ "checksum of 2^32", 0, "value of a column",
	  { LAST(6, 2, 4, 0xffffffff), R(base[5], 1) } },
	{ "checksum of bit 63", 0, "value of a column", { R(base[5], 1ULL << 63) } },
	{ "checksum whose sum wraps", 0, NULL, { R(base[5], 0ULL - CASE_ROWS_SUM) },
	  .arg = IS(SUM, 0) },
	{ "extra of 2^32-1", 0, "extra record against flags", { R(base[1], ~0ULL << 32) } },
	{ "size of 2^48", 0, "value of a column", { R(base[2], 1ULL << 48) } },
	{ "size below 2^48", 0, "end of data", { R(base[2], (1ULL << 48) - 2049) } },
	{ "size just 2^48", 0, "value of a column", { R(base[2], (1ULL << 48) - 2048) } },
	{ "size below 0", 0, "value of a column", { R(base[2], -2049ULL) } },
	{ "start of 2^48", 0, "value of a column", { R(base[3], 1ULL << 48) } },
	{ "start below 2^48", 0, "start of data", { R(base[3], (1ULL << 48) - 8193) } },
	{ "start just 2^48", 0, "value of a column", { R(base[3], (1ULL << 48) - 8192) } },

	{ "size shifted by 63", 0, "value of a column", { R(shift[2], 63), LAST(6, 0, 1, 1) } },
	{ "size shifted out of 64 bits", 0, NULL, { R(shift[2], 63), LAST(6, 0, 1, 2) },
	  .arg = IS(SIZE, 1) },
	{ "time shifted by 52", 0, NULL,
	  { R(width[5], 0), R(width[4], 1), R(shift[4], 52), R(base[4], 5),
	    LAST(3, 0, 2, 0x202), LAST(3, 2, 1, 0xff) }, .arg = IS(MTIME, 0xff0000000000005ULL) },
	{ "time before 1970 by its bytes", 0, NULL,
	  { R(width[5], 0), R(width[4], 8), R(base[4], 0),
	    LAST(10, 0, 2, 0x202), LAST(10, 2, 8, -77ULL) },
	  .arg = IS(MTIME, -77LL) },
	{ "time whose base and bytes are the least ones", 0, NULL,
	  { R(width[5], 0), R(width[4], 8), R(base[4], 1ULL << 63),
	    LAST(10, 0, 2, 0x202), LAST(10, 2, 8, 1ULL << 63 | 3) },
	  .arg = IS(MTIME, 3) },
	{ "time in seconds", 0, NULL,
	  { R(width[5], 0), R(width[4], 2), R(shift[4], 3 << 6 | 1), R(base[4], 5),
	    LAST(4, 0, 2, 0x202), LAST(4, 2, 2, 0x9876) }, .arg = IS(MTIME, 78060000000005ULL) },
	{ "time in milliseconds", 0, NULL,
	  { R(width[5], 0), R(width[4], 1), R(shift[4], 2 << 6), R(base[4], -1ULL),
	    LAST(3, 0, 2, 0x202), LAST(3, 2, 1, 200) }, .arg = IS(MTIME, 199999999) },
	{ "time in microseconds", 0, NULL,
	  { R(width[5], 0), R(width[4], 1), R(shift[4], 1 << 6), R(base[4], 0),
	    LAST(3, 0, 2, 0x202), LAST(3, 2, 1, 255) }, .arg = IS(MTIME, 255000) },
	{ "time of seconds that wrap", 0, NULL,
	  { R(width[5], 0), R(width[4], 8), R(shift[4], 3 << 6), R(base[4], 0),
	    LAST(10, 0, 2, 0x202), LAST(10, 2, 8, -2ULL) }, .arg = IS(MTIME, -2000000000LL) },
	{ "unit of equal times", 0, NULL, { R(shift[4], 3 << 6) } },
	{ "full column of checksums", 0, NULL,
	  { R(width[5], 8), LAST(10, 0, 2, 0x202), LAST(10, 2, 8, 0x12345678) },
	  .arg = IS(SUM, 0x12345678) },
	{ "full column of checksums, too large", 0, "value of a column",
	  { R(width[5], 8), LAST(10, 0, 2, 0x202), LAST(10, 2, 8, 1ULL << 32) } },
	{ "mode by row", 0, NULL, { R(width[0], 2), R(base[0], 1ULL << 32),
	  LAST(8, 0, 2, S_IFREG | 0400), LAST(8, 2, 1, 2), LAST(8, 3, 1, 2) },
	  .arg = IS(KIND, 1ULL << 32 | S_IFREG | 0400) },
	{ "flags by row", 0, NULL, { R(width[0], 1), R(shift[0], 16),
	  R(base[0], 1ULL << 32 | S_IFREG), LAST(7, 0, 1, DSFS_INODE_SHARED), LAST(7, 1, 1, 2),
	  LAST(7, 2, 1, 2) },
	  .arg = IS(KIND, 1ULL << 32 | DSFS_INODE_SHARED << 16 | S_IFREG) },
	{ "links by row", 0, NULL, { R(width[0], 4), R(shift[0], 32), R(base[0], S_IFREG),
	  LAST(10, 0, 4, 0x10000001), LAST(10, 4, 2, 0x202) },
	  .arg = IS(KIND, 0x10000001ULL << 32 | S_IFREG) },
	{ "stored bytes by row", 0, NULL, { R(base[0], KIND(DSFS_INODE_ZSTD)), R(width[6], 1),
	  R(shift[6], 3), LAST(7, 0, 2, 0x202), LAST(7, 6, 1, 25) }, .arg = IS(STORED, 200) },
	{ "stored bytes in the base", 0, NULL,
	  { R(base[0], KIND(DSFS_INODE_LZ4)), R(base[6], 2048) }, .arg = IS(STORED, 2048) },
	{ "units in the base", 0, "frames of a file that is not compressed", { R(base[7], 1) } },
	{ "stored bytes of 2^32", 0, "value of a column", { R(base[6], 1ULL << 32) } },
	{ "units of 2^32", 0, "value of a column", { R(base[7], 1ULL << 32) } },
	{ "owner by row", 0, NULL, { R(width[1], 1), R(base[1], 0), LAST(7, 0, 1, 1),
	  LAST(7, 1, 2, 0x202) }, .arg = IS(OWNER, 1) },

	{ "flags of an inode", 0, "inode flags", { R(base[0], 1ULL << 31 | S_IFREG) } },
	{ "owner that is not there", 0, "owner", { R(base[1], CASE_OWNERS) } },
	{ "owner 2^32-1", 0, "owner", { R(base[1], 0xffffffff) } },
	{ "no links", 0, "link count", { R(base[0], S_IFREG) } },
	{ "no type", 0, "file type", { R(base[0], 1ULL << 32 | 0644) } },
	{ "hard-link entries", 0, NULL,
	  { WIDTHS(1ULL << 8 * DSFS_COLUMN_START), R(shift[3], 0), R(base[1], 0), R(base[2], 0),
	    R(base[0], DSFS_INODE_HARDLINK << 16 | S_IFLNK), R(base[3], 3), R(base[4], 0),
	    { CASE_ROWS_FIRST, 3, 0x040200 } }, .arg = IS(START, 7) },
	{ "hard-link entry of itself", 0, "inode of a hard-link entry",
	  { R(base[0], DSFS_INODE_HARDLINK << 16 | S_IFREG), R(width[3], 0),
	    R(base[3], CASE_INODES - 1) } },
};

#undef ROWS_P
#undef R
#undef WIDTHS
#undef LAST
#undef IS
#undef KIND

#endif /* FORMAT_CASES_ROWS_H */
