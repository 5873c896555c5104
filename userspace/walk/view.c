// SPDX-License-Identifier: GPL-2.0
/*
 * A generation that is looked at: errors, of which each is counted and the first ones of each
 * kind are printed, and single objects with what belongs to them.
 */
#include "imagemsg.h"
#include "msg.h"
#include "parse.h"
#include "walk.h"

bool view_count(struct view *v, const char *what)
{
	struct errors *e = v->errors;
	unsigned int i;

	e->count++;
	for (i = 0; i < ERRORS_KINDS - 1 && e->kinds[i].what; i++)
		if (!strcmp(e->kinds[i].what, what))
			break;
	e->kinds[i].what = what;
	if (!e->per_kind || e->kinds[i].count++ < e->per_kind)
		return true;
	e->hidden++;
	return false;
}

void view_error(struct view *v, const char *path, const char *what, int ret,
		const struct dsfs_err *err)
{
	static const struct dsfs_err none;
	const char *text;

	if (!view_count(v, what))
		return;
	text = image_why(err ? err : &none, ret);
	if (v->one_of_two)
		msg_error(path, "generation %llu: %s: %s", v->img.geo->generation, what, text);
	else
		msg_error(path, "%s: %s", what, text);
}

bool view_is_lost(struct view *v, const struct walk_entry *e)
{
	if (!listing_is_lost(&v->links, 0, e->node.attr.ino))
		return false;
	if (view_count(v, "link"))
		msg_error(e->path, "link: %s was left out", e->first);
	return true;
}

void view_hidden(const struct view *v, const char *path)
{
	const struct errors *e = v->errors;

	if (e->hidden)
		msg_error(path, "%llu error%s, %llu of them not named: --verbose names all",
			  e->count, msg_s(e->count), e->hidden);
}

int view_find(struct view *v, const char *path, struct image_node *node)
{
	struct dsfs_err err = { 0 };
	u64 ino;
	int ret;

	if (path[0] == '/' || parse_u64(path, &ino))
		ret = image_lookup(v->src, path, node, &err);
	else
		ret = ino > DSFS_MAX_INODES ? -ERANGE : image_node_get(v->src, ino, node, &err);
	if (!ret)
		return 0;
	v->errors->count++;
	return msg_error(path, "%s", image_why(&err, ret));
}

int view_find_regular(struct view *v, const char *path, struct image_node *node)
{
	if (view_find(v, path, node))
		return -1;
	if (S_ISREG(node->attr.mode))
		return 0;
	return msg_error(path, "not a regular file");
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
