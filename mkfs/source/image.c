// SPDX-License-Identifier: GPL-2.0
/*
 * An image as a source: the tree of its newest generation, like that of a scan,
 * and the stored data of its files.  Data is verified while it is read, so that
 * damaged data does not get a new checksum.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../base/base.h"
#include "format.h"
#include "msg.h"
#include "source.h"
#include "xattr.h"

/**
 * struct image_input - an open file of an image
 * @attr: its attributes, with the start of its stored bytes
 * @stored: number of stored bytes
 */
struct image_input {
	struct input in;
	struct dsfs_attr attr;
	u64 stored;
};

static int set_xattrs(struct source *src, struct node *n, const struct image_node *old,
		      struct dsfs_err *err)
{
	void *set = NULL;
	u32 bytes;
	int ret;

	if (!(old->attr.flags & DSFS_INODE_XATTRS))
		return 0;
	ret = image_xattr_set(src->base->prev, &old->extra, &set, &bytes, err) ?:
	      xattr_set_check(set, bytes, n->mode, err) ?:
	      xsets_get(&src->tree->xsets, set, bytes, &n->xattrs);
	free(set);
	if (old->attr.flags & DSFS_INODE_ACL)
		n->flags |= NODE_ACL;
	return ret;
}

static int set_target(struct source *src, struct node *n, const struct dsfs_attr *attr,
		      struct dsfs_err *err)
{
	char buf[DSFS_SYMLINK_MAX + 1];

	return image_symlink(src->base->prev, attr, buf, err) ?:
	       node_set_target(&src->tree->arena, n, buf, attr->size);
}

static int set_link(struct source *src, struct node *n, u32 ino)
{
	struct hlink *l = node_new_link(&src->tree->arena, n);

	if (!l)
		return -ENOMEM;
	/* archives that are added have numbers of their own */
	l->dev = 1;
	l->ino = ino;
	return 0;
}

/* Fill in the fields of a node that depend on the type. */
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
		if (parent && !node_new_dir(&src->tree->arena, n, parent))
			return -ENOMEM;
		return 0;
	case S_IFLNK:
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
	int ret = image_node_get(src->base->prev, ino, &old, err);

	if (ret)
		return ret;
	owner = owners_get(&src->tree->owners, old.uid, old.gid);
	if (owner < 0)
		return owner;
	n->mode = old.attr.mode;
	n->mtime = old.attr.mtime;
	n->owner = owner;
	if (!S_ISDIR(n->mode) && old.nlink > 1)
		ret = set_link(src, n, old.attr.ino);
	return ret ?: fill_type(src, parent, n, &old, err) ?: set_xattrs(src, n, &old, err);
}

/* Fill in the entries of a directory of the image. */
static int fill_dir(struct source *src, struct dir *d, u32 ino, struct dsfs_err *err)
{
	struct dsfs_source *prev = src->base->prev;
	struct dsfs_dir_info was;
	struct dsfs_dir_iter it;
	struct dsfs_name name;
	struct dsfs_attr attr;
	int ret = dsfs_inode_get(prev, ino, &attr, err) ?:
		  (S_ISDIR(attr.mode) ? 0 : -EUCLEAN) ?: dsfs_dir_get(prev, &attr, &was, err);

	if (ret || !was.count)
		return ret;
	d->nodes = arena_zalloc(&src->tree->arena, was.count * sizeof(*d->nodes));
	d->old = dir_alloc_old(src->tree, was.count);
	if (!d->nodes || !d->old)
		return -ENOMEM;
	dsfs_dir_iter_init(&it, prev, &was, 0);
	while (!ret && (ret = dsfs_dir_iter_next(&it, &name, err)) == 1) {
		struct node *n = &d->nodes[d->count];

		d->old[d->count++] = was.first + name.pos;
		ret = node_set_name(&src->tree->arena, n, name.name, name.len) ?:
		      fill_node(src, d, n, was.first + name.pos, err);
	}
	dsfs_dir_iter_end(&it);
	return ret;
}

