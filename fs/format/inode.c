// SPDX-License-Identifier: GPL-2.0
/*
 * Inodes and targets of symbolic links: checks, and the way from a number to its row.
 *
 * The checks need the fields and the geometry only. An inode that passes them
 * is safe to hand to the VFS.
 */
#include "format.h"

static int dsfs_hardlink_check(const struct dsfs_geo *geo, const struct dsfs_attr *a,
			       struct dsfs_err *err)
{
	if (a->flags != DSFS_INODE_HARDLINK)
		return dsfs_broken(err, "flags of a hard-link entry", a->flags,
				   DSFS_INODE_HARDLINK);
	if (a->mode & ~S_IFMT || S_ISDIR(a->mode) || !dsfs_mode_to_dt(a->mode))
		return dsfs_broken(err, "mode of a hard-link entry", a->mode, S_IFREG);
	if (a->start <= DSFS_ROOT_INO || a->start >= geo->inodes || a->start == a->ino)
		return dsfs_broken(err, "inode of a hard-link entry", a->start, geo->inodes - 1);
	if (a->size || a->extra || a->owner || a->nlink || a->mtime || a->sum || a->stored ||
	    a->units)
		return dsfs_broken(err, "unused fields of a hard-link entry", 1, 0);
	return 0;
}

static int dsfs_inode_compressed(const struct dsfs_geo *geo, const struct dsfs_attr *a,
				 struct dsfs_err *err)
{
	const u64 count = dsfs_units(a);

	if (!(geo->incompat & DSFS_INCOMPAT_COMPRESSED))
		return dsfs_broken(err, "compressed file without the feature", a->flags, 0);
	if ((a->flags & DSFS_INODE_COMPRESSED) == DSFS_INODE_COMPRESSED)
		return dsfs_broken(err, "codec", a->flags, DSFS_INODE_LZ4);
	if (a->flags & DSFS_INODE_HOLES)
		return dsfs_broken(err, "compressed file with holes", a->flags,
				   DSFS_INODE_COMPRESSED);
	if (!a->stored || a->stored >= a->size)
		return dsfs_broken(err, "stored bytes of a compressed file", a->stored, a->size);
	/* The ends of frames lie in UNITS, unless the file has a single one. */
	if (count == 1 ? a->units : count > geo->units || a->units > geo->units - count)
		return dsfs_broken(err, "place of units", a->units, geo->units);
	return dsfs_extent_check(geo, a->start, a->stored, err);
}

static int dsfs_inode_reg(const struct dsfs_geo *geo, struct dsfs_attr *a, struct dsfs_err *err)
{
	/* Holes are checked with their extra record. */
	if (a->flags & (DSFS_INODE_HOLES | DSFS_INODE_COMPRESSED))
		return a->flags & DSFS_INODE_COMPRESSED ? dsfs_inode_compressed(geo, a, err) : 0;
	if (!a->size && a->start)
		return dsfs_broken(err, "start of an empty file", a->start, 0);
	return a->size ? dsfs_extent_check(geo, a->start, a->size, err) : 0;
}

static int dsfs_inode_symlink(const struct dsfs_geo *geo, struct dsfs_attr *a, struct dsfs_err *err)
{
	const u64 bytes = geo->regions[DSFS_REGION_SYMLINKS].bytes;

	if (!a->size || a->size > DSFS_SYMLINK_MAX)
		return dsfs_broken(err, "length of a symlink", a->size, DSFS_SYMLINK_MAX);
	if (a->start > bytes || a->size > bytes - a->start)
		return dsfs_broken(err, "place of a symlink's target", a->start, bytes);
	return 0;
}

static int dsfs_inode_kind(const struct dsfs_geo *geo, struct dsfs_attr *a, struct dsfs_err *err)
{
	switch (a->mode & S_IFMT) {
	case S_IFREG:
		return dsfs_inode_reg(geo, a, err);
	case S_IFDIR:
		if (a->size)
			return dsfs_broken(err, "size of a directory", a->size, 0);
		if (a->start >= geo->dirs)
			return dsfs_broken(err, "directory record", a->start, geo->dirs);
		return 0;
	case S_IFLNK:
		return dsfs_inode_symlink(geo, a, err);
	case S_IFCHR:
	case S_IFBLK:
		if (a->size > U32_MAX)
			return dsfs_broken(err, "device number", a->size, U32_MAX);
		a->rdev = a->size;
		a->size = 0;
		break;
	case S_IFIFO:
	case S_IFSOCK:
		if (a->size)
			return dsfs_broken(err, "size of a pipe or socket", a->size, 0);
		break;
	default:
		return dsfs_broken(err, "file type", a->mode & S_IFMT, S_IFREG);
	}
	if (a->start)
		return dsfs_broken(err, "start of a special file", a->start, 0);
	return 0;
}

static int dsfs_inode_flags(const struct dsfs_geo *geo, struct dsfs_attr *a, struct dsfs_err *err)
{
	const u16 data = DSFS_INODE_HOLES | DSFS_INODE_SHARED | DSFS_INODE_COMPRESSED;

	if (a->flags & ~DSFS_INODE_KNOWN)
		return dsfs_broken(err, "inode flags", a->flags, DSFS_INODE_KNOWN);
	if (a->flags & data && !S_ISREG(a->mode))
		return dsfs_broken(err, "data flags of no regular file", a->flags, 0);
	if (a->flags & DSFS_INODE_ACL && !(a->flags & DSFS_INODE_XATTRS))
		return dsfs_broken(err, "ACL flag without xattrs", a->flags, DSFS_INODE_XATTRS);
	if (!(a->flags & DSFS_INODE_NEEDS_EXTRA) != !a->extra)
		return dsfs_broken(err, "extra record against flags", a->extra, a->flags);
	if (a->extra > geo->extras)
		return dsfs_broken(err, "extra record", a->extra, geo->extras);
	if (!(a->flags & DSFS_INODE_COMPRESSED) && a->stored | a->units)
		return dsfs_broken(err, "frames of a file that is not compressed", a->stored,
				   a->units);
	if (a->owner >= geo->owners)
		return dsfs_broken(err, "owner", a->owner, geo->owners);
	if (!a->nlink)
		return dsfs_broken(err, "link count", a->nlink, a->flags);
	return 0;
}

