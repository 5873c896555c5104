// SPDX-License-Identifier: GPL-2.0
/*
 * Matching of the tree with the base image.
 *
 * An update writes all metadata again, and leaves the data of every unchanged file in place.  The
 * inode of such a file in the image is found by its path before any content is read; places and
 * checksums are taken from it afterwards.
 *
 * Directories of both trees are walked side by side.  Names are sorted in both,
 * so each record of the image is read once, in the order of the image.
 */
#include "keep.h"
#include "format.h"
#include "msg.h"

struct match {
	struct base *base;
	bool by_time;
};

/* Whether size and mtime say that the content is that of an inode */
static bool same_time(const struct node *n, const struct dsfs_attr *attr)
{
	if (n->flags & NODE_NO_TIME)
		return false;
	/* a time at a limit may have been clamped */
	return n->mtime == attr->mtime && n->mtime != INT64_MIN && n->mtime != INT64_MAX;
}

static int match_file(struct match *m, struct node *n, u32 ino, u8 type, struct dsfs_err *err)
{
	struct base *base = m->base;
	struct dsfs_attr attr;
	int ret;

	if (n->flags & NODE_HARDLINK)
		n = n->u.link->first;
	if (!node_is_data(n) || n->old)
		return 0;
	ret = dsfs_hardlink_follow(base->prev, DSFS_NO_PLACE, &ino, &type, err);
	if (ret || type != DT_REG)
		return ret;
	ret = dsfs_inode_get(base->prev, ino, &attr, err);
	if (ret || !S_ISREG(attr.mode) || dsfs_attr_is_hardlink(&attr) || attr.size != n->size)
		return ret;
	n->old = ino;
	if (m->by_time && same_time(n, &attr))
		keep_mark(base, n);
	return 0;
}

/* Match an entry that has the same name in both directories. */
static int match_entry(struct match *m, struct node *n, u32 ino, u8 type, struct dsfs_err *err)
{
	if (S_ISREG(n->mode))
		return match_file(m, n, ino, type, err);
	if (S_ISDIR(n->mode) && type == DT_DIR)
		n->old = ino;
	return 0;
}

static int match_names(struct match *m, struct dir *d,
		       const struct dsfs_dir_info *was, struct dsfs_err *err)
{
	struct dsfs_dir_iter it;
	struct dsfs_name name;
	int ret, cmp = 0;
	u32 k = 0;

	dsfs_dir_iter_init(&it, m->base->prev, was, 0);
	while ((ret = dsfs_dir_iter_next(&it, &name, err)) == 1) {
		for (; k < d->count; k++) {
			cmp = dsfs_name_cmp(node_name(&d->nodes[k]),
					    node_len(&d->nodes[k]), name.name, name.len);
			if (cmp >= 0)
				break;
		}
		if (k == d->count)
			break;
		if (cmp)
			continue;
		ret = match_entry(m, &d->nodes[k++], was->first + name.pos, name.type, err);
		if (ret)
			break;
	}
	dsfs_dir_iter_end(&it);
	return ret < 0 ? ret : 0;
}

static int match_dir(struct match *m, struct dir *d, u32 ino, struct dsfs_err *err)
{
	struct base *base = m->base;
	struct dsfs_dir_info was;
	struct dsfs_attr attr;
	int ret = dsfs_inode_get(base->prev, ino, &attr, err);

	if (!ret && !S_ISDIR(attr.mode))
		ret = dsfs_bad(err, "type of an entry", attr.mode, S_IFDIR, -EUCLEAN);
	if (!ret)
		ret = dsfs_dir_get(base->prev, &attr, &was, err);
	return ret ? ret : match_names(m, d, &was, err);
}

int base_match(struct base *base, struct tree *t, bool by_time)
{
	struct match m = { .base = base, .by_time = by_time };
	struct dsfs_err err = { 0 };
	int ret = 0;

	for (u64 i = 0; !ret && i < t->ndirs; i++) {
		struct dir *d = tree_dir(t, i);
		const u32 ino = d->parent ? d->self->old : DSFS_ROOT_INO;

		if (ino)
			ret = match_dir(&m, d, ino, &err);
	}
	return ret ? base_damaged(base, "metadata", &err, ret) : 0;
}