static int image_list(struct source *src)
{
	struct array queue = { .size = sizeof(struct dir *) };
	struct tree *t = src->tree;
	struct dsfs_err err = { 0 };
	u64 inodes = DSFS_ROOT_INO + 1;
	int ret = array_append(&queue, &t->root_dir) ?:
		  fill_node(src, NULL, &t->root, DSFS_ROOT_INO, &err);
	char text[256];

	for (size_t i = 0; !ret && i < queue.n; i++) {
		struct dir *d = ((struct dir **)queue.p)[i];
		u32 ino = d->parent ? *node_old(d->parent, d->self) : DSFS_ROOT_INO;

		ret = fill_dir(src, d, ino, &err);
		inodes += d->count;
		for (u32 k = 0; !ret && k < d->count; k++) {
			if (S_ISDIR(d->nodes[k].mode))
				ret = array_append(&queue, &d->nodes[k].u.dir);
		}
	}
	array_free(&queue);
	/* inodes are in the same order, so they must get the same numbers */
	if (!ret && inodes != src->base->img.geo->inodes)
		ret = -EUCLEAN;
	if (ret) {
		err_text(&err, ret, text, sizeof(text));
		msg_error(src->base->img.path, "metadata: %s", text);
	}
	return ret;
}

static bool image_input_open(struct input *in)
{
	struct image_input *ii = (struct image_input *)in;
	const struct base *base = in->src->base;
	struct dsfs_err err = { 0 };
	struct dsfs_extra_info extra;
	int ret = dsfs_inode_get(base->prev, *node_old(in->dir, in->node), &ii->attr, &err) ?:
		  dsfs_extra_get(base->prev, &ii->attr, &extra, &err);

	if (ret)
		return input_fail(in, "metadata", ret);
	ii->stored = image_stored_bytes(&ii->attr, &extra);
	in->place = ii->attr.start;
	return true;
}

/* Verify the chunks that begin in the @bytes bytes from stored byte @pos on. */
static int verify(const struct image_input *ii, const char *p, u64 bytes, u64 pos)
{
	const struct base *base = ii->in.src->base;
	const unsigned int bits = dsfs_chunk_bits(base->img.geo, ii->stored);
	struct dsfs_err err = { 0 };
	int ret = 0;
	u32 want;

	for (u64 done = 0; !ret && bits && done < bytes; done += 1ULL << bits) {
		u64 n = bytes - done < 1ULL << bits ? bytes - done : 1ULL << bits;

		ret = dsfs_chunk_sum(base->prev, &ii->attr, ii->stored,
				     (pos + done) >> bits, &want, &err);
		if (!ret && dsfs_datasum(p + done, n) != want)
			ret = -EBADMSG;
	}
	return ret;
}

/* Read stored bytes; @pos and the end of the range are ends of chunks. */
static bool image_input_read(struct input *in, char *p, size_t bytes, u64 pos)
{
	struct image_input *ii = (struct image_input *)in;
	int ret = image_pread(&in->src->base->img, p, bytes, ii->attr.start + pos) ?:
		  verify(ii, p, bytes, pos);

	return ret ? input_fail(in, "content", ret) : true;
}

static u64 image_input_next_data(struct input *in, u64 *pos)
{
	(void)pos;
	return ((struct image_input *)in)->stored;
}

static void image_name(const struct source *src, const struct dir *dir,
		       const struct node *node, struct source_name *name)
{
	name->subject = strdup(src->base->img.path);
	if (!node || asprintf(&name->detail, "inode %u: ", *node_old(dir, node)) < 0)
		name->detail = NULL;
	name->hint = ": run fsck.dsfs";
}

const struct source_ops image_ops = {
	.bytes = sizeof(struct source),
	.input_bytes = sizeof(struct image_input),
	.list = image_list,
	.open = image_input_open,
	.read = image_input_read,
	.next_data = image_input_next_data,
	.name = image_name,
	.stored = true,
};
