// SPDX-License-Identifier: GPL-2.0
/*
 * Inodes: attributes, the targets of symbolic links, and extended attributes as getxattr(2) and
 * listxattr(2) show them.
 */
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

static int get_list(struct dsfs_image *image, u64 ino, struct node_xattrs *list,
		    struct dsfs_error *error)
{
	struct dsfs_err err = { };
	struct image_node node;
	int ret = api_node(image, ino, &node, error);

	if (ret)
		return ret;
	ret = xattr_list_get(image->src, &node, list, &err);
	return ret ? api_fail(error, ret, &err, "xattrs of inode %llu", ino) : 0;
}

/* Find an attribute in a list.  Return: the length of its value, or a negative errno. */
static ssize_t get_value(const struct node_xattrs *list, u64 ino, const char *name, void *buf,
			 size_t size, struct dsfs_error *error)
{
	const struct node_xattr *x = list->v, *end = x + list->count;

	while (x < end && strcmp(x->name, name))
		x++;
	if (x == end)
		return api_fail(error, -ENODATA, NULL, "inode %llu: %.*s", ino,
				API_NAME_SHOWN, name);
	if (size && size < x->len)
		return api_fail(error, -ERANGE, NULL,
				"inode %llu: %.*s: value of %zu bytes, room for %zu",
				ino, API_NAME_SHOWN, name, x->len, size);
	if (size)
		memcpy(buf, x->value, x->len);
	return x->len;
}

/* The names of a list, each terminated.  Return: their length, or a negative errno. */
static ssize_t get_names(const struct node_xattrs *list, u64 ino, char *buf, size_t size,
			 struct dsfs_error *error)
{
	size_t len = 0, n;

	for (size_t i = 0; i < list->count; i++, len += n) {
		n = strlen(list->v[i].name) + 1;
		if (len + n <= size)
			memcpy(buf + len, list->v[i].name, n);
	}
	if (size && len > size)
		return api_fail(error, -ERANGE, NULL,
				"inode %llu: names of %zu bytes, room for %zu", ino, len, size);
	return len;
}

ssize_t dsfs_getxattr(struct dsfs_image *image, uint64_t ino, const char *name,
		      void *buf, size_t size, struct dsfs_error *error)
{
	struct node_xattrs list = { };
	ssize_t ret = get_list(image, ino, &list, error);

	if (!ret)
		ret = get_value(&list, ino, name, buf, size, error);
	xattr_list_free(&list);
	return ret;
}

ssize_t dsfs_listxattr(struct dsfs_image *image, uint64_t ino, char *buf,
		       size_t size, struct dsfs_error *error)
{
	struct node_xattrs list = { };
	ssize_t ret = get_list(image, ino, &list, error);

	if (!ret)
		ret = get_names(&list, ino, buf, size, error);
	xattr_list_free(&list);
	return ret;
}
