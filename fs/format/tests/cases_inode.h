/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Test cases of inode records and inode extra records: the rules of inode.c,
 * one defect each
 */
#ifndef FORMAT_CASES_INODE_H
#define FORMAT_CASES_INODE_H

#include "cases_super.h"

/* Inode records, with the geometry of the valid superblock */
enum {
	DSFS_CASE_REG,		/* 5000 bytes at the start of the data area */
	DSFS_CASE_DIR,
	DSFS_CASE_LNK,
	DSFS_CASE_CHR,
	DSFS_CASE_FIFO,
	DSFS_CASE_HARDLINK,
	DSFS_CASE_HOLES,
	DSFS_CASE_XATTRS,
	DSFS_CASE_ALL_EXTRA,	/* a file with every flag of an inode extra record */
};

#define DSFS_CASE_INO		7

struct dsfs_case_inode {
	u16 mode, owner, nlink, flags;
	u32 extra, size, start;
};

static const struct dsfs_case_inode dsfs_case_inodes[] = {
	[DSFS_CASE_REG]	= { S_IFREG | 0644, 2, 1, 0, 0, 5000, DSFS_DATA_START_MIN },
	[DSFS_CASE_DIR]	= { S_IFDIR | 01755, 0, 2, 0, 0, 0, 3 },
	[DSFS_CASE_LNK]	= { S_IFLNK | 0777, 1, 1, 0, 0, 60, 40 },
	[DSFS_CASE_CHR]	= { S_IFCHR | 0600, 0, 1, 0, 0, 0xabcde123, 0 },
	[DSFS_CASE_FIFO] = { S_IFIFO | 0600, 0, 1, 0, 0, 0, 0 },
	[DSFS_CASE_HARDLINK] = { S_IFREG, 0, 0, DSFS_INODE_HARDLINK, 0, 0, 3 },
	[DSFS_CASE_HOLES] = { S_IFREG | 0644, 0, 1, DSFS_INODE_HOLES, 1, 100000,
			      DSFS_DATA_START_MIN },
	[DSFS_CASE_XATTRS] = { S_IFDIR | 0755, 0, 2, DSFS_INODE_XATTRS, 2, 0, 1 },
	[DSFS_CASE_ALL_EXTRA] = { S_IFREG | 04755, 0, 0, DSFS_INODE_NEEDS_EXTRA |
				DSFS_INODE_ACL | DSFS_INODE_SHARED, 3, 100000,
				DSFS_DATA_START_MIN },
};

static inline void dsfs_case_inode(u32 base, struct dsfs_inode *raw)
{
	const struct dsfs_case_inode *i = &dsfs_case_inodes[base];

	memset(raw, 0, sizeof(*raw));
	raw->mode = cpu_to_le16(i->mode);
	raw->owner = cpu_to_le16(i->owner);
	raw->nlink = cpu_to_le16(i->nlink);
	raw->flags = cpu_to_le16(i->flags);
	raw->extra = cpu_to_le32(i->extra);
	raw->size_lo = cpu_to_le32(i->size);
	raw->start_lo = cpu_to_le32(i->start);
	if (base != DSFS_CASE_HARDLINK)
		raw->mtime = cpu_to_le64(-1500000000ULL);
}

/*
 * @geo: of the valid superblock
 */
static inline int dsfs_case_run_inode(const struct dsfs_case *c, void *buf,
				      struct dsfs_geo *geo,
				      struct dsfs_err *err)
{
	struct dsfs_attr attr;

	dsfs_case_inode(c->base, buf);
	dsfs_case_patch(buf, c);
	return dsfs_inode_decode(geo, DSFS_CASE_INO, buf, &attr, err);
}

#define I(n, f, v)	DSFS_P(n, dsfs_inode, f, v)

