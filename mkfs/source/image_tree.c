// SPDX-License-Identifier: GPL-2.0
/*
 * The tree of an image, as a scan makes it of a directory.  All contents are in
 * the image already.
 */
#include <stdlib.h>

#include "../base/compact.h"
#include "libdsfs.h"
#include "msg.h"

static char *keep_name(struct arena *a, const struct dsfs_name *name)
{
	char *p = arena_alloc(a, name->len + 2, 1);

	if (!p)
		return NULL;
	p[0] = name->len;
	memcpy(p + 1, name->name, name->len);
	p[name->len + 1] = '\0';
	return p;
}

static int set_xattrs(struct source *src, struct node *n,
		      const struct image_node *old, struct dsfs_err *err)
{
	void *set = NULL;
	u32 bytes;
	int ret;

	if (!(old->attr.flags & DSFS_INODE_XATTRS))
		return 0;
	ret = image_xattr_set(src->base->past, &old->ext, &set, &bytes, err);
	if (!ret)
		ret = xsets_get(&src->tree.xsets, set, bytes, &n->xattrs);
	free(set);
	if (old->attr.flags & DSFS_INODE_ACL)
		n->flags |= NODE_ACL;
	return ret;
}

static int set_target(struct source *src, struct node *n,
		      const struct dsfs_attr *attr, struct dsfs_err *err)
{
	char buf[DSFS_SYMLINK_MAX + 1];
	int ret = image_symlink(src->base->past, attr, buf, err);

	if (ret)
		return ret;
	node_data(n)->target = arena_alloc(&src->tree.arena, attr->size, 1);
	if (!node_data(n)->target)
		return -ENOMEM;
	memcpy(node_data(n)->target, buf, attr->size);
	return 0;
}

static int set_link(struct source *src, struct node *n, u32 ino)
{
	struct hlink *l = node_new_link(&src->tree.arena, n);

	if (!l)
		return -ENOMEM;
	l->ino = ino;
	src->tree.nlinks++;
	return 0;
}

/* What kind of file it is says what else there is of it. */
static int fill_type(struct source *src, struct dir *parent, struct node *n,
		     const struct image_node *old, struct dsfs_err *err)
{
	switch (n->mode & S_IFMT) {
	case S_IFREG:
		n->size = old->attr.size;
		if (n->size)
			n->flags |= NODE_KEPT;
		return 0;
	case S_IFDIR:
		if (parent && !node_new_dir(&src->tree.arena, n, parent))
			return -ENOMEM;
		return 0;
	case S_IFLNK:
		n->size = old->attr.size;
		return set_target(src, n, &old->attr, err);
	}
	n->size = old->attr.rdev;
	return 0;
}

static int fill_node(struct source *src, struct dir *parent, struct node *n,
		     u32 ino, struct dsfs_err *err)
{
	struct image_node old;
	s64 owner;
	int ret = image_node_get(src->base->past, ino, &old, err);

	if (ret)
		return ret;
	owner = owners_get(&src->tree.owners, old.uid, old.gid);
	if (owner < 0)
		return owner;
	n->mode = old.attr.mode;
	n->mtime = old.attr.mtime;
	n->owner = owner;
	if (!S_ISDIR(n->mode) && old.nlink > 1)
		ret = set_link(src, n, old.attr.ino);
	if (!ret)
		ret = fill_type(src, parent, n, &old, err);
	return ret ? ret : set_xattrs(src, n, &old, err);
}

/* The entries of a directory of the image; inode numbers of theirs follow. */
static int fill_dir(struct source *src, struct dir *d, u32 ino,
		    struct dsfs_err *err)
{
	struct dsfs_source *past = src->base->past;
	struct dsfs_dir_info was;
	struct dsfs_dir_iter it;
	struct dsfs_name name;
	struct dsfs_attr attr;
	int ret = dsfs_inode_get(past, ino, &attr, err);

	if (!ret && !S_ISDIR(attr.mode))
		ret = -EUCLEAN;
	if (!ret)
		ret = dsfs_dir_get(past, &attr, &was, err);
	if (ret || !was.count)
		return ret;
	d->first = was.first;
	d->nodes = arena_alloc(&src->tree.arena, was.count * sizeof(*d->nodes),
			       8);
	if (!d->nodes)
		return -ENOMEM;
	memset(d->nodes, 0, was.count * sizeof(*d->nodes));
	dsfs_dir_iter_init(&it, past, &was, 0);
	while (!ret && (ret = dsfs_dir_iter_next(&it, &name, err)) == 1) {
		struct node *n = &d->nodes[d->count++];

		n->name = keep_name(&src->tree.arena, &name);
		ret = n->name ? fill_node(src, d, n, was.first + name.pos, err) :
				-ENOMEM;
	}
	dsfs_dir_iter_end(&it);
	return ret;
}

/* Numbers are given in the same order, so each file has that of before. */
static int keep_numbers(struct source *src)
{
	struct base *base = src->base;
	int ret = tree_number(&src->tree);

	if (!ret && src->tree.inodes != base->img.geo->inodes)
		ret = -EUCLEAN;
	base->old = ret ? NULL : calloc(src->tree.inodes, sizeof(*base->old));
	for (u64 i = 0; base->old && i < src->tree.inodes; i++)
		base->old[i] = i;
	return ret ? ret : base->old ? 0 : -ENOMEM;
}

int image_tree(struct source *src)
{
	struct array queue = { .size = sizeof(struct dir *) };
	struct tree *t = &src->tree;
	struct dir **slot = array_add(&queue);
	struct dsfs_err err = { 0 };
	char text[256];
	int ret = slot ? 0 : -ENOMEM;

	if (!ret) {
		*slot = t->root_dir;
		ret = fill_node(src, NULL, &t->root, DSFS_ROOT_INO, &err);
	}
	for (size_t i = 0; !ret && i < queue.n; i++) {
		struct dir *d = ((struct dir **)queue.p)[i];
		u32 ino = !d->parent ? DSFS_ROOT_INO :
			  d->parent->first + (u32)(d->self - d->parent->nodes);

		ret = fill_dir(src, d, ino, &err);
		for (u32 k = 0; !ret && k < d->count; k++) {
			if (!S_ISDIR(d->nodes[k].mode))
				continue;
			slot = array_add(&queue);
			ret = slot ? 0 : -ENOMEM;
			if (slot)
				*slot = d->nodes[k].u.dir;
		}
	}
	array_free(&queue);
	if (!ret)
		ret = keep_numbers(src);
	if (ret) {
		image_err_text(&err, ret, text, sizeof(text));
		msg_error(src->base->img.path, "metadata: %s", text);
	}
	return ret;
}
