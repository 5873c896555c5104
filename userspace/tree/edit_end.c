// SPDX-License-Identifier: GPL-2.0
/*
 * The end of an edit: names that were moved or added go into the arrays of their directories, and
 * what was taken away leaves them.  Only then is it known which of several names of a file is its
 * first one.
 */
#include "edit_names.h"
#include "msg.h"

/* What was added gets what is known of its contents, now that they are stored. */
static void take_contents(struct edit_name *a)
{
	const u16 flags = NODE_GONE | NODE_PACKED | NODE_FOUND;
	const struct node *from = a->from;
	struct node *n = &a->node;

	n->u = from->u;
	n->flags |= from->flags & flags;
	n->size = from->size;
	n->sum = from->sum;
	n->sparse = from->sparse;
}

/* Nobody asks any more where a directory was. */
static void settle(const struct edit *e)
{
	for (size_t i = 0; i < e->added.n; i++) {
		struct edit_name *a = added_at(e, i);
		struct dir *d = a->node.u.dir;

		if (a->from && !S_ISDIR(a->node.mode))
			take_contents(a);
		for (u32 k = 0; a->from && S_ISDIR(a->node.mode) && k < d->count; k++) {
			if (S_ISDIR(d->nodes[k].mode))
				d->nodes[k].u.dir->parent = d;
		}
	}
	for (size_t i = 0; i < e->added.n; i++) {
		struct edit_name *a = added_at(e, i);

		/* the last one of those that it had is where it is */
		if (!S_ISDIR(a->node.mode))
			continue;
		a->node.u.dir->parent = a->dir;
		a->node.u.dir->self = &a->node;
	}
}

/* What was moved may have been removed afterwards, with the directory that it was moved to. */
static void check_places(struct edit *e)
{
	for (size_t i = 0; i < e->added.n; i++) {
		const struct edit_name *a = added_at(e, i);
		const struct dir *d = a->dir;
		char *path;

		while (d && !(d->self->flags & NODE_AWAY))
			d = d->parent;
		if (!d || a->node.flags & NODE_AWAY)
			continue;
		e->line = a->line;
		path = tree_path(e->tree, a->dir, &a->node, true);
		edit_say(e, path ? path : "", "is in what is removed afterwards");
		free(path);
	}
}

/* By directory, in any order; then by name */
static int added_cmp(const void *a, const void *b)
{
	const struct edit_name *x = *(struct edit_name *const *)a;
	const struct edit_name *y = *(struct edit_name *const *)b;

	if (x->dir != y->dir)
		return x->dir < y->dir ? -1 : 1;
	return node_cmp(&x->node, &y->node);
}

/* Give a directory @n more names, which are sorted; those that are gone are among both. */
static int merge(struct tree *t, struct dir *d, struct edit_name *const *more, u32 n)
{
	const u32 count = d->count + n;
	struct node *nodes = arena_alloc(&t->arena, count * sizeof(*nodes), 8);

	if (!nodes)
		return -ENOMEM;
	for (u32 to = 0, i = 0, k = 0; to < count; to++) {
		if (k == n || (i < d->count && node_cmp(&d->nodes[i], &more[k]->node) <= 0))
			nodes[to] = d->nodes[i++];
		else
			nodes[to] = more[k++]->node;
	}
	d->nodes = nodes;
	d->count = count;
	return 0;
}

static int merge_all(struct edit *e)
{
	struct edit_name **all = (struct edit_name **)e->added.p;
	int ret = 0;

	array_sort(&e->added, added_cmp);
	for (size_t i = 0, n; !ret && i < e->added.n; i += n) {
		for (n = 1; i + n < e->added.n && all[i + n]->dir == all[i]->dir;)
			n++;
		ret = merge(e->tree, all[i]->dir, all + i, n);
	}
	return ret;
}

/* Mark what a subset leaves out, directory by directory. */
static int leave_out(struct edit *e)
{
	struct array queue = { .size = sizeof(struct dir *) };
	struct tree *t = e->tree;
	int ret = t->root.flags & NODE_WANTED ? 0 : array_append(&queue, &t->root_dir);

	for (size_t i = 0; !ret && i < queue.n; i++) {
		struct dir *d = ((struct dir **)queue.p)[i];

		for (u32 k = 0; !ret && k < d->count; k++) {
			struct node *n = &d->nodes[k];

			if (n->flags & NODE_WANTED)
				continue;
			if (n->flags & NODE_ABOVE)
				ret = array_append(&queue, &n->u.dir);
			else
				n->flags |= NODE_GONE;
		}
	}
	array_free(&queue);
	return ret;
}

/* Give all names of a file what was set of one of them. */
static void set_linked(struct edit *e)
{
	struct tree_walk walk = { 0 };
	struct node *n;

	while (e->linked.list.n && (n = tree_next(e->tree, &walk))) {
		const struct edit_linked *l = NULL;
		struct edit_file key;

		if (n->flags & NODE_LINK) {
			key = edit_file_of(n);
			l = table_find(&e->linked, &key);
		}
		if (!l)
			continue;
		n->mode = l->node.mode;
		n->mtime = l->node.mtime;
		n->owner = l->node.owner;
		n->xattrs = l->node.xattrs;
		n->flags = (n->flags & ~NODE_ACL) | (l->node.flags & NODE_ACL);
	}
}

int edit_end(struct edit *e)
{
	int ret;

	settle(e);
	check_places(e);
	if (e->errors > EDIT_TOLD)
		msg_error(e->list, "%llu more errors", e->errors - EDIT_TOLD);
	if (e->errors)
		return -EINVAL;
	ret = (e->subset ? leave_out(e) : 0) ?: merge_all(e) ?: tree_prune(e->tree);
	ret = ret ? no_memory() : tree_order(e->tree);
	if (!ret)
		set_linked(e);
	return ret;
}
