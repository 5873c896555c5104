/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Test cases of inodes, inode extra records and frames: the rules of inode.c, extra.c and
 * compressed.c, one defect each
 */
#ifndef FORMAT_CASES_INODE_H
#define FORMAT_CASES_INODE_H

#include "cases_super.h"

/* Inodes, with the geometry of the valid superblock */
enum {
	CASE_REG,		/* 5000 bytes at the start of the data area */
	CASE_DIR,
	CASE_LNK,
	CASE_CHR,
	CASE_FIFO,
	CASE_HARDLINK,
	CASE_HOLES,
	CASE_XATTRS,
	CASE_ALL_EXTRA,	/* a file with every flag of an inode extra record */
	CASE_PACKED,	/* a compressed file of three units, the last ones of UNITS */
};

#define CASE_INO		7

struct dsfs_case_inode {
	u16 mode, flags;
	u32 nlink, owner, extra, size, start, stored, units;
};

static const struct dsfs_case_inode dsfs_case_inodes[] = {
	[CASE_REG]	= { S_IFREG | 0644, 0, 1, 2, 0, 5000, DSFS_DATA_START_MIN },
	[CASE_DIR]	= { S_IFDIR | 01755, 0, 2, 0, 0, 0, 3 },
	[CASE_LNK]	= { S_IFLNK | 0777, 0, 1, 1, 0, 60, 40 },
	[CASE_CHR]	= { S_IFCHR | 0600, 0, 1, 0, 0, 0xabcde123, 0 },
	[CASE_FIFO]	= { S_IFIFO | 0600, 0, 1, 0, 0, 0, 0 },
	[CASE_HARDLINK]	= { S_IFREG, DSFS_INODE_HARDLINK, 0, 0, 0, 0, 3 },
	[CASE_HOLES]	= { S_IFREG | 0644, DSFS_INODE_HOLES, 1, 0, 1, 100000,
			    DSFS_DATA_START_MIN },
	[CASE_XATTRS]	= { S_IFDIR | 0755, DSFS_INODE_XATTRS, 2, 0, 2, 0, 1 },
	[CASE_ALL_EXTRA] = { S_IFREG | 04755, DSFS_INODE_NEEDS_EXTRA | DSFS_INODE_ACL |
			     DSFS_INODE_SHARED, 1, 0, 3, 100000, DSFS_DATA_START_MIN },
	[CASE_PACKED]	= { S_IFREG | 0644, DSFS_INODE_ZSTD, 1, 0, 0, 300000,
			    DSFS_DATA_START_MIN, 5000, CASE_UNITS - 3 },
};

/* A row whose columns have all their eight bytes, so that a patch of a field is one of the row */
struct dsfs_case_row {
	__le16 mode;
	__le16 flags;
	__le32 nlink;
	__le32 owner;
	__le32 extra;
	__le64 size;
	__le64 start;
	__le64 mtime;
	__le64 sum;
	__le64 stored;
	__le64 units;
};

static inline void dsfs_case_inode(u32 base, struct dsfs_case_row *row)
{
	const struct dsfs_case_inode *i = &dsfs_case_inodes[base];

	memset(row, 0, sizeof(*row));
	row->mode = cpu_to_le16(i->mode);
	row->flags = cpu_to_le16(i->flags);
	row->nlink = cpu_to_le32(i->nlink);
	row->owner = cpu_to_le32(i->owner);
	row->extra = cpu_to_le32(i->extra);
	row->size = cpu_to_le64(i->size);
	row->start = cpu_to_le64(i->start);
	row->stored = cpu_to_le64(i->stored);
	row->units = cpu_to_le64(i->units);
	if (base == CASE_HARDLINK)
		return;
	row->mtime = cpu_to_le64(-1500000000ULL);
	row->sum = cpu_to_le64(0x89abcdef);
}

/* Read it as the only one of a name block, whose slot and name nobody looks at. */
static inline int dsfs_case_inode_get(const struct dsfs_case_row *row, void *buf,
				      const struct dsfs_geo *geo, struct dsfs_attr *attr,
				      struct dsfs_err *err)
{
	struct dsfs_names *names = buf;
	const u32 end = sizeof(*names) + sizeof(__le32);	/* so that rows are aligned */
	struct dsfs_rows *rows = buf + end;
	int ret;

