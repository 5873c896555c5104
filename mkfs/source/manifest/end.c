// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a manifest: directories are copied to their parents and sorted, which finds
 * duplicate names, and names with type=link become names of their files.
 */
#include <stdlib.h>

#include "format.h"
#include "manifest.h"

/* Finish a directory; without attributes of its own it has the defaults. */
static int end_dir(struct manifest *m, struct mdir *d)
{
	const struct entry none = { .type = S_IFDIR, .attrs = m->entry.defaults };
	int ret = d->line ? 0 : manifest_set_attrs(m, &d->self, &none);
	struct node *n = &m->src.tree->root;

	if (!ret)
		ret = manifest_add_record(m, &d->self, d->line ? d->line : d->first_line);
	if (ret)
		return ret;
	if (d->parent)
		n = manifest_add_node(d->parent);
	else
		d->self.u = n->u;
	if (!n)
		return -ENOMEM;
	*n = d->self;
	return 0;
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

static void sort_dir(struct manifest *m, struct dir *dir)
{
	struct node *less = dir->count ? realloc(dir->nodes, dir->count * sizeof(*less)) : NULL;

	if (less)
		dir->nodes = less;
	if (is_sorted(dir))
		return;
	qsort_r(dir->nodes, dir->count, sizeof(*dir->nodes), line_cmp, m);
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
}

/* Add a name to a file. */
static int make_link(struct manifest *m, struct node *n, const struct hlink *as)
{
	const union node_data data = n->u;
	struct hlink *l = node_new_link(&m->src.tree->arena, n);

	if (!l)
		return -ENOMEM;
	l->ino = as ? as->ino : m->src.tree->nlinks + 1;
	l->data = as ? as->data : data;
	m->src.tree->nlinks++;
	return 0;
}

/* Find the file that a link names.  NULL: the link is wrong or left out. */
static struct node *find_target(struct manifest *m, struct node *n, struct record *r)
{
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
	r->origin = NULL;
	return NULL;
}

/* Make the node a name of its file; it keeps the number of its own line. */
static int end_link(struct manifest *m, struct node *n)
{
	struct record *r = manifest_record(m, n), *origin;
	struct node *to = find_target(m, n, r), was = *n;

	if (!to)
		return 0;
	if (!(to->flags & NODE_LINK) && make_link(m, to, NULL))
		return -ENOMEM;
	*n = *to;
	n->name = was.name;
	n->source = was.source;
	origin = manifest_record(m, to);
	r->origin = origin->origin;
	r->offset = origin->offset;
	return make_link(m, n, to->u.link);
}

static int end_links(struct manifest *m, struct dir *dir)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < dir->count; i++) {
		if (manifest_record(m, &dir->nodes[i])->link)
			ret = end_link(m, &dir->nodes[i]);
	}
	return ret;
}

int manifest_finish(struct manifest *m)
{
	bool wrong;
	int ret = 0;

	for (size_t i = 0; !ret && i < m->dirs.n; i++)
		ret = end_dir(m, manifest_dir_at(m, i));
	for (size_t i = 0; !ret && i < m->dirs.n; i++)
		sort_dir(m, manifest_dir_at(m, i)->dir);
	/* after errors, links may have no target just because of these */
	wrong = m->errors;
	for (size_t i = 0; !ret && !wrong && i < m->dirs.n; i++)
		ret = end_links(m, manifest_dir_at(m, i)->dir);
	if (!ret && m->errors)
		ret = -EINVAL;
	if (!ret && m->src.tree->gone)
		ret = tree_prune(m->src.tree);
	hash_free(&m->dirs_by_name);
	return ret;
}
