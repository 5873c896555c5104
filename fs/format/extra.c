// SPDX-License-Identifier: GPL-2.0
/*
 * Inode extra records: decoding and checks.
 *
 * Few inodes have any of it, so that a lookup seldom comes here.
 */
#include "format.h"

static int dsfs_extra_holes(const struct dsfs_geo *geo, const struct dsfs_attr *attr,
			    const struct dsfs_extra_info *extra, struct dsfs_err *err)
{
	if (!extra->stored != !extra->extents)
		return dsfs_broken(err, "stored bytes against extents", extra->stored,
				   extra->extents);
	if (extra->stored >= attr->size)
		return dsfs_broken(err, "stored bytes of a file with holes", extra->stored,
				   attr->size);
	if (!extra->extents) {
		if (attr->start || extra->first_extent)
			return dsfs_broken(err, "start of a file without data", attr->start, 0);
		return 0;
	}
	if (extra->extents > geo->extents || extra->first_extent > geo->extents - extra->extents)
		return dsfs_broken(err, "extent records", extra->first_extent, geo->extents);
	return dsfs_extent_check(geo, attr->start, extra->stored, err);
}

/*
 * dsfs_extra_decode - check the inode extra record that @attr->extra refers to
 *
 * Inodes with equal fields may share a record.
 */
int dsfs_extra_decode(const struct dsfs_geo *geo, const struct dsfs_attr *attr,
		      const struct dsfs_extra *raw, struct dsfs_extra_info *extra,
		      struct dsfs_err *err)
{
	const u64 sets = geo->regions[DSFS_REGION_XATTRS].bytes;
	const u16 flags = attr->flags;

	extra->xattrs = le64_to_cpu(raw->xattrs);
	extra->stored = le64_to_cpu(raw->stored);
	extra->first_extent = le32_to_cpu(raw->first_extent);
	extra->extents = le32_to_cpu(raw->extents);

	if (raw->reserved)
		return dsfs_broken(err, "extra record reserved bytes", 1, 0);
	if (!(flags & DSFS_INODE_XATTRS) ? extra->xattrs :
	    extra->xattrs & 3 || extra->xattrs >= sets)
		return dsfs_broken(err, "place of xattrs", extra->xattrs, sets);
	if (flags & DSFS_INODE_HOLES)
		return dsfs_extra_holes(geo, attr, extra, err);
	if (extra->stored || extra->extents || extra->first_extent)
		return dsfs_broken(err, "extents of a file without holes", extra->extents, 0);
	return 0;
}

/* dsfs_extra_get - read and check the inode extra record of an inode; zeros if there is none */
int dsfs_extra_get(struct dsfs_source *src, const struct dsfs_attr *attr,
		   struct dsfs_extra_info *extra, struct dsfs_err *err)
{
	struct dsfs_mref ref;
	int ret;

	memset(extra, 0, sizeof(*extra));
	if (!attr->extra)
		return 0;
	ret = dsfs_meta_get(src, DSFS_REGION_EXTRAS,
			    (u64)(attr->extra - 1) * sizeof(struct dsfs_extra),
			    sizeof(struct dsfs_extra), &ref);
	if (ret)
		return dsfs_bad(err, "extra record", attr->extra, 0, ret);
	ret = dsfs_extra_decode(dsfs_source_geo(src), attr, ref.p, extra, err);
	dsfs_meta_put(&ref);
	return ret;
}
