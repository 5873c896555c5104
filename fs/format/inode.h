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
int dsfs_inode_check_any(const struct dsfs_geo *geo, struct dsfs_attr *attr, struct dsfs_err *err);
int dsfs_root_decode(const struct dsfs_geo *geo, struct dsfs_attr *attr, struct dsfs_err *err);

/*
 * dsfs_extent_check - check the place of stored data, of @stored bytes, not 0
 *
 * Stored data lies in the data area. It is aligned, or it lies within one block
 * that it may share with other files.
 */
static inline int dsfs_extent_check(const struct dsfs_geo *geo, u64 start, u64 stored,
				    struct dsfs_err *err)
{
	if (start < geo->data_start || start >= geo->data_end)
		return dsfs_broken(err, "start of data", start, geo->data_end);
	if (stored > geo->data_end - start)
		return dsfs_broken(err, "end of data", start + stored, geo->data_end);
	if (start & ((1ULL << geo->align_bits) - 1) &&
	    (start & (DSFS_BLOCK_SIZE - 1)) + stored > DSFS_BLOCK_SIZE)
		return dsfs_broken(err, "unaligned data that crosses a block", start,
				   1ULL << geo->align_bits);
	return 0;
}

/*
 * dsfs_inode_check - check an inode whose fields are set, but for @rdev, which is set here
 *
 * Most are regular files of one piece, with nothing special. Their rules are tested here, as
 * each lookup of a new inode does it; what may break one goes the long way, which has the messages.
 */
static __always_inline int dsfs_inode_check(const struct dsfs_geo *geo, struct dsfs_attr *attr,
					    struct dsfs_err *err)
{
	attr->rdev = 0;
	if (S_ISREG(attr->mode) && !(attr->flags & ~DSFS_INODE_SHARED) &&
	    !(attr->extra | attr->stored | attr->units) && attr->owner < geo->owners &&
	    attr->nlink && attr->size)
		return dsfs_extent_check(geo, attr->start, attr->size, err);
	return dsfs_inode_check_any(geo, attr, err);
}

/* extra.c */
int dsfs_extra_decode(const struct dsfs_geo *geo, const struct dsfs_attr *attr,
		      const struct dsfs_extra *raw, struct dsfs_extra_info *extra,
		      struct dsfs_err *err);

/* Types that a mode may have, a bit each */
#define DSFS_DT_KNOWN	(1 << (S_IFREG >> 12) | 1 << (S_IFDIR >> 12) | 1 << (S_IFLNK >> 12) | \
			 1 << (S_IFCHR >> 12) | 1 << (S_IFBLK >> 12) | 1 << (S_IFIFO >> 12) | \
			 1 << (S_IFSOCK >> 12))

/**
 * dsfs_mode_to_dt - directory entry type of a mode
 * @mode: as st_mode
 *
 * Return: a DT_* value that fits 4 bits; 0 for a mode without a known type.
 */
static inline unsigned int dsfs_mode_to_dt(u16 mode)
{
	const unsigned int type = mode >> 12;

	return DSFS_DT_KNOWN >> type & 1 ? type : 0;
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

/* dsfs_inode_placed - dsfs_inode_at() where dsfs_inode_place() or a lookup says @place */
static inline int dsfs_inode_placed(struct dsfs_source *src, u32 ino, u64 place,
				    struct dsfs_attr *attr, struct dsfs_err *err)
{
	if (place == DSFS_NO_PLACE)
		return dsfs_root_decode(dsfs_source_geo(src), attr, err);
	return dsfs_row_get(src, ino, place, attr, err);
}

/* dsfs_owner_get - get owner and group of an inode; inline, as each new one needs them */
static inline int dsfs_owner_get(struct dsfs_source *src, const struct dsfs_attr *attr, u32 *uid,
				 u32 *gid, struct dsfs_err *err)
{
	const struct dsfs_owner *owner;
	struct dsfs_mref ref;
	int ret;

	ret = dsfs_meta_get(src, DSFS_REGION_OWNERS, (u64)attr->owner * sizeof(*owner),
			    sizeof(*owner), &ref);
	if (ret)
		return dsfs_bad(err, "owner record", attr->owner, 0, ret);
	owner = ref.p;
	*uid = le32_to_cpu(owner->uid);
	*gid = le32_to_cpu(owner->gid);
	dsfs_meta_put(&ref);
	return 0;
}

#endif /* DSFS_FORMAT_INODE_H */
