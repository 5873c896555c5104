// SPDX-License-Identifier: GPL-2.0
/* One object: its look-up by path or by inode number, and the target of a symlink. */
#include "msg.h"
#include "parse.h"
#include "walk.h"

int view_find(struct view *v, const char *path, struct image_node *node)
{
	struct dsfs_err err = { 0 };
	char text[256];
	u64 ino;
	int ret;

	if (path[0] == '/' || parse_u64(path, &ino))
		ret = image_lookup(v->src, path, node, &err);
	else
		ret = ino > DSFS_MAX_INODES ? -ERANGE : image_node_get(v->src, ino, node, &err);
	if (!ret)
		return 0;
	v->errors->count++;
	err_text(&err, ret, text, sizeof(text));
	msg_error(path, "%s", text);
	return -1;
}

int view_find_regular(struct view *v, const char *path, struct image_node *node)
{
	if (view_find(v, path, node))
		return -1;
	if (S_ISREG(node->attr.mode))
		return 0;
	msg_error(path, "not a regular file");
	return -1;
}

int view_target(struct view *v, const char *path, const struct image_node *node, char *target)
{
	struct dsfs_err err = { 0 };
	int ret = image_symlink(v->src, &node->attr, target, &err);

	if (!ret)
		return 0;
	*target = '\0';
	view_error(v, path, "target", ret, &err);
	return ret;
}
