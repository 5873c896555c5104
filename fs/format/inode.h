/* SPDX-License-Identifier: GPL-2.0 */
/* Inodes, their rows, and what few of them have: inode.c, rows.c, extra.c */
#ifndef DSFS_FORMAT_INODE_H
#define DSFS_FORMAT_INODE_H

#include "access.h"

/**
 * struct dsfs_attr - a decoded inode
 * @size: file size in bytes; 0 for a directory
 * @start: byte offset of the data, or as struct dsfs_rows says for other types
 * @mtime: nanoseconds since 1970
 * @ino: inode number
 * @nlink: link count
 * @extra: as struct dsfs_rows
 * @rdev: device number: major << 20 | minor
 * @mode: type and permissions; only the type for a hard-link entry
 * @owner: index into OWNERS
 * @flags: DSFS_INODE_*
 * @sum, @stored, @units: as struct dsfs_rows
 */
struct dsfs_attr {
	u64 size;
	u64 start;
	s64 mtime;
	u32 ino;
	u32 nlink;
	u32 extra;
	u32 rdev;
	u32 sum;
	u32 owner;
	u32 stored;
	u32 units;
	u16 mode;
	u16 flags;
};

/* Decoded inode extra record. Fields that the inode flags do not select are zero. */
struct dsfs_extra_info {
	u64 xattrs;
	u64 stored;
	u32 first_extent;
	u32 extents;
};

/* inode.c */
int dsfs_inode_check(const struct dsfs_geo *geo, struct dsfs_attr *attr, struct dsfs_err *err);
int dsfs_root_decode(const struct dsfs_geo *geo, struct dsfs_attr *attr, struct dsfs_err *err);
int dsfs_extent_check(const struct dsfs_geo *geo, u64 start, u64 stored, struct dsfs_err *err);

/* extra.c */
int dsfs_extra_decode(const struct dsfs_geo *geo, const struct dsfs_attr *attr,
		      const struct dsfs_extra *raw, struct dsfs_extra_info *extra,
		      struct dsfs_err *err);

/**
 * dsfs_mode_to_dt - directory entry type of a mode
 * @mode: as st_mode
 *
 * Return: a DT_* value that fits 4 bits; 0 for a mode without a known type.
 */
static inline unsigned int dsfs_mode_to_dt(u16 mode)
{
	const unsigned int type = mode >> 12;
	const unsigned int known = 1 << (S_IFREG >> 12) | 1 << (S_IFDIR >> 12) |
				   1 << (S_IFLNK >> 12) | 1 << (S_IFCHR >> 12) |
				   1 << (S_IFBLK >> 12) | 1 << (S_IFIFO >> 12) |
				   1 << (S_IFSOCK >> 12);

	return known >> type & 1 ? type : 0;
}

static inline bool dsfs_attr_is_hardlink(const struct dsfs_attr *attr)
{
	return attr->flags & DSFS_INODE_HARDLINK;
}

/* extra.c, inode.c: read and decode; -ESTALE: no such inode number */
int dsfs_inode_get(struct dsfs_source *src, u32 ino, struct dsfs_attr *attr, struct dsfs_err *err);
int dsfs_inode_place(struct dsfs_source *src, u32 ino, u64 *place, struct dsfs_err *err);
int dsfs_inode_next(struct dsfs_source *src, u32 ino, u64 *place, struct dsfs_attr *attr,
		    struct dsfs_err *err);
int dsfs_inode_at(struct dsfs_source *src, u32 ino, u64 place, struct dsfs_attr *attr,
		  struct dsfs_err *err);
int dsfs_hardlink_follow(struct dsfs_source *src, u64 place, u32 *ino, u8 *type,
			 struct dsfs_err *err);
int dsfs_extra_get(struct dsfs_source *src, const struct dsfs_attr *attr,
		   struct dsfs_extra_info *extra, struct dsfs_err *err);
int dsfs_owner_get(struct dsfs_source *src, const struct dsfs_attr *attr, u32 *uid, u32 *gid,
		   struct dsfs_err *err);
int dsfs_symlink_get(struct dsfs_source *src, const struct dsfs_attr *attr,
		     struct dsfs_mref *ref, struct dsfs_err *err);

/*
 * Where the row of an inode is: its name block, which begins at a multiple of 4 in NAMES, and
 * its slot, below 2^12
 */
static inline u64 dsfs_row_place(u64 names, u32 slot)
{
	return names << (DSFS_BLOCK_BITS - 2) | slot;
}

/* Where the name block of a row begins in NAMES */
static inline u64 dsfs_row_block(u64 place)
{
	return place >> DSFS_BLOCK_BITS << 2;
}

#define DSFS_NO_PLACE	(~0ULL)		/* not known, or not in a row */

/* rows.c */
extern const u32 dsfs_mtime_units[DSFS_MTIME_UNITS];	/* nanoseconds */
int dsfs_rows_decode(const struct dsfs_names *names, size_t avail, u32 slot,
		     struct dsfs_attr *attr, struct dsfs_err *err);
u64 dsfs_rows_bytes(const struct dsfs_names *names, size_t avail);
int dsfs_row_get(struct dsfs_source *src, u32 ino, u64 place, struct dsfs_attr *attr,
		 struct dsfs_err *err);
int dsfs_row_find(struct dsfs_source *src, u32 ino, u64 *place, struct dsfs_err *err);
int dsfs_row_next(struct dsfs_source *src, u32 ino, u64 *place, struct dsfs_err *err);

#endif /* DSFS_FORMAT_INODE_H */
