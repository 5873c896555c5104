// SPDX-License-Identifier: GPL-2.0
/*
 * Symbolic links: the target is metadata, so following one costs no request.
 */
#include "libdsfs.h"

/**
 * dsfs_symlink_get - hold a link's target
 * @src: the image
 * @attr: a symlink
 * @ref: filled in: attr->size bytes, not terminated; give it back with
 *	dsfs_meta_put()
 * @err: filled in on failure
 *
 * Return: 0, -EUCLEAN, or an error of dsfs_meta_get().
 */
int dsfs_symlink_get(struct dsfs_source *src, const struct dsfs_attr *attr,
		     struct dsfs_mref *ref, struct dsfs_err *err)
{
	int ret;

	ret = dsfs_meta_get(src, DSFS_REGION_SYMLINKS, attr->start, attr->size,
			    ref);
	if (ret)
		return dsfs_bad(err, "symlink target", attr->start, attr->size,
				ret);
	if (memchr(ref->p, 0, attr->size)) {
		dsfs_meta_put(ref);
		return dsfs_bad(err, "NUL in a symlink target", attr->start, 0,
				-EUCLEAN);
	}
	return 0;
}