static const struct dsfs_case dsfs_inode_cases[] = {
	{ "inode: file", DSFS_CASE_REG },
	{ "inode: directory", DSFS_CASE_DIR },
	{ "inode: symlink", DSFS_CASE_LNK },
	{ "inode: character device", DSFS_CASE_CHR },
	{ "inode: block device", DSFS_CASE_CHR, .patch = { I(2, mode, S_IFBLK) } },
	{ "inode: fifo", DSFS_CASE_FIFO },
	{ "inode: socket", DSFS_CASE_FIFO, .patch = { I(2, mode, S_IFSOCK | 0777) } },
	{ "inode: hard-link entry", DSFS_CASE_HARDLINK },
	{ "inode: file with holes", DSFS_CASE_HOLES },
	{ "inode: file with everything", DSFS_CASE_ALL_EXTRA },
	{ "inode: no type", DSFS_CASE_FIFO, .patch = { I(2, mode, 0644) },
	  .ret = DSFS_BAD, .what = "file type" },
	{ "inode: type 15", DSFS_CASE_FIFO, .patch = { I(2, mode, S_IFMT) },
	  .ret = DSFS_BAD, .what = "file type" },
	{ "inode: type 3", DSFS_CASE_FIFO, .patch = { I(2, mode, 0x3000) },
	  .ret = DSFS_BAD, .what = "file type" },
	{ "inode: record of zeros", DSFS_CASE_FIFO,
	  .patch = { I(2, mode, 0), I(2, nlink, 0), I(8, mtime, 0) },
	  .ret = DSFS_BAD, .what = "link count" },

	{ "inode: flag 7", DSFS_CASE_REG, .patch = { I(2, flags, 0x80) },
	  .ret = DSFS_BAD, .what = "inode flags" },
	{ "inode: flag 15", DSFS_CASE_REG, .patch = { I(2, flags, 0x8000) },
	  .ret = DSFS_BAD, .what = "inode flags" },
	{ "inode: shared directory", DSFS_CASE_DIR,
	  .patch = { I(2, flags, DSFS_INODE_SHARED) },
	  .ret = DSFS_BAD, .what = "data flags of no regular file" },
	{ "inode: symlink with holes", DSFS_CASE_LNK,
	  .patch = { I(2, flags, DSFS_INODE_HOLES), I(4, extra, 1) },
	  .ret = DSFS_BAD, .what = "data flags of no regular file" },
	{ "inode: ACL without xattrs", DSFS_CASE_DIR,
	  .patch = { I(2, flags, DSFS_INODE_ACL) },
	  .ret = DSFS_BAD, .what = "ACL flag without xattrs" },
	{ "inode: extra record without flag", DSFS_CASE_REG, .patch = { I(4, extra, 1) },
	  .ret = DSFS_BAD, .what = "extra record against flags" },
	{ "inode: flag without extra record", DSFS_CASE_XATTRS, .patch = { I(4, extra, 0) },
	  .ret = DSFS_BAD, .what = "extra record against flags" },
	{ "inode: last extra record", DSFS_CASE_XATTRS,
	  .patch = { I(4, extra, DSFS_CASE_EXTRAS) } },
	{ "inode: extra record that is not there", DSFS_CASE_XATTRS,
	  .patch = { I(4, extra, DSFS_CASE_EXTRAS + 1) },
	  .ret = DSFS_BAD, .what = "extra record" },
	{ "inode: extra record 2^32-1", DSFS_CASE_XATTRS,
	  .patch = { I(4, extra, 0xffffffff) }, .ret = DSFS_BAD, .what = "extra record" },
	{ "inode: owner that is not there", DSFS_CASE_REG,
	  .patch = { I(2, owner, DSFS_CASE_OWNERS) }, .ret = DSFS_BAD, .what = "owner" },
	{ "inode: two owners", DSFS_CASE_ALL_EXTRA, .patch = { I(2, owner, 1) },
	  .ret = DSFS_BAD, .what = "owner" },
	{ "inode: no links", DSFS_CASE_REG, .patch = { I(2, nlink, 0) },
	  .ret = DSFS_BAD, .what = "link count" },
	{ "inode: two link counts", DSFS_CASE_ALL_EXTRA, .patch = { I(2, nlink, 1) },
	  .ret = DSFS_BAD, .what = "link count" },

	{ "inode: empty file", DSFS_CASE_REG,
	  .patch = { I(4, size_lo, 0), I(4, start_lo, 0) } },
	{ "inode: empty file with a place", DSFS_CASE_REG, .patch = { I(4, size_lo, 0) },
	  .ret = DSFS_BAD, .what = "start of an empty file" },
	{ "inode: file without place", DSFS_CASE_REG, .patch = { I(4, start_lo, 0) },
	  .ret = DSFS_BAD, .what = "start of data" },
	{ "inode: file in the metadata", DSFS_CASE_REG,
	  .patch = { I(4, start_lo, DSFS_CASE_META) },
	  .ret = DSFS_BAD, .what = "start of data" },
	{ "inode: file at 2^47", DSFS_CASE_REG, .patch = { I(2, start_hi, 0x8000) },
	  .ret = DSFS_BAD, .what = "start of data" },
	{ "inode: file to the end of data", DSFS_CASE_REG,
	  .patch = { I(4, size_lo, DSFS_CASE_DATA) } },
	{ "inode: file past the end of data", DSFS_CASE_REG,
	  .patch = { I(4, size_lo, DSFS_CASE_DATA + 1) },
	  .ret = DSFS_BAD, .what = "end of data" },
	{ "inode: file of 2^48-1", DSFS_CASE_REG,
	  .patch = { I(4, size_lo, 0xffffffff), I(2, size_hi, 0xffff) },
	  .ret = DSFS_BAD, .what = "end of data" },
	{ "inode: small file behind another", DSFS_CASE_REG,
	  .patch = { I(4, size_lo, 4000), I(4, start_lo, DSFS_DATA_START_MIN + 96) } },
	{ "inode: small file that crosses a block", DSFS_CASE_REG,
	  .patch = { I(4, size_lo, 4000), I(4, start_lo, DSFS_DATA_START_MIN + 97) },
	  .ret = DSFS_BAD, .what = "unaligned data that crosses a block" },
	{ "inode: large file unaligned", DSFS_CASE_REG,
	  .patch = { I(4, start_lo, DSFS_DATA_START_MIN + 512) },
	  .ret = DSFS_BAD, .what = "unaligned data that crosses a block" },

	{ "inode: directory with a size", DSFS_CASE_DIR, .patch = { I(4, size_lo, 4096) },
	  .ret = DSFS_BAD, .what = "size of a directory" },
	{ "inode: directory with size bits 32-47", DSFS_CASE_DIR,
	  .patch = { I(2, size_hi, 1) }, .ret = DSFS_BAD, .what = "size of a directory" },
	{ "inode: directory record that is not there", DSFS_CASE_DIR,
	  .patch = { I(4, start_lo, DSFS_CASE_DIRS) },
	  .ret = DSFS_BAD, .what = "directory record" },
	{ "inode: directory record 2^32", DSFS_CASE_DIR, .patch = { I(2, start_hi, 1) },
	  .ret = DSFS_BAD, .what = "directory record" },
	{ "inode: empty symlink", DSFS_CASE_LNK, .patch = { I(4, size_lo, 0) },
	  .ret = DSFS_BAD, .what = "length of a symlink" },
	{ "inode: symlink of 4096", DSFS_CASE_LNK, .patch = { I(4, size_lo, 4096) },
	  .ret = DSFS_BAD, .what = "length of a symlink" },
	{ "inode: symlink past the region", DSFS_CASE_LNK, .patch = { I(4, start_lo, 41) },
	  .ret = DSFS_BAD, .what = "place of a symlink's target" },
	{ "inode: symlink far outside", DSFS_CASE_LNK, .patch = { I(2, start_hi, 0xffff) },
	  .ret = DSFS_BAD, .what = "place of a symlink's target" },
	{ "inode: device number of 33 bits", DSFS_CASE_CHR, .patch = { I(2, size_hi, 1) },
	  .ret = DSFS_BAD, .what = "device number" },
	{ "inode: device with a place", DSFS_CASE_CHR, .patch = { I(4, start_lo, 1) },
	  .ret = DSFS_BAD, .what = "start of a special file" },
	{ "inode: fifo with a size", DSFS_CASE_FIFO, .patch = { I(4, size_lo, 1) },
	  .ret = DSFS_BAD, .what = "size of a pipe or socket" },
	{ "inode: fifo with a place", DSFS_CASE_FIFO, .patch = { I(4, start_lo, 1) },
	  .ret = DSFS_BAD, .what = "start of a special file" },

	{ "hard-link entry: other flags", DSFS_CASE_HARDLINK,
	  .patch = { I(2, flags, DSFS_INODE_HARDLINK | DSFS_INODE_SHARED) },
	  .ret = DSFS_BAD, .what = "flags of a hard-link entry" },
	{ "hard-link entry: unknown flags", DSFS_CASE_HARDLINK,
	  .patch = { I(2, flags, DSFS_INODE_HARDLINK | 0x100) },
	  .ret = DSFS_BAD, .what = "flags of a hard-link entry" },
	{ "hard-link entry: permissions", DSFS_CASE_HARDLINK,
	  .patch = { I(2, mode, S_IFREG | 0444) },
	  .ret = DSFS_BAD, .what = "mode of a hard-link entry" },
	{ "hard-link entry: of a directory", DSFS_CASE_HARDLINK, .patch = { I(2, mode, S_IFDIR) },
	  .ret = DSFS_BAD, .what = "mode of a hard-link entry" },
	{ "hard-link entry: of a symlink", DSFS_CASE_HARDLINK, .patch = { I(2, mode, S_IFLNK) } },
	{ "hard-link entry: no type", DSFS_CASE_HARDLINK, .patch = { I(2, mode, 0) },
	  .ret = DSFS_BAD, .what = "mode of a hard-link entry" },
	{ "hard-link entry: type 15", DSFS_CASE_HARDLINK, .patch = { I(2, mode, S_IFMT) },
	  .ret = DSFS_BAD, .what = "mode of a hard-link entry" },
	{ "hard-link entry: of inode 0", DSFS_CASE_HARDLINK, .patch = { I(4, start_lo, 0) },
	  .ret = DSFS_BAD, .what = "inode of a hard-link entry" },
	{ "hard-link entry: of the root", DSFS_CASE_HARDLINK, .patch = { I(4, start_lo, 1) },
	  .ret = DSFS_BAD, .what = "inode of a hard-link entry" },
	{ "hard-link entry: of itself", DSFS_CASE_HARDLINK,
	  .patch = { I(4, start_lo, DSFS_CASE_INO) },
	  .ret = DSFS_BAD, .what = "inode of a hard-link entry" },
	{ "hard-link entry: of what is not there", DSFS_CASE_HARDLINK,
	  .patch = { I(4, start_lo, DSFS_CASE_INODES) },
	  .ret = DSFS_BAD, .what = "inode of a hard-link entry" },
	{ "hard-link entry: of 2^32 + 3", DSFS_CASE_HARDLINK, .patch = { I(2, start_hi, 1) },
	  .ret = DSFS_BAD, .what = "inode of a hard-link entry" },
	{ "hard-link entry: size", DSFS_CASE_HARDLINK, .patch = { I(4, size_lo, 1) },
	  .ret = DSFS_BAD, .what = "unused fields of a hard-link entry" },
	{ "hard-link entry: extra record", DSFS_CASE_HARDLINK, .patch = { I(4, extra, 1) },
	  .ret = DSFS_BAD, .what = "unused fields of a hard-link entry" },
	{ "hard-link entry: owner", DSFS_CASE_HARDLINK, .patch = { I(2, owner, 1) },
	  .ret = DSFS_BAD, .what = "unused fields of a hard-link entry" },
	{ "hard-link entry: link count", DSFS_CASE_HARDLINK, .patch = { I(2, nlink, 1) },
	  .ret = DSFS_BAD, .what = "unused fields of a hard-link entry" },
	{ "hard-link entry: mtime", DSFS_CASE_HARDLINK, .patch = { I(8, mtime, 1) },
	  .ret = DSFS_BAD, .what = "unused fields of a hard-link entry" },
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
		raw->first_extent = cpu_to_le32(DSFS_CASE_EXTENTS - 2);
		raw->extents = cpu_to_le32(2);
	}
	if (flags & DSFS_INODE_EXTRA_NLINK)
		raw->nlink = cpu_to_le32(70000);
	if (flags & DSFS_INODE_EXTRA_OWNER) {
		raw->uid = cpu_to_le32(0xfffffffe);
		raw->gid = cpu_to_le32(4000000000U);
	}
}