	memset(buf, 0, end + sizeof(*rows));
	names->count = cpu_to_le16(1);
	names->end = cpu_to_le16(end);
	memset(rows->width, sizeof(__le64), sizeof(rows->width));
	memcpy(rows + 1, row, sizeof(*row));
	attr->ino = CASE_INO;
	ret = dsfs_rows_decode(names, end + sizeof(*rows) + sizeof(*row), 0, attr, err);
	return ret ? ret : dsfs_inode_check(geo, attr, err);
}

/*
 * @geo: of the valid superblock; @arg: which has no compressed files. -EINVAL: a good inode is not
 * what its row says.
 */
static inline int dsfs_case_run_inode(const struct dsfs_case *c, void *buf, struct dsfs_geo *geo,
				      struct dsfs_err *err)
{
	struct dsfs_case_row row;
	struct dsfs_attr a;
	bool device;
	u64 size;
	int ret;

	if (c->arg)
		geo->incompat = 0;
	dsfs_case_inode(c->base, &row);
	dsfs_case_patch(&row, c);
	ret = dsfs_case_inode_get(&row, buf, geo, &a, err);
	if (ret)
		return ret;
	size = le64_to_cpu(row.size);
	device = S_ISCHR(a.mode) || S_ISBLK(a.mode);
	if (a.ino != CASE_INO || a.mode != le16_to_cpu(row.mode) ||
	    a.flags != le16_to_cpu(row.flags) || a.nlink != le32_to_cpu(row.nlink) ||
	    a.owner != le32_to_cpu(row.owner) || a.extra != le32_to_cpu(row.extra) ||
	    a.size != (device ? 0 : size) || a.rdev != (device ? size : 0) ||
	    a.start != le64_to_cpu(row.start) || a.mtime != (s64)le64_to_cpu(row.mtime) ||
	    a.sum != le64_to_cpu(row.sum) || a.stored != le64_to_cpu(row.stored) ||
	    a.units != le64_to_cpu(row.units))
		return -EINVAL;
	return 0;
}

#define I(f, v)	DSFS_P(v, struct dsfs_case_row, f)

