// SPDX-License-Identifier: GPL-2.0
/* Extended attributes with their whole names. */
#include <stdlib.h>

#include "walk.h"

static int add(struct node_xattrs *list, const struct dsfs_xattr_info *info)
{
	const char *prefix = dsfs_xattr_prefix(info->prefix);
	size_t len = strlen(prefix);
	char *name = malloc(len + info->name_len + 1);

	if (!name)
		return -ENOMEM;
	memcpy(name, prefix, len);
	memcpy(name + len, info->name, info->name_len);
	name[len + info->name_len] = '\0';
	list->v[list->count++] = (struct listing_xattr){
		.name = name, .value = info->value, .len = info->value_len,
	};
	return 0;
}

int xattr_list_decode(const void *set, u32 bytes, struct node_xattrs *list, struct dsfs_err *err)
{
	struct dsfs_xattr_info info;
	u32 count, cursor;
	int ret;

	ret = dsfs_xattr_first(set, bytes, &count, &cursor, err);
	if (!ret) {
		list->v = calloc(count, sizeof(*list->v));
		if (!list->v)
			ret = dsfs_bad(err, "memory", count, 0, -ENOMEM);
	}
	while (!ret) {
		ret = dsfs_xattr_next(set, bytes, &cursor, &info, err);
		if (ret <= 0)
			break;
		if (list->count == count)
			ret = dsfs_broken(err, "attributes in an xattr set", count + 1, count);
		else
			ret = add(list, &info);
	}
	if (!ret && list->count != count)
		ret = dsfs_broken(err, "attributes in an xattr set", list->count, count);
	if (ret)
		xattr_list_free(list);
	return ret;
}

int xattr_list_get(struct dsfs_source *src, const struct image_node *node,
		   struct node_xattrs *list, struct dsfs_err *err)
{
	u32 bytes;
	int ret;

	memset(list, 0, sizeof(*list));
	if (!(node->attr.flags & DSFS_INODE_XATTRS))
		return 0;
	ret = image_xattr_set(src, &node->extra, &list->set, &bytes, err);
	return ret ? ret : xattr_list_decode(list->set, bytes, list, err);
}

int view_xattrs(struct view *v, const char *path, const struct image_node *node,
		struct node_xattrs *list)
{
	struct dsfs_err err = { 0 };
	int ret = xattr_list_get(v->src, node, list, &err);

	if (ret)
		view_error(v, path, "xattrs", ret, &err);
	return ret;
}

void xattr_list_json(const struct node_xattrs *list, struct json *j)
{
	if (!list->count)
		return;
	json_begin_object(j, "xattrs");
	for (size_t i = 0; i < list->count; i++)
		json_hex(j, list->v[i].name, list->v[i].value, list->v[i].len);
	json_end(j);
}

void xattr_list_free(struct node_xattrs *list)
{
	size_t i;

	for (i = 0; list->v && i < list->count; i++)
		free((char *)list->v[i].name);
	free(list->v);
	free(list->set);
	memset(list, 0, sizeof(*list));
}
