// SPDX-License-Identifier: GPL-2.0
/*
 * Lookup of the object of an option, by path or by inode number.
 */
#include "dump.h"
#include "msg.h"
#include "parse.h"

int dump_find(struct dump *d, const char *path, struct image_node *node)
{
	struct dsfs_err err = { 0 };
	char text[256];
	u64 ino;
	int ret;

	if (path[0] != '/' && !parse_u64(path, &ino)) {
		if (ino > DSFS_MAX_INODES)
			ret = -ERANGE;
		else
			ret = image_node_get(d->src, ino, node, &err);
	} else {
		ret = image_lookup(d->src, path, node, &err);
	}
	if (!ret)
		return 0;
	d->errors++;
	image_err_text(&err, ret, text, sizeof(text));
	msg_error(path, "%s", text);
	return -1;
}

int dump_find_regular(struct dump *d, const char *path, struct image_node *node)
{
	if (dump_find(d, path, node))
		return -1;
	if (S_ISREG(node->attr.mode))
		return 0;
	msg_error(path, "not a regular file");
	return -1;
}