/* dsfs_inode_check_any - dsfs_inode_check() for any inode; @rdev is 0 */
int dsfs_inode_check_any(const struct dsfs_geo *geo, struct dsfs_attr *attr, struct dsfs_err *err)
{
	int ret;

	if (attr->flags & DSFS_INODE_HARDLINK)
		return dsfs_hardlink_check(geo, attr, err);
	ret = dsfs_inode_flags(geo, attr, err);
	return ret ? ret : dsfs_inode_kind(geo, attr, err);
}

/* dsfs_root_decode - check the inode of the root directory, which the superblock has */
int dsfs_root_decode(const struct dsfs_geo *geo, struct dsfs_attr *attr, struct dsfs_err *err)
{
	memset(attr, 0, sizeof(*attr));
	attr->ino = DSFS_ROOT_INO;
	attr->mode = le16_to_cpu(geo->root.mode);
	attr->flags = le16_to_cpu(geo->root.flags);
	attr->nlink = le32_to_cpu(geo->root.nlink);
	attr->owner = le32_to_cpu(geo->root.owner);
	attr->extra = le32_to_cpu(geo->root.extra);
	attr->mtime = le64_to_cpu(geo->root.mtime);
	return dsfs_inode_check(geo, attr, err);
}

/*
 * dsfs_inode_place - find the row of an inode; -ESTALE if there is no such number
 *
 * @place is where a lookup has found it, or DSFS_NO_PLACE, which it becomes for the root.
 */
int dsfs_inode_place(struct dsfs_source *src, u32 ino, u64 *place, struct dsfs_err *err)
{
	const struct dsfs_geo *geo = dsfs_source_geo(src);

	if (ino < DSFS_ROOT_INO || ino >= geo->inodes)
		return dsfs_bad(err, "inode number", ino, geo->inodes - 1, -ESTALE);
	if (ino != DSFS_ROOT_INO)
		return *place == DSFS_NO_PLACE ? dsfs_row_find(src, ino, place, err) : 0;
	*place = DSFS_NO_PLACE;
	return 0;
}

/* dsfs_inode_at - read and check the inode of any number; @place as of dsfs_inode_place() */
int dsfs_inode_at(struct dsfs_source *src, u32 ino, u64 place, struct dsfs_attr *attr,
		  struct dsfs_err *err)
{
	int ret = dsfs_inode_place(src, ino, &place, err);

	return ret ? ret : dsfs_inode_placed(src, ino, place, attr, err);
}

/*
 * dsfs_inode_next - dsfs_inode_at() for one number after the other
 *
 * @place is DSFS_NO_PLACE at first, and kept from call to call.
 */
int dsfs_inode_next(struct dsfs_source *src, u32 ino, u64 *place, struct dsfs_attr *attr,
		    struct dsfs_err *err)
{
	const struct dsfs_geo *geo = dsfs_source_geo(src);
	int ret;

	if (ino > DSFS_ROOT_INO && ino < geo->inodes) {
		ret = dsfs_row_next(src, ino, place, err);
		if (ret)
			return ret;
	}
	return dsfs_inode_at(src, ino, *place, attr, err);
}

/* dsfs_inode_get - dsfs_inode_at() for a number alone */
int dsfs_inode_get(struct dsfs_source *src, u32 ino, struct dsfs_attr *attr, struct dsfs_err *err)
{
	return dsfs_inode_at(src, ino, DSFS_NO_PLACE, attr, err);
}

/*
 * dsfs_hardlink_follow - replace number and type of a hard-link entry by those of its file
 *
 * @place is where its row is. Entries that are no hard-link entries stay as they are.
 */
int dsfs_hardlink_follow(struct dsfs_source *src, u64 place, u32 *ino, u8 *type,
			 struct dsfs_err *err)
{
	struct dsfs_attr attr;
	int ret;

	if (*type != DSFS_DT_HARDLINK)
		return 0;
	ret = dsfs_inode_at(src, *ino, place, &attr, err);
	if (ret)
		return ret;
	if (!dsfs_attr_is_hardlink(&attr))
		return dsfs_broken(err, "name of a hard-link entry leads to an inode", *ino, 0);
	*ino = attr.start;
	*type = dsfs_mode_to_dt(attr.mode);
	return 0;
}

/*
 * dsfs_symlink_get - get a reference to the @attr->size bytes of a target, not terminated
 *
 * The target is metadata, so following a link needs no data request.
 */
int dsfs_symlink_get(struct dsfs_source *src, const struct dsfs_attr *attr,
		     struct dsfs_mref *ref, struct dsfs_err *err)
{
	int ret;

	ret = dsfs_meta_get(src, DSFS_REGION_SYMLINKS, attr->start, attr->size, ref);
	if (ret)
		return dsfs_bad(err, "symlink target", attr->start, attr->size, ret);
	if (memchr(ref->p, 0, attr->size)) {
		dsfs_meta_put(ref);
		return dsfs_broken(err, "NUL in a symlink target", attr->start, 0);
	}
	return 0;
}