static const struct dsfs_case dsfs_inode_cases[] = {
	{ "file", CASE_REG },
	{ "directory", CASE_DIR },
	{ "symlink", CASE_LNK },
	{ "character device", CASE_CHR },
	{ "block device", CASE_CHR, NULL, { I(mode, S_IFBLK) } },
	{ "fifo", CASE_FIFO },
	{ "socket", CASE_FIFO, NULL, { I(mode, S_IFSOCK | 0777) } },
	{ "hard-link entry", CASE_HARDLINK },
	{ "file with holes", CASE_HOLES },
	{ "file with everything", CASE_ALL_EXTRA },
	{ "no type", CASE_FIFO, "file type", { I(mode, 0644) } },
	{ "type 15", CASE_FIFO, "file type", { I(mode, S_IFMT) } },
	{ "type 3", CASE_FIFO, "file type", { I(mode, 0x3000) } },
	{ "row of zeros", CASE_FIFO, "link count", { I(mode, 0), I(nlink, 0), I(mtime, 0) } },

	{ "compressed file", CASE_PACKED },
	{ "compressed file with everything but holes", CASE_PACKED, NULL,
	  { I(flags, DSFS_INODE_LZ4 | DSFS_INODE_XATTRS | DSFS_INODE_SHARED), I(extra, 1) } },
	{ "compressed directory", CASE_DIR, "data flags of no regular file",
	  { I(flags, DSFS_INODE_ZSTD), I(stored, 1) } },
	{ "compressed file without the feature", CASE_PACKED, "compressed file without the feature",
	  .arg = 1 },
	{ "file without the feature", CASE_REG, .arg = 1 },
	{ "compressed by two codecs", CASE_PACKED, "codec", { I(flags, DSFS_INODE_COMPRESSED) } },
	{ "compressed file with holes", CASE_PACKED, "compressed file with holes",
	  { I(flags, DSFS_INODE_ZSTD | DSFS_INODE_HOLES), I(extra, 1) } },
	{ "nothing stored", CASE_PACKED, "stored bytes of a compressed file", { I(stored, 0) } },
	{ "nothing saved", CASE_PACKED, "stored bytes of a compressed file",
	  { I(stored, 5000), I(size, 5000) } },
	{ "frames in all of the data area", CASE_PACKED, NULL, { I(stored, CASE_DATA) } },
	{ "frames behind the data area", CASE_PACKED, "end of data", { I(stored, CASE_DATA + 1) } },
	{ "stored bytes 2^32", CASE_PACKED, "value of a column", { I(stored, 1ULL << 32) } },
	{ "first units", CASE_PACKED, NULL, { I(units, 0) } },
	{ "one unit too far", CASE_PACKED, "place of units", { I(units, CASE_UNITS - 2) } },
	{ "units 2^32-1", CASE_PACKED, "place of units", { I(units, 0xffffffff) } },
	{ "units 2^32", CASE_PACKED, "value of a column", { I(units, 1ULL << 32) } },
	{ "more units than ends", CASE_PACKED, "place of units",
	  { I(units, 0), I(size, (CASE_UNITS << 17) + 1) } },
	{ "two units", CASE_PACKED, NULL, { I(size, 1 << 18), I(units, CASE_UNITS - 2) } },
	{ "one unit", CASE_PACKED, NULL, { I(size, 1 << 17), I(units, 0) } },
	{ "one unit with an end", CASE_PACKED, "place of units",
	  { I(size, 1 << 17), I(units, 1) } },
	{ "stored bytes without codec", CASE_REG, "frames of a file that is not compressed",
	  { I(stored, 1) } },
	{ "units without codec", CASE_XATTRS, "frames of a file that is not compressed",
	  { I(units, 1) } },
	{ "flag 7", CASE_REG, "inode flags", { I(flags, 0x80) } },
	{ "flag 15", CASE_REG, "inode flags", { I(flags, 0x8000) } },
	{ "shared directory", CASE_DIR, "data flags of no regular file",
	  { I(flags, DSFS_INODE_SHARED) } },
	{ "symlink with holes", CASE_LNK, "data flags of no regular file",
	  { I(flags, DSFS_INODE_HOLES), I(extra, 1) } },
	{ "ACL without xattrs", CASE_DIR, "ACL flag without xattrs", { I(flags, DSFS_INODE_ACL) } },
	{ "extra record without flag", CASE_REG, "extra record against flags", { I(extra, 1) } },
	{ "flag without extra record", CASE_XATTRS, "extra record against flags", { I(extra, 0) } },
	{ "last extra record", CASE_XATTRS, NULL, { I(extra, CASE_EXTRAS) } },
	{ "extra record that is not there", CASE_XATTRS, "extra record",
	  { I(extra, CASE_EXTRAS + 1) } },
	{ "extra record 2^16", CASE_XATTRS, "extra record", { I(extra, 1 << 16) } },
	{ "extra record 2^32-1", CASE_XATTRS, "extra record", { I(extra, 0xffffffff) } },
	{ "owner that is not there", CASE_REG, "owner", { I(owner, CASE_OWNERS) } },
	{ "owner 2^16", CASE_REG, "owner", { I(owner, 1 << 16) } },
	{ "owner with an extra record", CASE_ALL_EXTRA, NULL, { I(owner, CASE_OWNERS - 1) } },
	{ "owner that is not there, with an extra record", CASE_ALL_EXTRA, "owner",
	  { I(owner, CASE_OWNERS) } },
	{ "no links", CASE_REG, "link count", { I(nlink, 0) } },
	{ "no links, with an extra record", CASE_ALL_EXTRA, "link count", { I(nlink, 0) } },
	{ "2^32-1 links", CASE_REG, NULL, { I(nlink, 0xffffffff) } },

	{ "empty file", CASE_REG, NULL, { I(size, 0), I(start, 0) } },
	{ "empty file with a place", CASE_REG, "start of an empty file", { I(size, 0) } },
	{ "file without place", CASE_REG, "start of data", { I(start, 0) } },
	{ "file in the metadata", CASE_REG, "start of data", { I(start, CASE_META) } },
	{ "file at 2^47", CASE_REG, "start of data", { I(start, 1ULL << 47) } },
	{ "file to the end of data", CASE_REG, NULL, { I(size, CASE_DATA) } },
	{ "file past the end of data", CASE_REG, "end of data", { I(size, CASE_DATA + 1) } },
	{ "file of 2^48-1", CASE_REG, "end of data", { I(size, (1ULL << 48) - 1) } },
	{ "file of 2^48", CASE_REG, "value of a column", { I(size, 1ULL << 48) } },
	{ "small file behind another", CASE_REG, NULL,
	  { I(size, 4000), I(start, DSFS_DATA_START_MIN + 96) } },
	{ "small file that crosses a block", CASE_REG, "unaligned data that crosses a block",
	  { I(size, 4000), I(start, DSFS_DATA_START_MIN + 97) } },
	{ "large file unaligned", CASE_REG, "unaligned data that crosses a block",
	  { I(start, DSFS_DATA_START_MIN + 512) } },

	{ "directory with a size", CASE_DIR, "size of a directory", { I(size, 4096) } },
	{ "directory of 2^32", CASE_DIR, "size of a directory", { I(size, 1ULL << 32) } },
	{ "directory record that is not there", CASE_DIR, "directory record",
	  { I(start, CASE_DIRS) } },
	{ "directory record 2^32", CASE_DIR, "directory record", { I(start, 1ULL << 32) } },
	{ "empty symlink", CASE_LNK, "length of a symlink", { I(size, 0) } },
	{ "symlink of 4096", CASE_LNK, "length of a symlink", { I(size, 4096) } },
	{ "symlink past the region", CASE_LNK, "place of a symlink's target", { I(start, 41) } },
	{ "symlink far outside", CASE_LNK, "place of a symlink's target",
	  { I(start, 0xffff00000000ULL) } },
	{ "device number of 33 bits", CASE_CHR, "device number", { I(size, 1ULL << 32) } },
	{ "device with a place", CASE_CHR, "start of a special file", { I(start, 1) } },
	{ "fifo with a size", CASE_FIFO, "size of a pipe or socket", { I(size, 1) } },
	{ "fifo with a place", CASE_FIFO, "start of a special file", { I(start, 1) } },

	{ "hard-link entry: other flags", CASE_HARDLINK, "flags of a hard-link entry",
	  { I(flags, DSFS_INODE_HARDLINK | DSFS_INODE_SHARED) } },
	{ "hard-link entry: unknown flags", CASE_HARDLINK, "flags of a hard-link entry",
	  { I(flags, DSFS_INODE_HARDLINK | 0x80) } },
	{ "hard-link entry: permissions", CASE_HARDLINK, "mode of a hard-link entry",
	  { I(mode, S_IFREG | 0444) } },
	{ "hard-link entry: of a directory", CASE_HARDLINK, "mode of a hard-link entry",
	  { I(mode, S_IFDIR) } },
	{ "hard-link entry: of a symlink", CASE_HARDLINK, NULL, { I(mode, S_IFLNK) } },
	{ "hard-link entry: no type", CASE_HARDLINK, "mode of a hard-link entry", { I(mode, 0) } },
	{ "hard-link entry: type 15", CASE_HARDLINK, "mode of a hard-link entry",
	  { I(mode, S_IFMT) } },
	{ "hard-link entry: of inode 0", CASE_HARDLINK, "inode of a hard-link entry",
	  { I(start, 0) } },
	{ "hard-link entry: of the root", CASE_HARDLINK, "inode of a hard-link entry",
	  { I(start, 1) } },
	{ "hard-link entry: of itself", CASE_HARDLINK, "inode of a hard-link entry",
	  { I(start, CASE_INO) } },
	{ "hard-link entry: of what is not there", CASE_HARDLINK, "inode of a hard-link entry",
	  { I(start, CASE_INODES) } },
	{ "hard-link entry: of 2^32 + 3", CASE_HARDLINK, "inode of a hard-link entry",
	  { I(start, (1ULL << 32) + 3) } },
	{ "hard-link entry: size", CASE_HARDLINK, "unused fields of a hard-link entry",
	  { I(size, 1) } },
	{ "hard-link entry: extra record", CASE_HARDLINK, "unused fields of a hard-link entry",
	  { I(extra, 1) } },
	{ "hard-link entry: owner", CASE_HARDLINK, "unused fields of a hard-link entry",
	  { I(owner, 1) } },
	{ "hard-link entry: link count", CASE_HARDLINK, "unused fields of a hard-link entry",
	  { I(nlink, 1) } },
	{ "hard-link entry: mtime", CASE_HARDLINK, "unused fields of a hard-link entry",
	  { I(mtime, 1) } },
	{ "hard-link entry: frames", CASE_HARDLINK, "unused fields of a hard-link entry",
	  { I(stored, 1) } },
	{ "hard-link entry: units", CASE_HARDLINK, "unused fields of a hard-link entry",
	  { I(units, 1) } },
};

