// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a manifest: directories are copied to their parents and sorted,
 * which finds duplicate names, and names with type=link become names of their
 * files.
 */
#include <stdlib.h>

#include "format.h"
#include "manifest.h"

/* Finish a directory; without attributes of its own it has the defaults. */
static int end_dir(struct manifest *m, struct mdir *d)
{
	struct entry none = { .type = S_IFDIR };
	int ret = d->line ? 0 : manifest_set_attrs(m, &d->self, &none);
	struct node *n;

	if (ret)
		return ret;
	ret = manifest_add_record(m, &d->self, d->line ? d->line : d->first_line);
	if (ret)
		return ret;
	if (!d->parent) {
		struct node *root = &m->src.tree->root;

		root->mode = d->self.mode;
		root->owner = d->self.owner;
		root->mtime = d->self.mtime;
		root->xattrs = d->self.xattrs;
		root->flags |= d->self.flags & NODE_ACL;
		return 0;
	}
	d->self.u.dir = d->dir;
	n = manifest_add_node(d->parent);
	if (n)
		*n = d->self;
	return n ? 0 : -ENOMEM;
}

/* Order of nodes with the same name by line: the error is that of the later line. */
static int line_cmp(const void *a, const void *b, void *manifest)
{
	u32 x = manifest_record(manifest, a)->line;
	u32 y = manifest_record(manifest, b)->line;
	int cmp = node_cmp(a, b);

	return cmp ? cmp : x < y ? -1 : x > y;
}

static bool is_sorted(const struct dir *dir)
{
	for (u32 i = 1; i < dir->count; i++) {
		if (node_cmp(&dir->nodes[i - 1], &dir->nodes[i]) >= 0)
			return false;
	}
	return true;
}

static void sort_dir(struct manifest *m, struct mdir *d)
{
	struct dir *dir = d->dir;
	struct node *less;

	if (!is_sorted(dir))
		qsort_r(dir->nodes, dir->count, sizeof(*dir->nodes),
			line_cmp, m);
	for (u32 i = 1; i < dir->count; i++) {
		const struct node *a = &dir->nodes[i - 1], *b = a + 1;
		char *path;

		if (node_cmp(a, b))
			continue;
		path = tree_path(m->src.tree, dir, a, true);
		manifest_fail(m, manifest_record(m, b)->line, "/%s: already in line %u",
			      manifest_show(m, path ? path : ""), manifest_record(m, a)->line);
		free(path);
	}
	less = dir->count ? realloc(dir->nodes, dir->count * sizeof(*less)) :
			    NULL;
	if (less)
		dir->nodes = less;
	for (u32 i = 0; i < dir->count; i++) {
		if (S_ISDIR(dir->nodes[i].mode))
			dir->nodes[i].u.dir->self = &dir->nodes[i];
	}
}

/* Add a name to a file. */
static struct hlink *make_link(struct manifest *m, struct node *n,
			       const struct hlink *as)
{
	struct hlink *l = manifest_keep(m, sizeof(*l), 8);

	if (!l)
		return NULL;
	l->ino = as ? as->ino : m->src.tree->nlinks + 1;
	l->data = as ? as->data : n->u;
	n->u.link = l;
	n->flags |= NODE_LINK;
	m->src.tree->nlinks++;
	return l;
}

/* A line with type=link and the file that it names. */
struct link {
	struct node *node;
	struct node *to;
};

/* Find the file that a link names.  NULL: the link is wrong or left out. */
static struct node *find_target(struct manifest *m, struct node *n)
{
	const struct record *r = manifest_record(m, n);
	struct node *to = NULL;
	struct dir *dir;

	if (*r->target == '/')
		to = tree_find(m->src.tree, r->target, &dir);
	if (!to)
		manifest_fail(m, r->line, "target: %s: not in the manifest",
			      manifest_show(m, r->target));
	else if (manifest_record(m, to)->link || S_ISDIR(to->mode))
		manifest_fail(m, r->line, "target: %s: is itself type=%s",
			      manifest_show(m, r->target), S_ISDIR(to->mode) ? "dir" : "link");
	else if (to->flags & NODE_GONE)
		manifest_leave_out(m, n, r->line, "target: %s: cannot be read",
				   manifest_show(m, r->target));
	else
		return to;
	return NULL;
}

/* Make the node a name of its file; it keeps the number of its own line. */
static int end_link(struct manifest *m, const struct link *link)
{
	struct node *n = link->node, *to = link->to, was = *n;
	struct record *r = manifest_record(m, n);
	u32 line = r->line;

	if (!(to->flags & NODE_LINK) && !make_link(m, to, NULL))
		return -ENOMEM;
	*n = *to;
	n->name = was.name;
	n->source = was.source;
	*r = *manifest_record(m, to);
	r->line = line;
	return make_link(m, n, to->u.link) ? 0 : -ENOMEM;
}

/*
 * Resolve all links.  All targets are found before any link is made, so that a
 * link to a link is noticed.
 */
static int end_links(struct manifest *m)
{
	struct array found = { .size = sizeof(struct link) };
	struct link *link;
	int ret = 0;

	for (size_t i = 0; !ret && m->links && i < m->dirs.n; i++) {
		struct dir *dir = manifest_dir_at(m, i)->dir;

		for (u32 k = 0; !ret && k < dir->count; k++) {
			struct node *n = &dir->nodes[k];
			struct node *to = NULL;

			if (manifest_record(m, n)->link)
				to = find_target(m, n);
			if (!to)
				continue;
			link = array_add(&found);
			if (link)
				*link = (struct link){ n, to };
			else
				ret = -ENOMEM;
		}
	}
	if (!ret && m->errors)
		ret = -EINVAL;
	for (size_t i = 0; !ret && i < found.n; i++)
		ret = end_link(m, (struct link *)found.p + i);
	array_free(&found);
	return ret;
}

int manifest_finish(struct manifest *m)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < m->dirs.n; i++)
		ret = end_dir(m, manifest_dir_at(m, i));
	for (size_t i = 0; !ret && i < m->dirs.n; i++)
		sort_dir(m, manifest_dir_at(m, i));
	/* after errors, links may have no target just because of these */
	if (!ret && m->errors)
		ret = -EINVAL;
	if (!ret)
		ret = end_links(m);
	if (!ret && m->src.tree->gone)
		ret = tree_prune(m->src.tree);
	hash_free(&m->dir_numbers);
	free(m->last);
	m->last = NULL;
	return ret;
}