static inline int dsfs_case_run_extra(const struct dsfs_case *c, void *buf,
				      struct dsfs_geo *geo, struct dsfs_err *err)
{
	struct dsfs_extra_info extra;
	struct dsfs_attr attr;
	int ret;

	dsfs_case_inode(c->base, buf);
	if (c->arg)	/* a file of one hole */
		((struct dsfs_inode *)buf)->start_lo = 0;
	ret = dsfs_inode_decode(geo, DSFS_CASE_INO, buf, &attr, err);
	if (ret)
		return ret;
	dsfs_case_extra(c->base, buf);
	dsfs_case_patch(buf, c);
	return dsfs_extra_decode(geo, &attr, buf, &extra, err);
}

#define X(n, f, v)	DSFS_P(n, dsfs_extra, f, v)
/* stored, first_extent, extents */
#define NO_EXTENTS	{ offsetof(struct dsfs_extra, stored), 16, 0 }

static const struct dsfs_case dsfs_extra_cases[] = {
	{ "extra: holes", DSFS_CASE_HOLES },
	{ "extra: xattrs", DSFS_CASE_XATTRS },
	{ "extra: everything", DSFS_CASE_ALL_EXTRA },
	{ "extra: first reserved byte", DSFS_CASE_HOLES,
	  .patch = { DSFS_P8(dsfs_extra, reserved, 0, 1) },
	  .ret = DSFS_BAD, .what = "extra record reserved bytes" },
	{ "extra: last reserved byte", DSFS_CASE_HOLES,
	  .patch = { DSFS_P8(dsfs_extra, reserved, 27, 1) },
	  .ret = DSFS_BAD, .what = "extra record reserved bytes" },
	{ "extra: xattrs without flag", DSFS_CASE_HOLES, .patch = { X(8, xattrs, 16) },
	  .ret = DSFS_BAD, .what = "place of xattrs" },
	{ "extra: xattrs at 0", DSFS_CASE_XATTRS, .patch = { X(8, xattrs, 0) } },
	{ "extra: xattrs unaligned", DSFS_CASE_XATTRS, .patch = { X(8, xattrs, 18) },
	  .ret = DSFS_BAD, .what = "place of xattrs" },
	{ "extra: xattrs past the region", DSFS_CASE_XATTRS, .patch = { X(8, xattrs, 400) },
	  .ret = DSFS_BAD, .what = "place of xattrs" },
	{ "extra: xattrs at 2^63", DSFS_CASE_XATTRS, .patch = { X(8, xattrs, 1ULL << 63) },
	  .ret = DSFS_BAD, .what = "place of xattrs" },
	{ "extra: uid without flag", DSFS_CASE_HOLES, .patch = { X(4, uid, 1) },
	  .ret = DSFS_BAD, .what = "owner in the extra record" },
	{ "extra: gid without flag", DSFS_CASE_XATTRS, .patch = { X(4, gid, 1) },
	  .ret = DSFS_BAD, .what = "owner in the extra record" },
	{ "extra: root as owner", DSFS_CASE_ALL_EXTRA, .patch = { X(4, uid, 0), X(4, gid, 0) } },
	{ "extra: links without flag", DSFS_CASE_HOLES, .patch = { X(4, nlink, 1) },
	  .ret = DSFS_BAD, .what = "link count in the extra record" },
	{ "extra: no links", DSFS_CASE_ALL_EXTRA, .patch = { X(4, nlink, 0) },
	  .ret = DSFS_BAD, .what = "link count in the extra record" },
	{ "extra: extents without flag", DSFS_CASE_XATTRS, .patch = { X(4, extents, 1) },
	  .ret = DSFS_BAD, .what = "extents of a file without holes" },
	{ "extra: first extent without flag", DSFS_CASE_XATTRS,
	  .patch = { X(4, first_extent, 1) },
	  .ret = DSFS_BAD, .what = "extents of a file without holes" },
	{ "extra: stored without flag", DSFS_CASE_XATTRS, .patch = { X(8, stored, 1) },
	  .ret = DSFS_BAD, .what = "extents of a file without holes" },
	{ "extra: extents that store nothing", DSFS_CASE_HOLES, .patch = { X(8, stored, 0) },
	  .ret = DSFS_BAD, .what = "stored bytes against extents" },
	{ "extra: stored without extents", DSFS_CASE_HOLES, .patch = { X(4, extents, 0) },
	  .ret = DSFS_BAD, .what = "stored bytes against extents" },
	{ "extra: as much stored as the file is long", DSFS_CASE_HOLES,
	  .patch = { X(8, stored, 100000) },
	  .ret = DSFS_BAD, .what = "stored bytes of a file with holes" },
	{ "extra: 2^64-1 stored", DSFS_CASE_HOLES, .patch = { X(8, stored, ~0ULL) },
	  .ret = DSFS_BAD, .what = "stored bytes of a file with holes" },
	{ "extra: one hole", DSFS_CASE_HOLES, 1, .patch = { NO_EXTENTS } },
	{ "extra: one hole with a place", DSFS_CASE_HOLES, .patch = { NO_EXTENTS },
	  .ret = DSFS_BAD, .what = "start of a file without data" },
	{ "extra: one hole with a first extent", DSFS_CASE_HOLES, 1,
	  .patch = { X(8, stored, 0), X(4, extents, 0) },
	  .ret = DSFS_BAD, .what = "start of a file without data" },
	{ "extra: data without a place", DSFS_CASE_HOLES, 1,
	  .ret = DSFS_BAD, .what = "start of data" },
	{ "extra: all extents", DSFS_CASE_HOLES,
	  .patch = { X(4, first_extent, 0), X(4, extents, DSFS_CASE_EXTENTS) } },
	{ "extra: extent that is not there", DSFS_CASE_HOLES,
	  .patch = { X(4, first_extent, DSFS_CASE_EXTENTS - 1) },
	  .ret = DSFS_BAD, .what = "extent records" },
	{ "extra: too many extents", DSFS_CASE_HOLES,
	  .patch = { X(4, first_extent, 0), X(4, extents, DSFS_CASE_EXTENTS + 1) },
	  .ret = DSFS_BAD, .what = "extent records" },
	{ "extra: extents wrap", DSFS_CASE_HOLES,
	  .patch = { X(4, first_extent, 0xffffffff) }, .ret = DSFS_BAD, .what = "extent records" },
	{ "extra: data past the end", DSFS_CASE_HOLES,
	  .patch = { X(8, stored, DSFS_CASE_DATA + 1) },
	  .ret = DSFS_BAD, .what = "end of data" },
};

#undef I
#undef X
#undef NO_EXTENTS

#endif /* FORMAT_CASES_INODE_H */