/* The root of the valid superblock. -EINVAL: a good one is not what the superblock says. */
static inline int dsfs_case_run_root(const struct dsfs_case *c, void *buf, struct dsfs_geo *geo,
				     struct dsfs_err *err)
{
	const struct dsfs_root *raw = &geo->root;
	struct dsfs_attr a;
	int ret;

	dsfs_case_patch(&geo->root, c);
	ret = dsfs_root_decode(geo, &a, err);
	if (ret)
		return ret;
	if (a.ino != DSFS_ROOT_INO || a.mode != le16_to_cpu(raw->mode) ||
	    a.flags != le16_to_cpu(raw->flags) || a.nlink != le32_to_cpu(raw->nlink) ||
	    a.owner != le32_to_cpu(raw->owner) || a.extra != le32_to_cpu(raw->extra) ||
	    a.mtime != (s64)le64_to_cpu(raw->mtime) || a.size || a.start || a.rdev || a.sum ||
	    a.stored || a.units)
		return -EINVAL;
	return 0;
}

#define RT(f, v)	DSFS_P(v, struct dsfs_root, f)

static const struct dsfs_case dsfs_root_cases[] = {
	{ "good" },
	{ "with an extra record", 0, NULL,
	  { RT(flags, DSFS_INODE_XATTRS), RT(extra, CASE_EXTRAS) } },
	{ "extra record without flag", 0, "extra record against flags", { RT(extra, 1) } },
	{ "flag without extra record", 0, "extra record against flags",
	  { RT(flags, DSFS_INODE_XATTRS) } },
	{ "extra record that is not there", 0, "extra record",
	  { RT(flags, DSFS_INODE_XATTRS), RT(extra, CASE_EXTRAS + 1) } },
	{ "unknown flag", 0, "inode flags", { RT(flags, 0x8000) } },
	{ "no type", 0, "file type", { RT(mode, 0755) } },
	{ "owner that is not there", 0, "owner", { RT(owner, CASE_OWNERS) } },
	{ "2^32-1 links", 0, NULL, { RT(nlink, 0xffffffff) } },
	{ "no links", 0, "link count", { RT(nlink, 0) } },
	{ "hard-link entry", 0, "mode of a hard-link entry", { RT(flags, DSFS_INODE_HARDLINK) } },
	{ "hard-link entry of a file", 0, "inode of a hard-link entry",
	  { RT(flags, DSFS_INODE_HARDLINK), RT(mode, S_IFREG) } },
};

