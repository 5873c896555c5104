// SPDX-License-Identifier: GPL-2.0
/*
 * Inodes, and inode extra records.  The layout has decided all places; extra records are made
 * here, in the order of inodes, and equal ones are shared.
 */
#include "meta.h"

static int set_xattrs(struct meta *m, const struct node *n, struct dsfs_extra *extra)
{
	if (!n->xattrs)
		return 0;
	extra->xattrs = cpu_to_le64(xsets_at(&m->store->tree->xsets, n->xattrs)->off);
	return DSFS_INODE_XATTRS |
	       (n->flags & NODE_ACL ? DSFS_INODE_ACL : 0);
}

static u32 link_count(const struct node *n)
{
	if (n->flags & NODE_LINK)
		return n->u.link->names;
	return S_ISDIR(n->mode) ? dir_nlink(n->u.dir) : 1;
}

static int holes(struct meta *m, const struct node *n, struct dsfs_extra *extra)
{
	const struct sparse *sp = node_sparse(m->store->tree, n);

	if (!sp)
		return 0;
	extra->stored = cpu_to_le64(sp->stored);
	extra->first_extent = cpu_to_le32(sp->first_extent);
	extra->extents = cpu_to_le32(sp->extents);
	return DSFS_INODE_HOLES;
}

/* Find or add an extra record; inodes with equal fields share one. */
static int extra_number(struct meta *m, const struct dsfs_extra *extra, u32 *number)
{
	struct dsfs_extra *e = table_find(&m->extras, extra) ?: table_add(&m->extras, extra);

	if (!e)
		return -ENOMEM;
	*number = e - (struct dsfs_extra *)m->extras.list.p + 1;
	return 0;
}

static void set_packed(struct meta *m, const struct node *n, struct inode *i)
{
	const struct packed *p = node_packed(m->store->tree, n);

	if (!p)
		return;
	i->stored = p->stored;
	i->units = p->units;
	i->flags |= p->codec << DSFS_CODEC_SHIFT;
	m->compressed = true;
}

/* Set size and start, whose meaning depends on the type. */
static void set_places(struct meta *m, struct node *n, struct inode *i)
{
	switch (n->mode & S_IFMT) {
	case S_IFREG:
		i->size = n->size;
		i->start = node_data(n)->start;
		i->sum = m->store->params->chunk_bits ? n->sum : 0;
		m->content_bytes += n->size;
		m->files++;
		break;
	case S_IFDIR:
		i->start = m->next_dir++;
		break;
	case S_IFLNK:
		i->size = n->size;
		i->start = node_data(n)->symlink->start;
		break;
	case S_IFCHR:
	case S_IFBLK:
		i->size = n->size;
		break;
	}
}

int inode_make(struct meta *m, struct node *n, struct inode *i)
{
	struct dsfs_extra extra = { 0 };
	int ret;

	*i = (struct inode){ 0 };
	if (n->flags & NODE_HARDLINK) {
		i->mode = n->mode & S_IFMT;
		i->flags = DSFS_INODE_HARDLINK;
		i->start = n->u.link->number;
		return 0;
	}
	i->owner = owners_at(&m->store->tree->owners, n->owner)->final - 1;
	i->nlink = link_count(n);
	i->flags = set_xattrs(m, n, &extra) | holes(m, n, &extra);
	if (i->flags & DSFS_INODE_NEEDS_EXTRA) {
		ret = extra_number(m, &extra, &i->extra);
		if (ret)
			return ret;
	}
	set_packed(m, n, i);
	if (n->flags & NODE_SHARED)
		i->flags |= DSFS_INODE_SHARED;
	i->mode = n->mode;
	i->mtime = n->mtime;
	set_places(m, n, i);
	return 0;
}

int meta_root(struct meta *m)
{
	struct dsfs_root *raw = &m->super.root;
	struct inode i;
	int ret = inode_make(m, &m->store->tree->root, &i);

	raw->mode = cpu_to_le16(i.mode);
	raw->flags = cpu_to_le16(i.flags);
	raw->nlink = cpu_to_le32(i.nlink);
	raw->owner = cpu_to_le32(i.owner);
	raw->extra = cpu_to_le32(i.extra);
	raw->mtime = cpu_to_le64(i.mtime);
	return ret;
}
