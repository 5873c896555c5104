// SPDX-License-Identifier: GPL-2.0
/*
 * A walk over the tree.  It does not recurse, because trees may be of any
 * depth.  No name block is held while an object is handled: it is looked up
 * again when the walk returns from a subdirectory.  So the depth bounds the
 * memory.
 *
 * In an image that was not checked, directories may share entries.  A directory
 * is entered only from the parent that it names, so it is entered once; and a
 * walk ends after more names than a valid image can have.
 */
#include <stdlib.h>

#include "dump.h"

/**
 * struct level - a directory of the walk
 * @pos: position of the next entry
 * @path_len: length of its path, 0 for the root
 */
struct level {
	struct dsfs_dir_info dir;
	u32 pos;
	size_t path_len;
};

/**
 * struct walker - state of a walk
 * @names: number of names so far
 * @it: over the innermost directory, if @open
 */
struct walker {
	struct dump *d;
	const struct walk_ops *ops;
	void *arg;
	struct level *levels;
	size_t depth;
	size_t room;
	char *path;
	size_t path_room;
	u64 names;
	struct dsfs_dir_iter *it;
	bool open;
};

static struct level *top(struct walker *w)
{
	return &w->levels[w->depth - 1];
}

static void close_iter(struct walker *w)
{
	if (w->open)
		dsfs_dir_iter_end(w->it);
	w->open = false;
}

static int push(struct walker *w, const struct dsfs_dir_info *dir, size_t len)
{
	struct level *p;

	close_iter(w);
	if (w->depth == w->room) {
		p = realloc(w->levels, (w->room * 2 + 16) * sizeof(*p));
		if (!p)
			return -ENOMEM;
		w->levels = p;
		w->room = w->room * 2 + 16;
	}
	w->levels[w->depth++] = (struct level){ .dir = *dir, .path_len = len };
	return 0;
}

/* Append a name to the path of the innermost directory. */
static int set_path(struct walker *w, const struct dsfs_name *name)
{
	size_t at = top(w)->path_len;
	char *p;

	if (at + name->len + 2 > w->path_room) {
		p = realloc(w->path, (at + name->len) * 2 + 2);
		if (!p)
			return -ENOMEM;
		w->path = p;
		w->path_room = (at + name->len) * 2 + 2;
	}
	w->path[at] = '/';
	memcpy(w->path + at + 1, name->name, name->len);
	w->path[at + 1 + name->len] = '\0';
	return 0;
}

static int enter_dir(struct walker *w, const struct walk_entry *e, u32 parent)
{
	struct dsfs_err err = { 0 };
	struct dsfs_dir_info dir;
	size_t len = strlen(e->path);
	int ret;

	ret = dsfs_dir_get(w->d->src, &e->node.attr, &dir, &err);
	if (!ret && dir.parent != parent)
		ret = dsfs_bad(&err, "directory's parent", dir.parent, parent,
			       -EUCLEAN);
	if (ret) {
		dump_error(w->d, e->path, "directory", ret, &err);
		return 0;
	}
	ret = w->ops->enter ? w->ops->enter(w->arg, e) : 0;
	if (ret)
		return ret < 0 ? ret : 0;
	return push(w, &dir, len == 1 ? 0 : len);
}

static int visit(struct walker *w, const struct dsfs_name *name)
{
	struct walk_entry e = { .ino = top(w)->dir.first + name->pos };
	struct dsfs_err err = { 0 };
	int ret;

	if (w->ops->dirs_only && name->type != DT_DIR)
		return 0;
	ret = set_path(w, name);
	if (ret)
		return ret;
	e.path = w->path;
	e.name = w->path + top(w)->path_len + 1;
	ret = image_node_get(w->d->src, e.ino, &e.node, &err);
	if (!ret)
		ret = image_entry_check(top(w)->dir.self, e.ino, name->type,
					&e.node, &err);
	if (ret) {
		dump_error(w->d, e.path, "inode", ret, &err);
		return 0;
	}
	if (S_ISDIR(e.node.attr.mode))
		return enter_dir(w, &e, top(w)->dir.self);
	return w->ops->enter ? w->ops->enter(w->arg, &e) : 0;
}

static int leave(struct walker *w)
{
	size_t len = top(w)->path_len;
	struct walk_entry e = { .ino = top(w)->dir.self };
	struct dsfs_err err = { 0 };
	char *slash;
	int ret = 0;

	close_iter(w);
	w->path[len] = '\0';
	slash = strrchr(w->path, '/');
	e.path = len ? w->path : "/";
	e.name = slash ? slash + 1 : "";
	if (w->ops->leave) {
		ret = image_node_get(w->d->src, e.ino, &e.node, &err);
		if (ret)	/* it was readable before */
			dump_error(w->d, e.path, "inode", ret, &err);
		ret = w->ops->leave(w->arg, &e);
	}
	w->depth--;
	return ret;
}

/* A step of the walk: one name, or the way out of a directory. */
static int step(struct walker *w)
{
	struct dsfs_err err = { 0 };
	struct dsfs_name name;
	int ret;

	if (!w->open) {
		dsfs_dir_iter_init(w->it, w->d->src, &top(w)->dir, top(w)->pos);
		w->open = true;
	}
	/* the iterator points to memory that stays when the stack is moved */
	w->it->dir = &top(w)->dir;
	ret = dsfs_dir_iter_next(w->it, &name, &err);
	if (ret < 0) {
		w->path[top(w)->path_len] = '\0';
		dump_error(w->d, top(w)->path_len ? w->path : "/", "names", ret,
			   &err);
	}
	if (ret <= 0)
		return leave(w);
	if (++w->names > 2 * w->d->img.geo->inodes) {
		dsfs_bad(&err, "entries of all directories", w->names,
			 w->d->img.geo->inodes - 1, 0);
		w->path[top(w)->path_len] = '\0';
		dump_error(w->d, top(w)->path_len ? w->path : "/", "names",
			   -EUCLEAN, &err);
		return -EUCLEAN;
	}
	top(w)->pos = name.pos + 1;
	return visit(w, &name);
}

int walk(struct dump *d, const struct walk_ops *ops, void *arg)
{
	struct dsfs_dir_iter it;
	struct walker w = { .d = d, .ops = ops, .arg = arg, .it = &it };
	struct walk_entry root = { .path = "/", .name = "", .ino = DSFS_ROOT_INO };
	struct dsfs_err err = { 0 };
	int ret;

	w.path_room = 4096;
	w.path = calloc(1, w.path_room);
	if (!w.path)
		return -ENOMEM;
	ret = image_node_get(d->src, root.ino, &root.node, &err);
	if (!ret && !S_ISDIR(root.node.attr.mode))
		ret = dsfs_bad(&err, "mode of the root", root.node.attr.mode,
			       S_IFDIR, -EUCLEAN);
	if (ret) {
		dump_error(d, "/", "inode", ret, &err);
		ret = 0;
	} else {
		ret = enter_dir(&w, &root, DSFS_ROOT_INO);
	}
	while (!ret && w.depth)
		ret = step(&w);
	close_iter(&w);
	free(w.levels);
	free(w.path);
	return ret;
}