/* Inode extra records; @base: the inode */
static inline void dsfs_case_extra(u32 base, struct dsfs_extra *raw)
{
	const u16 flags = dsfs_case_inodes[base].flags;

	memset(raw, 0, sizeof(*raw));
	if (flags & DSFS_INODE_XATTRS)
		raw->xattrs = cpu_to_le64(16);
	if (flags & DSFS_INODE_HOLES) {
		raw->stored = cpu_to_le64(8192);
		raw->first_extent = cpu_to_le32(CASE_EXTENTS - 2);
		raw->extents = cpu_to_le32(2);
	}
}

/* @arg: the inode has no *start*: a file of one hole */
static inline int dsfs_case_run_extra(const struct dsfs_case *c, void *buf, struct dsfs_geo *geo,
				      struct dsfs_err *err)
{
	struct dsfs_extra_info extra;
	struct dsfs_case_row row;
	struct dsfs_attr attr;
	int ret;

	dsfs_case_inode(c->base, &row);
	if (c->arg)
		row.start = 0;
	ret = dsfs_case_inode_get(&row, buf, geo, &attr, err);
	if (ret)
		return ret;
	dsfs_case_extra(c->base, buf);
	dsfs_case_patch(buf, c);
	return dsfs_extra_decode(geo, &attr, buf, &extra, err);
}

