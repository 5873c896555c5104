// SPDX-License-Identifier: GPL-2.0
/*
 * Extended attributes of an inode, as a list with whole names: what the tools show, and what
 * getxattr(2) and listxattr(2) are answered from.
 */
#include "image.h"

/* Bytes of the longest prefix and the end of a name */
#define NAME_MORE	sizeof("system.posix_acl_default")

int image_xattr_set(struct dsfs_source *src, const struct dsfs_extra_info *extra,
		    void **set, u32 *bytes, struct dsfs_err *err)
{
	int ret = dsfs_xattr_bytes(src, extra, bytes, err);

	*set = NULL;
	if (ret)
		return ret;
	*set = malloc(*bytes);
	if (!*set)
		return dsfs_bad(err, "memory for xattrs", *bytes, 0, -ENOMEM);
	ret = dsfs_meta_copy(src, DSFS_REGION_XATTRS, extra->xattrs, *bytes, *set);
	if (ret) {
		free(*set);
		*set = NULL;
		dsfs_bad(err, "xattr set", extra->xattrs, 0, ret);
	}
	return ret;
}

/* Add an attribute, whose name goes to @name.  Return: where the next one goes. */
static char *add(struct node_xattrs *list, const struct dsfs_xattr_info *info, char *name)
{
	list->v[list->count++] = (struct node_xattr){
		.name = name, .value = info->value, .len = info->value_len,
	};
	name = stpcpy(name, dsfs_xattr_prefix(info->prefix));
	name = mempcpy(name, info->name, info->name_len);
	*name++ = '\0';
	return name;
}

/* Names lie behind the list, in one allocation. */
static int decode(const void *set, u32 bytes, struct node_xattrs *list, struct dsfs_err *err)
{
	struct dsfs_xattr_info info;
	u32 count, cursor;
	char *name;
	int ret = dsfs_xattr_first(set, bytes, &count, &cursor, err);

	if (ret)
		return ret;
	list->v = malloc(count * (sizeof(*list->v) + NAME_MORE) + bytes);
	if (!list->v)
		return dsfs_bad(err, "memory", count, 0, -ENOMEM);
	name = (char *)(list->v + count);
	while ((ret = dsfs_xattr_next(set, bytes, &cursor, &info, err)) > 0 && list->count < count)
		name = add(list, &info, name);
	if (ret > 0 || (!ret && list->count < count))
		ret = dsfs_broken(err, "attributes in an xattr set", list->count + ret, count);
	return ret;
}

int xattr_list_decode(const void *set, u32 bytes, struct node_xattrs *list, struct dsfs_err *err)
{
	const int ret = decode(set, bytes, list, err);

	if (ret)
		xattr_list_free(list);
	return ret;
}

int xattr_list_get(struct dsfs_source *src, const struct image_node *node,
		   struct node_xattrs *list, struct dsfs_err *err)
{
	u32 bytes;

	memset(list, 0, sizeof(*list));
	if (!(node->attr.flags & DSFS_INODE_XATTRS))
		return 0;
	return image_xattr_set(src, &node->extra, &list->set, &bytes, err) ?:
	       xattr_list_decode(list->set, bytes, list, err);
}

void xattr_list_free(struct node_xattrs *list)
{
	free(list->v);
	free(list->set);
	memset(list, 0, sizeof(*list));
}
