// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a manifest: names that are in two lines, and names with type=link, which become
 * names of their files.
 */
#include <stdlib.h>

#include "manifest.h"

static int plain_dir(void *manifest, struct node *n)
{
	struct manifest *m = manifest;
	const struct entry none = { .type = S_IFDIR, .attrs = m->entry.defaults };

	return manifest_set_attrs(m, n, &none);
}

/* Records are in the order of lines: the error is that of the later line. */
static void twice(void *manifest, const struct dir *dir, const struct node *a,
		  const struct node *b)
{
	struct manifest *m = manifest;
	char *path = tree_path(m->src.tree, dir, a, true);

	manifest_fail(m, manifest_record(m, b)->line, "/%s: already in line %u",
		      manifest_show(m, path ? path : ""), manifest_record(m, a)->line);
	free(path);
}

const struct grow_rules manifest_rules = { .plain = plain_dir, .twice = twice };

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
	else if (S_ISDIR(to->mode) || manifest_record(m, to)->link)
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

/* Make the node a name of its file; it keeps the record of its own line. */
static int end_link(struct manifest *m, struct node *n)
{
	struct record *r = manifest_record(m, n), *file;
	struct node *to = find_target(m, n, r);

	if (!to)
		return 0;
	file = manifest_record(m, to);
	r->origin = file->origin;
	r->offset = file->offset;
	return node_join(m->src.tree, n, to);
}

static int end_links(struct manifest *m, struct dir *dir)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < dir->count; i++) {
		if (!dir->nodes[i].mode)
			ret = end_link(m, &dir->nodes[i]);
	}
	return ret;
}

int manifest_finish(struct manifest *m)
{
	const struct grow *g = &m->grow;
	int ret = grow_end(&m->grow);
	/* after errors, links may have no target just because of these */
	const bool wrong = m->errors;

	for (size_t i = 0; !ret && !wrong && i < g->dirs.n; i++)
		ret = end_links(m, &grow_dir_at(g, i)->dir);
	if (!ret && m->errors)
		ret = -EINVAL;
	return ret || !m->src.tree->gone ? ret : tree_prune(m->src.tree);
}
