// SPDX-License-Identifier: GPL-2.0
/*
 * Inode records, of which a table is written here, and rows.c writes rows; and inode extra records.
 * The layout has decided all other places; extra records are made here, in the order of inodes, and
 * equal ones are shared.
 */
#include "meta.h"

static int set_owner(struct meta *m, const struct node *n,
		     struct dsfs_inode *raw, struct dsfs_extra *extra)
{
	const struct owner *o = owners_at(&m->store->tree->owners, n->owner);

	if (o->final != OWNER_EXTRA) {
		raw->owner = cpu_to_le16(o->final - 1);
		return 0;
	}
	extra->uid = cpu_to_le32(o->uid);
	extra->gid = cpu_to_le32(o->gid);
	return DSFS_INODE_EXTRA_OWNER;
}

static int set_xattrs(struct meta *m, const struct node *n, struct dsfs_extra *extra)
{
	if (!n->xattrs)
		return 0;
	extra->xattrs = cpu_to_le64(xsets_at(&m->store->tree->xsets, n->xattrs)->off);
	return DSFS_INODE_XATTRS |
	       (n->flags & NODE_ACL ? DSFS_INODE_ACL : 0);
}

static int link_count(const struct node *n, struct dsfs_inode *raw, struct dsfs_extra *extra)
{
	u32 nlink = 1;

	if (n->flags & NODE_LINK)
		nlink = n->u.link->names;
	else if (S_ISDIR(n->mode))
		nlink = dir_nlink(n->u.dir);
	if (nlink <= UINT16_MAX) {
		raw->nlink = cpu_to_le16(nlink);
		return 0;
	}
	extra->nlink = cpu_to_le32(nlink);
	return DSFS_INODE_EXTRA_NLINK;
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
static int extra_number(struct meta *m, const struct dsfs_extra *extra, __le32 *number)
{
	struct dsfs_extra *e = table_find(&m->extras, extra) ?: table_add(&m->extras, extra);

	if (!e)
		return -ENOMEM;
	*number = cpu_to_le32(e - (struct dsfs_extra *)m->extras.list.p + 1);
	return 0;
}

/* Put a record of a compressed file in front of its extra record, if it has one. */
static int set_packed(struct meta *m, const struct node *n, __le32 *number)
{
	const struct packed *p = node_packed(m->store->tree, n);
	struct dsfs_compressed raw = { .extra = *number };

	if (!p)
		return 0;
	raw.stored = cpu_to_le32(p->stored);
	raw.units = cpu_to_le32(p->units);
	raw.codec = p->codec;
	raw.unit_bits = p->unit_bits;
	if (array_append(&m->packed, &raw))
		return -ENOMEM;
	*number = cpu_to_le32(m->packed.n);
	return DSFS_INODE_COMPRESSED;
}

static void set_start(struct dsfs_inode *raw, u64 v)
{
	raw->start_hi = cpu_to_le16(v >> 32);
	raw->start_lo = cpu_to_le32(v);
}

static void set_size(struct dsfs_inode *raw, u64 v)
{
	raw->size_hi = cpu_to_le16(v >> 32);
	raw->size_lo = cpu_to_le32(v);
}

/* Set size and start, whose meaning depends on the type. */
static void set_places(struct meta *m, struct node *n, struct dsfs_inode *raw)
{
	switch (n->mode & S_IFMT) {
	case S_IFREG:
		set_size(raw, n->size);
		set_start(raw, node_data(n)->start);
		m->content_bytes += n->size;
		m->files++;
		break;
	case S_IFDIR:
		set_start(raw, m->next_dir++);
		break;
	case S_IFLNK:
		set_size(raw, n->size);
		set_start(raw, node_data(n)->symlink->start);
		break;
	case S_IFCHR:
	case S_IFBLK:
		set_size(raw, n->size);
		break;
	}
}

static void hardlink(const struct node *n, struct dsfs_inode *raw)
{
	raw->mode = cpu_to_le16(n->mode & S_IFMT);
	raw->flags = cpu_to_le16(DSFS_INODE_HARDLINK);
	set_start(raw, n->u.link->number);
}

int inode_make(struct meta *m, struct node *n, struct dsfs_inode *raw)
{
	struct dsfs_extra extra = { 0 };
	int flags, ret;

	memset(raw, 0, sizeof(*raw));
	if (n->flags & NODE_HARDLINK) {
		hardlink(n, raw);
		return 0;
	}
	flags = set_owner(m, n, raw, &extra) | set_xattrs(m, n, &extra) |
		link_count(n, raw, &extra) | holes(m, n, &extra);
	if (flags & DSFS_INODE_NEEDS_EXTRA) {
		ret = extra_number(m, &extra, &raw->extra);
		if (ret)
			return ret;
	}
	ret = set_packed(m, n, &raw->extra);
	if (ret < 0)
		return ret;
	flags |= ret;
	if (n->flags & NODE_SHARED)
		flags |= DSFS_INODE_SHARED;
	raw->mode = cpu_to_le16(n->mode);
	raw->flags = cpu_to_le16(flags);
	raw->mtime = cpu_to_le64(n->mtime);
	set_places(m, n, raw);
	return 0;
}

static int put_inode(struct meta *m, struct node *n)
{
	struct dsfs_inode raw;

	return inode_make(m, n, &raw) ?: meta_put(m, &raw, sizeof(raw));
}

int meta_inodes(struct meta *m)
{
	static const struct dsfs_inode none;
	struct tree *t = m->store->tree;
	struct tree_walk walk = { 0 };
	const bool rows = m->store->params->rows;
	struct node *n;
	int ret;

	if (table_init(&m->extras, sizeof(struct dsfs_extra), sizeof(struct dsfs_extra)))
		return -ENOMEM;
	m->packed.size = sizeof(struct dsfs_compressed);
	meta_begin(m, DSFS_REGION_INODES);
	ret = meta_put(m, &none, sizeof(none)) ?: put_inode(m, &t->root);
	while (!ret && !rows && (n = tree_next(t, &walk)))
		ret = put_inode(m, n);
	return ret ? ret : meta_end(m);
}
