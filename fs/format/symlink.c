// SPDX-License-Identifier: GPL-2.0
/*
 * Symbolic links. The target is metadata, so following a link needs no data
 * request.
 */
#include "format.h"

/**
 * dsfs_symlink_get - get the target of a symbolic link
 * @src: metadata source
 * @attr: a symbolic link
 * @ref: filled in: a reference to @attr->size bytes, not terminated; release it
 *	with dsfs_meta_put()
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
