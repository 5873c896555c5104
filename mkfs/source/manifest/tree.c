// SPDX-License-Identifier: GPL-2.0
/*
 * A line of a manifest becomes a node of its directory.  Where the content is, and where the
 * line is, are in a record beside it: a tree has no room for what one kind of source needs.
 */
#include "format.h"
#include "manifest.h"
#include "../xattr.h"

int manifest_set_attrs(struct manifest *m, struct node *n, const struct entry *e)
{
	const struct entry_attrs *a = &e->attrs;
	const u16 mode = e->type == S_IFDIR ? a->dirmode : e->type == S_IFLNK ? 0777 : a->mode;

	n->mode = e->type | (entry_has(e, ENTRY_MODE) ? a->mode : mode);
	n->mtime = source_time(&m->src, a->mtime);
	n->flags |= entry_has(e, ENTRY_MTIME) ? 0 : NODE_NO_TIME;
	return source_set_owner(&m->src, n, a->uid, a->gid);
}

/* The type of a link is that of its target, which may come in a later line. */
static int set_link(struct manifest *m, struct node *n, const struct entry *e)
{
	const size_t bytes = strlen(e->target) + 1;
	char *target = arena_alloc(&m->src.tree->arena, bytes, 1);
	struct record *r = manifest_record(m, n);

	if (!target)
		return -ENOMEM;
	memcpy(target, e->target, bytes);
	r->target = target;
	r->link = true;
	n->mode = 0;
	return 0;
}

static int set_type(struct manifest *m, struct node *n, const struct entry *e)
{
	switch (e->type) {
	case S_IFREG:
		return e->source ? manifest_set_origin(m, n, e) : 0;
	case ENTRY_LINK:
		return set_link(m, n, e);
	case S_IFLNK:
		return node_set_target(&m->src.tree->arena, n, e->target, strlen(e->target));
	case S_IFCHR:
	case S_IFBLK:
		n->size = e->major << 20 | e->minor;
		break;
	}
	return 0;
}

static int set_xattrs(struct manifest *m, struct node *n, struct entry *e)
{
	const int perm = xattr_acl_mode(&e->xattrs, n->mode);
	char why[XATTR_WHY];
	int ret;

	if (perm >= 0 && entry_has(e, ENTRY_MODE) && (n->mode & 0777) != perm)
		return manifest_fail(m, m->line, "mode: %04o: its permissions by the ACL are %04o",
				     n->mode & 07777, perm);
	if (perm >= 0)
		n->mode = (n->mode & ~0777) | perm;
	if (m->src.o->no_xattrs)
		return 0;
	ret = xattr_set_make(&m->src.tree->xsets, &e->xattrs, &m->set, n, why);
	if (ret == -EINVAL || ret == -E2BIG)
		return manifest_fail(m, m->line, "xattrs: %s", why);
	return ret;
}

/* A directory may be there already, without a line of its own. */
static int begin_dir(struct manifest *m, const struct entry *e, struct grow_dir *d)
{
	struct node *n = grow_node(d);

	if (d->said)
		return manifest_fail(m, m->line, "%s: already in line %u",
				     manifest_show(m, e->path), manifest_record(m, n)->line);
	d->said = true;
	n->source = m->grow.now;
	return 0;
}

/* The node of a new line. */
static int get_node(struct manifest *m, const struct entry *e, struct node **n)
{
	struct grow *g = &m->grow;
	const char *name;
	size_t len;
	struct grow_dir *d = grow_walk(g, grow_dir_at(g, 0), e->path, &name, &len);
	int ret = 0;

	if (d && e->type != S_IFDIR) {
		*n = grow_add(g, d, name, len);
		return *n ? 0 : -ENOMEM;
	}
	if (d && len)
		d = grow_dir(g, d, name, len);
	if (!d)
		return -ENOMEM;
	ret = begin_dir(m, e, d);
	*n = grow_node(d);
	return ret;
}

int manifest_add(struct manifest *m)
{
	struct record *r = array_add(&m->records);
	struct entry *e = &m->entry;
	struct node *n;
	int ret;

	if (!r)
		return -ENOMEM;
	r->line = m->line;
	m->grow.now = m->records.n;
	/* a node of a wrong line stays in the tree, and its record tells the line */
	ret = get_node(m, e, &n);
	if (!ret)
		ret = manifest_set_attrs(m, n, e);
	if (!ret)
		ret = set_xattrs(m, n, e);
	return ret ? ret : set_type(m, n, e);
}
