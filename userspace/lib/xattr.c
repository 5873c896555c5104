// SPDX-License-Identifier: GPL-2.0
/*
 * Extended attributes, as getxattr(2) and listxattr(2) show them.  A set is used where it
 * lies, so nothing is allocated or copied but what is asked for.
 */
#include "api.h"

/**
 * struct set - the attributes of an inode
 * @p: NULL if it has none
 */
struct set {
	const void *p;
	u32 bytes;
	u32 cursor;
};

static int set_begin(struct dsfs_image *image, u64 ino, struct set *set, struct dsfs_error *error)
{
	struct dsfs_err err = { };
	struct image_node node;
	u32 count;
	int ret = api_node(image, ino, &node, error);

	set->p = NULL;
	if (ret || !(node.attr.flags & DSFS_INODE_XATTRS))
		return ret;
	ret = dsfs_xattr_bytes(image->src, &node.extra, &set->bytes, &err);
	if (!ret)
		ret = source_bytes(image->src, DSFS_REGION_XATTRS, node.extra.xattrs,
				   set->bytes, &set->p);
	if (!ret)
		ret = dsfs_xattr_first(set->p, set->bytes, &count, &set->cursor, &err);
	return ret ? api_fail(error, ret, &err, "xattrs of inode %llu", ino) : 0;
}

/* Return: 1 for an attribute, 0 at the end, or a negative errno. */
static int set_next(struct set *set, u64 ino, struct dsfs_xattr_info *info,
		    struct dsfs_error *error)
{
	struct dsfs_err err = { };
	int ret;

	if (!set->p)
		return 0;
	ret = dsfs_xattr_next(set->p, set->bytes, &set->cursor, info, &err);
	return ret < 0 ? api_fail(error, ret, &err, "xattrs of inode %llu", ino) : ret;
}

static bool has_name(const struct dsfs_xattr_info *info, const char *name)
{
	const char *prefix = dsfs_xattr_prefix(info->prefix);
	const size_t n = strlen(prefix);

	return !strncmp(name, prefix, n) && strlen(name + n) == info->name_len &&
	       !memcmp(name + n, info->name, info->name_len);
}

ssize_t dsfs_getxattr(struct dsfs_image *image, uint64_t ino, const char *name,
		      void *buf, size_t size, struct dsfs_error *error)
{
	struct dsfs_xattr_info info;
	struct set set;
	int ret = set_begin(image, ino, &set, error);

	if (ret)
		return ret;
	do {
		ret = set_next(&set, ino, &info, error);
	} while (ret > 0 && !has_name(&info, name));
	if (ret < 0)
		return ret;
	if (!ret)
		return api_fail(error, -ENODATA, NULL, "inode %llu: %.*s", (u64)ino,
				API_NAME_SHOWN, name);
	if (size && size < info.value_len)
		return api_fail(error, -ERANGE, NULL,
				"inode %llu: %.*s: value of %u bytes, room for %zu",
				(u64)ino, API_NAME_SHOWN, name, info.value_len, size);
	if (size)
		memcpy(buf, info.value, info.value_len);
	return info.value_len;
}

ssize_t dsfs_listxattr(struct dsfs_image *image, uint64_t ino, char *buf,
		       size_t size, struct dsfs_error *error)
{
	struct dsfs_xattr_info info;
	struct set set;
	size_t len = 0, n;
	const char *prefix;
	int ret = set_begin(image, ino, &set, error);

	if (ret)
		return ret;
	while ((ret = set_next(&set, ino, &info, error)) > 0) {
		prefix = dsfs_xattr_prefix(info.prefix);
		n = strlen(prefix);
		if (len + n + info.name_len + 1 <= size) {
			memcpy(buf + len, prefix, n);
			memcpy(buf + len + n, info.name, info.name_len);
			buf[len + n + info.name_len] = '\0';
		}
		len += n + info.name_len + 1;
	}
	if (ret)
		return ret;
	if (size && len > size)
		return api_fail(error, -ERANGE, NULL,
				"inode %llu: names of %zu bytes, room for %zu", (u64)ino, len,
				size);
	return len;
}