#define X(f, v)	DSFS_P(v, struct dsfs_extra, f)
/* stored, first_extent, extents */
#define NO_EXTENTS	{ offsetof(struct dsfs_extra, stored), 16, 0 }

static const struct dsfs_case dsfs_extra_cases[] = {
	{ "holes", CASE_HOLES },
	{ "xattrs", CASE_XATTRS },
	{ "everything", CASE_ALL_EXTRA },
	{ "first reserved byte", CASE_HOLES, "extra record reserved bytes", { X(reserved, 1) } },
	{ "last reserved byte", CASE_HOLES, "extra record reserved bytes",
	  { X(reserved, 1ULL << 63) } },
	{ "xattrs without flag", CASE_HOLES, "place of xattrs", { X(xattrs, 16) } },
	{ "xattrs at 0", CASE_XATTRS, NULL, { X(xattrs, 0) } },
	{ "xattrs unaligned", CASE_XATTRS, "place of xattrs", { X(xattrs, 18) } },
	{ "xattrs past the region", CASE_XATTRS, "place of xattrs", { X(xattrs, 400) } },
	{ "xattrs at 2^63", CASE_XATTRS, "place of xattrs", { X(xattrs, 1ULL << 63) } },
	{ "extents without flag", CASE_XATTRS, "extents of a file without holes",
	  { X(extents, 1) } },
	{ "first extent without flag", CASE_XATTRS, "extents of a file without holes",
	  { X(first_extent, 1) } },
	{ "stored without flag", CASE_XATTRS, "extents of a file without holes", { X(stored, 1) } },
	{ "extents that store nothing", CASE_HOLES, "stored bytes against extents",
	  { X(stored, 0) } },
	{ "stored without extents", CASE_HOLES, "stored bytes against extents", { X(extents, 0) } },
	{ "as much stored as the file is long", CASE_HOLES, "stored bytes of a file with holes",
	  { X(stored, 100000) } },
	{ "2^64-1 stored", CASE_HOLES, "stored bytes of a file with holes", { X(stored, ~0ULL) } },
	{ "one hole", CASE_HOLES, NULL, { NO_EXTENTS }, .arg = 1 },
	{ "one hole with a place", CASE_HOLES, "start of a file without data", { NO_EXTENTS } },
	{ "one hole with a first extent", CASE_HOLES, "start of a file without data",
	  { X(stored, 0), X(extents, 0) }, .arg = 1 },
	{ "data without a place", CASE_HOLES, "start of data", .arg = 1 },
	{ "all extents", CASE_HOLES, NULL, { X(first_extent, 0), X(extents, CASE_EXTENTS) } },
	{ "extent that is not there", CASE_HOLES, "extent records",
	  { X(first_extent, CASE_EXTENTS - 1) } },
	{ "too many extents", CASE_HOLES, "extent records",
	  { X(first_extent, 0), X(extents, CASE_EXTENTS + 1) } },
	{ "extents wrap", CASE_HOLES, "extent records", { X(first_extent, 0xffffffff) } },
	{ "data past the end", CASE_HOLES, "end of data", { X(stored, CASE_DATA + 1) } },
};

