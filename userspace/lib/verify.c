// SPDX-License-Identifier: GPL-2.0
/*
 * A whole image against its checksums.
 */
#include "api.h"

/* A directory, a special file and a hard-link entry have no data. */
static int verify_inode(struct dsfs_image *image, u32 ino, struct dsfs_error *error)
{
	struct dsfs_err err = { };
	struct dsfs_attr attr;
	struct dsfs_file *file;
	int ret = dsfs_inode_get(image->src, ino, &attr, &err);

	if (ret)
		return api_fail(error, ret, &err, "inode %u", ino);
	if (dsfs_attr_is_hardlink(&attr) || !S_ISREG(attr.mode))
		return 0;
	ret = dsfs_file_open(image, ino, 0, &file, error);
	if (ret)
		return ret;
	ret = dsfs_file_verify(file, error);
	dsfs_file_close(file);
	return ret;
}

int dsfs_verify(struct dsfs_image *image, unsigned int flags,
		struct dsfs_error *error)
{
	struct dsfs_err err = { };
	u64 ino;
	int ret;

	if (flags & ~DSFS_VERIFY_DATA)
		return api_fail(error, -EINVAL, NULL, "flags %#x, known are %#x", flags,
				DSFS_VERIFY_DATA);
	ret = source_load(image->src, &err);
	if (ret)
		return api_fail(error, ret, &err, "metadata");
	if (!(flags & DSFS_VERIFY_DATA))
		return 0;
	for (ino = DSFS_ROOT_INO; !ret && ino < image->img.geo->inodes; ino++)
		ret = verify_inode(image, ino, error);
	return ret;
}
