// SPDX-License-Identifier: GPL-2.0
/*
 * The tree, after all archives have been read: names become nodes of their directories, in
 * the order of the image, and names of one file become hard links.
 */
#include <stdlib.h>

#include "format.h"
#include "tar.h"

/* Set the attributes of a directory that no member describes. */
static int default_dir(struct tar *t, struct node *n)
{
	n->mode = S_IFDIR | 0755;
	n->mtime = source_time(&t->src, 0);
	return source_set_owner(&t->src, n, 0, 0);
}

static int fill_dir(struct tar *t, const struct tar_name *name, struct node *n)
{
	int ret = 0;

	if (name->file)
		*n = name->file->file.node;
	else
		ret = default_dir(t, n);
	n->u.dir = name->dir;
	return ret;
}

static int fill_file(struct tar *t, const struct tar_name *name, struct node *n)
{
	struct tar_file *f = name->file;
	struct hlink *l;

	*n = f->file.node;
	if (f->names < 2)
		return 0;
	l = node_new_link(&t->src.tree->arena, n);
	if (!l)
		return -ENOMEM;
	if (!f->number)
		f->number = t->src.tree->nlinks + 1;
	t->src.tree->nlinks++;
	l->ino = f->number;
	l->data = f->file.node.u;
	return 0;
}

static int make_nodes(struct tar *t, struct dir *dir)
{
	dir->nodes = arena_zalloc(&t->src.tree->arena, dir->count * sizeof(*dir->nodes));
	dir->count = 0;
	return dir->nodes ? 0 : -ENOMEM;
}

static int fill_node(struct tar *t, const struct tar_name *name)
{
	struct dir *dir = name->parent->dir;
	struct node *n = &dir->nodes[dir->count++];
	int ret = name->dir ? fill_dir(t, name, n) : fill_file(t, name, n);

	n->name = name->name;
	return ret;
}

static int fill_root(struct tar *t)
{
	struct node *root = &t->src.tree->root;
	char *name = root->name;
	int ret = fill_dir(t, t->root, root);

	root->name = name;
	return ret;
}

static void sort_dir(struct dir *dir)
{
	for (u32 i = 1; i < dir->count; i++) {
		if (node_cmp(&dir->nodes[i - 1], &dir->nodes[i]) > 0) {
			qsort(dir->nodes, dir->count, sizeof(*dir->nodes), node_cmp);
			return;
		}
	}
}

int tar_end(struct source *src)
{
	struct tar *t = (struct tar *)src;
	struct tar_name *n;
	int ret = fill_root(t);

	tar_notes_say(t);
	for (n = t->root; !ret && n; n = n->next)
		ret = n->dir ? make_nodes(t, n->dir) : 0;
	for (n = t->root->next; !ret && n; n = n->next)
		ret = fill_node(t, n);
	for (n = t->root; !ret && n; n = n->next) {
		if (n->dir)
			sort_dir(n->dir);
	}
	/* what was replaced is still asked for */
	if (!src->replaced.n)
		tar_tree_free(t);
	return ret ? no_memory() : 0;
}