/* What is looked up for a unit: little-endian, as patches are */
struct dsfs_case_frame {
	__le64 size;	/* of the file */
	__le64 unit;
	__le32 from;
	__le32 to;
	__le32 stored;
};

/* The second of three units, of which the last one has 100 bytes */
static inline int dsfs_case_run_frame(const struct dsfs_case *c, void *buf,
				      struct dsfs_geo *geo, struct dsfs_err *err)
{
	struct dsfs_case_frame f = {
		.size = cpu_to_le64(2 * DSFS_UNIT_SIZE + 100), .unit = cpu_to_le64(1),
		.from = cpu_to_le32(16), .to = cpu_to_le32(2000), .stored = cpu_to_le32(2099),
	};
	struct dsfs_attr attr = { .flags = DSFS_INODE_ZSTD };

	(void)buf;
	(void)geo;
	dsfs_case_patch(&f, c);
	attr.size = le64_to_cpu(f.size);
	attr.stored = le32_to_cpu(f.stored);
	return dsfs_frame_check(&attr, le64_to_cpu(f.unit), le32_to_cpu(f.from),
				le32_to_cpu(f.to), err);
}

#define FR(f, v)	DSFS_P(v, struct dsfs_case_frame, f)

static const struct dsfs_case dsfs_frame_cases[] = {
	{ "frame" },
	{ "frame that is its unit", 0, NULL, { FR(to, 16 + (1 << 17)), FR(stored, 1 << 18) } },
	{ "frame longer than its unit", 0, "length of a frame",
	  { FR(to, 17 + (1 << 17)), FR(stored, 1 << 18) } },
	{ "frame of no byte", 0, "end of a frame", { FR(to, 16) } },
	{ "end that goes back", 0, "end of a frame", { FR(to, 15) } },
	{ "end at 0", 0, "end of a frame", { FR(unit, 0), FR(from, 0), FR(to, 0) } },
	{ "end behind what is stored", 0, "end of a frame", { FR(to, 2100) } },
	{ "end at 2^32-1", 0, "end of a frame", { FR(to, 0xffffffff) } },
	{ "begin behind what is stored", 0, "end of a frame", { FR(from, 2099), FR(to, 2100) } },
	{ "a 256th of its unit", 0, NULL, { FR(to, 16 + 512) } },
	{ "less than a 256th", 0, "content of a frame", { FR(to, 16 + 511) } },
	{ "last frame", 0, NULL, { FR(unit, 2), FR(from, 2000), FR(to, 2099) } },
	{ "last frame as long as its unit", 0, NULL,
	  { FR(unit, 2), FR(from, 1999), FR(to, 2099) } },
	{ "last frame longer than its unit", 0, "length of a frame",
	  { FR(unit, 2), FR(from, 1998), FR(to, 2099) } },
	{ "last frame of a byte", 0, NULL, { FR(unit, 2), FR(from, 2098), FR(to, 2099) } },
	{ "last frame that ends early", 0, "end of a frame",
	  { FR(unit, 2), FR(from, 2000), FR(to, 2098) } },
	{ "only frame", 0, NULL,
	  { FR(size, 1 << 17), FR(unit, 0), FR(from, 0), FR(to, 512), FR(stored, 512) } },
	{ "only frame, too short", 0, "content of a frame",
	  { FR(size, 1 << 17), FR(unit, 0), FR(from, 0), FR(to, 511), FR(stored, 511) } },
	{ "unit far behind", 0, NULL,
	  { FR(size, 1ULL << 47), FR(unit, (1ULL << 30) - 1), FR(from, 0xfffff000),
	    FR(to, 0xffffffff), FR(stored, 0xffffffff) } },
	{ "unit far behind, too long", 0, "length of a frame",
	  { FR(size, 1ULL << 47), FR(unit, (1ULL << 30) - 1), FR(from, 0xfffdfffe),
	    FR(to, 0xffffffff), FR(stored, 0xffffffff) } },
};

#undef I
#undef RT
#undef X
#undef FR
#undef NO_EXTENTS

#endif /* FORMAT_CASES_INODE_H */
