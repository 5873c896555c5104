// SPDX-License-Identifier: GPL-2.0
/*
 * The tree of an image, as a source would list it.  Each node has its inode there, whose content
 * it keeps.
 */
#include "base.h"
#include "format.h"
#include "msg.h"
#include "xattr_set.h"

/* What is loaded, and where to */
struct load {
	struct tree *tree;
	struct base *base;
};

static int set_xattrs(struct load *l, struct node *n, const struct image_node *old,
		      struct dsfs_err *err)
{
	void *set = NULL;
	u32 bytes;
	int ret;

	if (!(old->attr.flags & DSFS_INODE_XATTRS))
		return 0;
	ret = image_xattr_set(l->base->prev, &old->extra, &set, &bytes, err) ?:
	      xattr_set_check(set, bytes, n->mode, err) ?:
	      xsets_get(&l->tree->xsets, set, bytes, &n->xattrs);
	free(set);
	if (old->attr.flags & DSFS_INODE_ACL)
		n->flags |= NODE_ACL;
	return ret;
}

static int set_target(struct load *l, struct node *n, const struct dsfs_attr *attr,
		      struct dsfs_err *err)
{
	char buf[DSFS_SYMLINK_MAX + 1];

	return image_symlink(l->base->prev, attr, buf, err) ?:
	       node_set_target(&l->tree->arena, n, buf, attr->size);
}

static int set_link(struct load *l, struct node *n, u32 ino)
{
	struct hlink *link = node_new_link(&l->tree->arena, n);

	if (!link)
		return -ENOMEM;
	/* a source that is added has numbers of its own */
	link->dev = UINT64_MAX - l->base->number;
	link->ino = ino;
	return 0;
}

/* Most files have nothing but a position and a checksum, which are at hand now. */
static int set_content(struct load *l, struct node *n, const struct dsfs_attr *attr,
		       struct dsfs_err *err)
{
	const struct dsfs_geo *geo = l->base->img.geo;
	const unsigned int bits = dsfs_chunk_bits(geo, n->size);

	if (!n->size)
		return 0;
	n->flags |= NODE_KEPT;
	/* as long as nothing is removed or added beside it, as in a part of several */
	if (attr->flags & DSFS_INODE_SHARED)
		n->flags |= NODE_SHARED;
	if (attr->flags & (DSFS_INODE_HOLES | DSFS_INODE_COMPRESSED) || n->size > 1ULL << bits)
		return 0;
	n->flags |= NODE_PLACED;
	node_data(n)->start = l->base->shift + attr->start;
	n->sum = attr->sum;
	return dsfs_extent_check(geo, attr->start, n->size, err);
}

/* Fill in the fields of a node that depend on the type. */
static int fill_type(struct load *l, struct dir *parent, struct node *n,
		     const struct image_node *old, struct dsfs_err *err)
{
	switch (n->mode & S_IFMT) {
	case S_IFREG:
		n->size = old->attr.size;
		return set_content(l, n, &old->attr, err);
	case S_IFDIR:
		if (parent && !node_new_dir(&l->tree->arena, n, parent))
			return -ENOMEM;
		return 0;
	case S_IFLNK:
		return set_target(l, n, &old->attr, err);
	}
	n->size = old->attr.rdev;
	return 0;
}

/* @ino: of the entry; that of the inode is another one, if it is one of several names */
static int fill_node(struct load *l, struct dir *parent, struct node *n,
		     u32 ino, struct dsfs_err *err)
{
	struct image_node old;
	s64 owner;
	int ret = image_node_get(l->base->prev, ino, &old, err);

	if (ret)
		return ret;
	owner = owners_get(&l->tree->owners, old.uid, old.gid);
	if (owner < 0)
		return owner;
	n->old = old.attr.ino;
	n->mode = old.attr.mode;
	n->mtime = old.attr.mtime;
	n->owner = owner;
	if (!S_ISDIR(n->mode) && old.nlink > 1)
		ret = set_link(l, n, old.attr.ino);
	return ret ?: fill_type(l, parent, n, &old, err) ?: set_xattrs(l, n, &old, err);
}

/* Fill in the entries of a directory of the image; @first: number of the first one. */
static int fill_dir(struct load *l, struct dir *d, u32 ino, u32 first, struct dsfs_err *err)
{
	struct dsfs_source *prev = l->base->prev;
	struct dsfs_dir_info was;
	struct dsfs_dir_iter it;
	struct dsfs_name name;
	struct dsfs_attr attr;
	int ret = dsfs_inode_get(prev, ino, &attr, err) ?:
		  (S_ISDIR(attr.mode) ? 0 : -EUCLEAN) ?: dsfs_dir_get(prev, &attr, &was, err);

	if (ret || !was.count)
		return ret;
	if (was.first != first)
		return dsfs_bad(err, "first entry of a directory", was.first, first, -EUCLEAN);
	d->nodes = arena_zalloc(l->tree->loaded.overflow ? &l->tree->loaded : &l->tree->arena,
				was.count * sizeof(*d->nodes));
	if (!d->nodes)
		return -ENOMEM;
	dsfs_dir_iter_init(&it, prev, &was, 0);
	while (!ret && (ret = dsfs_dir_iter_next(&it, &name, err)) == 1) {
		struct node *n = &d->nodes[d->count++];

		ret = node_set_name(&l->tree->arena, n, name.name, name.len) ?:
		      fill_node(l, d, n, first + name.pos, err);
	}
	dsfs_dir_iter_end(&it);
	return ret;
}

/* Breadth first, as inodes are numbered: they must get the same numbers. */
static int fill_dirs(struct load *l, struct node *root, struct dsfs_err *err)
{
	struct array queue = { .size = sizeof(struct dir *) };
	u64 inodes = DSFS_ROOT_INO + 1;
	int ret = array_append(&queue, &root->u.dir) ?:
		  fill_node(l, NULL, root, DSFS_ROOT_INO, err);

	for (size_t i = 0; !ret && i < queue.n; i++) {
		struct dir *d = ((struct dir **)queue.p)[i];

		ret = fill_dir(l, d, d->self->old, inodes, err);
		inodes += d->count;
		for (u32 k = 0; !ret && k < d->count; k++) {
			if (S_ISDIR(d->nodes[k].mode))
				ret = array_append(&queue, &d->nodes[k].u.dir);
		}
	}
	array_free(&queue);
	return ret ? ret : inodes == l->base->img.geo->inodes ? 0 : -EUCLEAN;
}

int tree_load(struct tree *t, struct base *base, struct node *root)
{
	struct load l = { .tree = t, .base = base };
	struct dsfs_err err = { 0 };
	int ret;

	root->name = (char *)"";
	if (!root->u.dir && !node_new_dir(&t->arena, root, NULL))
		return no_memory();
	ret = fill_dirs(&l, root, &err);
	if (ret == -ENOMEM)
		return no_memory();
	return ret ? base_damaged(base, "metadata", &err, ret) : 0;
}
