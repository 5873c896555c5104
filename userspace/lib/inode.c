// SPDX-License-Identifier: GPL-2.0
/*
 * Inodes: attributes, the targets of symbolic links, and extended attributes as getxattr(2) and
 * listxattr(2) show them.
 */
#include <stdlib.h>

#include "api.h"

int api_node(struct dsfs_image *image, u64 ino, struct image_node *node, struct dsfs_error *error)
{
	struct dsfs_err err = { };
	int ret;

	if (ino > DSFS_MAX_INODES)
		ret = dsfs_bad(&err, "inode number", ino, image->img.geo->inodes - 1, -ESTALE);
	else
		ret = image_node_get(image->src, ino, node, &err);
	return ret ? api_fail(error, ret, &err, "inode %llu", ino) : 0;
}

void api_stat(const struct image_node *node, struct dsfs_stat *st)
{
	const struct dsfs_attr *attr = &node->attr;
	const struct nsec_time mtime = nsec_split(attr->mtime);

	*st = (struct dsfs_stat){
		.ino = attr->ino,
		.size = attr->size,
		.stored = S_ISREG(attr->mode) ? image_stored_bytes(attr, &node->extra) : 0,
		.mtime_sec = mtime.sec,
		.mtime_nsec = mtime.nsec,
		.mode = attr->mode,
		.nlink = node->nlink,
		.uid = node->uid,
		.gid = node->gid,
		.rdev_major = attr->rdev >> 20,
		.rdev_minor = attr->rdev & 0xfffff,
		.has_acl = !!(attr->flags & DSFS_INODE_ACL),
	};
}

int dsfs_stat(struct dsfs_image *image, uint64_t ino, struct dsfs_stat *st,
	      struct dsfs_error *error)
{
	struct image_node node;
	int ret = api_node(image, ino, &node, error);

	if (!ret)
		api_stat(&node, st);
	return ret;
}

ssize_t dsfs_readlink(struct dsfs_image *image, uint64_t ino, char *buf,
		      size_t size, struct dsfs_error *error)
{
	struct dsfs_err err = { };
	struct image_node node;
	int ret = api_node(image, ino, &node, error);

	if (ret)
		return ret;
	if (!S_ISLNK(node.attr.mode))
		return api_fail(error, -EINVAL, NULL, "inode %llu: no symbolic link", (u64)ino);
	if (size <= node.attr.size)
		return api_fail(error, -ERANGE, NULL,
				"inode %llu: target of %llu bytes, room for %zu", (u64)ino,
				node.attr.size, size);
	ret = image_symlink(image->src, &node.attr, buf, &err);
	return ret ? api_fail(error, ret, &err, "inode %llu", (u64)ino) :
	       (ssize_t)node.attr.size;
}

/**
 * struct set - the attributes of an inode
 * @p: to be freed; NULL if it has none
 */
struct set {
	void *p;
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
	ret = image_xattr_set(image->src, &node.extra, &set->p, &set->bytes, &err);
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

/* Find an attribute in a set.  Return: the length of its value, or a negative errno. */
static ssize_t get_value(struct set *set, u64 ino, const char *name, void *buf, size_t size,
			 struct dsfs_error *error)
{
	struct dsfs_xattr_info info;
	int ret;

	do {
		ret = set_next(set, ino, &info, error);
	} while (ret > 0 && !has_name(&info, name));
	if (ret < 0)
		return ret;
	if (!ret)
		return api_fail(error, -ENODATA, NULL, "inode %llu: %.*s", ino,
				API_NAME_SHOWN, name);
	if (size && size < info.value_len)
		return api_fail(error, -ERANGE, NULL,
				"inode %llu: %.*s: value of %u bytes, room for %zu",
				ino, API_NAME_SHOWN, name, info.value_len, size);
	if (size)
		memcpy(buf, info.value, info.value_len);
	return info.value_len;
}

/* The names of a set, each terminated.  Return: their length, or a negative errno. */
static ssize_t get_names(struct set *set, u64 ino, char *buf, size_t size,
			 struct dsfs_error *error)
{
	struct dsfs_xattr_info info;
	size_t len = 0, n;
	const char *prefix;
	int ret;

	while ((ret = set_next(set, ino, &info, error)) > 0) {
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
				"inode %llu: names of %zu bytes, room for %zu", ino, len, size);
	return len;
}

ssize_t dsfs_getxattr(struct dsfs_image *image, uint64_t ino, const char *name,
		      void *buf, size_t size, struct dsfs_error *error)
{
	struct set set;
	ssize_t ret = set_begin(image, ino, &set, error);

	if (!ret)
		ret = get_value(&set, ino, name, buf, size, error);
	free(set.p);
	return ret;
}

ssize_t dsfs_listxattr(struct dsfs_image *image, uint64_t ino, char *buf,
		       size_t size, struct dsfs_error *error)
{
	struct set set;
	ssize_t ret = set_begin(image, ino, &set, error);

	if (!ret)
		ret = get_names(&set, ino, buf, size, error);
	free(set.p);
	return ret;
}
