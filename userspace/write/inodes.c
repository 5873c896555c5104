// SPDX-License-Identifier: GPL-2.0
/*
 * Inodes, and inode extra records, and the region NAMES, whose blocks have the rows of their
 * inodes. The layout has decided all places; extra records are made here, in the order of inodes,
 * and equal ones are shared.
 */
#include "format.h"
#include "layout.h"
#include "meta.h"

static int make_row(void *arg, struct node *n, s64 *row)
{
	struct meta *m = arg;
	struct inode i;
	int ret = inode_make(m, n, &i);

	if (ret)
		return ret;
	row[DSFS_COLUMN_KIND] = (u64)i.nlink << 32 | (u64)i.flags << 16 | i.mode;
	row[DSFS_COLUMN_OWNER] = (u64)i.extra << 32 | i.owner;
	row[DSFS_COLUMN_SIZE] = i.size;
	row[DSFS_COLUMN_START] = i.start;
	row[DSFS_COLUMN_MTIME] = i.mtime;
	row[DSFS_COLUMN_SUM] = i.sum;
	row[DSFS_COLUMN_STORED] = i.stored;
	row[DSFS_COLUMN_UNITS] = i.units;
	return 0;
}

/* The block of @count names from name @from of a directory on */
static int put_block(struct meta *m, const struct rows *r, u32 first, int count)
{
	__le32 block[DSFS_BLOCK_SIZE / sizeof(__le32)];
	const __le32 number = cpu_to_le32(first);
	const u16 fill = count;
	u32 bytes;
	const u64 at = rows_at(r, &bytes);
	int ret = meta_pad(m, at);

	if (ret)
		return ret;
	if (!(at & (DSFS_BLOCK_SIZE - 1)) && array_append(&m->numbers, &number))
		return -ENOMEM;
	rows_write(r, block);
	return array_append(&m->fills, &fill) ? -ENOMEM : meta_put(m, block, bytes);
}

static int put_dir(struct meta *m, struct rows *r, struct dir *d)
{
	int count = rows_begin(r, d, m->bytes[DSFS_REGION_NAMES]), ret;
	u32 from = 0;

	for (; count > 0; count = rows_next(r)) {
		ret = put_block(m, r, d->first + from, count);
		if (ret)
			return ret;
		from += count;
	}
	return count;
}

int meta_rows(struct meta *m)
{
	const struct tree *t = m->tree;
	struct rows *r = rows_new(make_row, m);
	int ret;

	if (!r || table_init(&m->extras, sizeof(struct dsfs_extra), sizeof(struct dsfs_extra))) {
		rows_free(r);
		return -ENOMEM;
	}
	m->fills.size = sizeof(u16);
	m->numbers.size = sizeof(__le32);
	ret = meta_root(m);
	meta_begin(m, DSFS_REGION_NAMES);
	for (u64 i = 0; !ret && i < t->ndirs; i++)
		ret = put_dir(m, r, tree_dir(t, i));
	rows_free(r);
	return ret ? ret : meta_end(m);
}

static int set_xattrs(struct meta *m, const struct node *n, struct dsfs_extra *extra)
{
	if (!n->xattrs)
		return 0;
	extra->xattrs = cpu_to_le64(xsets_at(&m->tree->xsets, n->xattrs)->off);
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
	const struct sparse *sp = node_sparse(m->tree, n);

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
	const struct packed *p = node_packed(m->tree, n);

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
		i->sum = m->draft->chunk_bits ? n->sum : 0;
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
	i->owner = owners_at(&m->tree->owners, n->owner)->final - 1;
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
	int ret = inode_make(m, &m->tree->root, &i);

	raw->mode = cpu_to_le16(i.mode);
	raw->flags = cpu_to_le16(i.flags);
	raw->nlink = cpu_to_le32(i.nlink);
	raw->owner = cpu_to_le32(i.owner);
	raw->extra = cpu_to_le32(i.extra);
	raw->mtime = cpu_to_le64(i.mtime);
	return ret;
}
