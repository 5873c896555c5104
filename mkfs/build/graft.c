// SPDX-License-Identifier: GPL-2.0
/*
 * An image of archives that gets more of them.  What it has stays as it is, so its tree is
 * taken from its metadata, and no archive of it is read again.  The archives that are added
 * make a tree of their own while they are read; then both become one.
 */
#include "build.h"
#include "format.h"
#include "msg.h"

int graft_begin(struct base *base, const struct options *o, struct tree *t)
{
	struct dir *own = t->root_dir;
	struct source *image = NULL;
	int ret;

	t->root_dir = node_new_dir(&t->arena, &t->root, NULL);
	ret = t->root_dir ? source_image(&image, o, t, 1, base) : no_memory();
	if (!ret && image)
		ret = image->ops->list(image);
	source_free(image);
	base->root = t->root;
	base->root_dir = t->root_dir;
	t->root_dir = own;
	t->root.u.dir = own;
	return ret;
}

/* Of a name that both have, the directory is that of @d. */
static int merge_names(struct tree *t, struct dir *d, const struct dir *more)
{
	const u32 room = d->count + more->count;
	struct node *nodes = arena_alloc(&t->arena, room * sizeof(*nodes), 8);
	u32 *old = dir_alloc_old(t, room), n = 0;

	if (!nodes || !old)
		return no_memory();
	for (u32 i = 0, k = 0; i < d->count || k < more->count; n++) {
		int cmp = i == d->count ? 1 : k == more->count ? -1 :
			  node_cmp(&d->nodes[i], &more->nodes[k]);

		k += !cmp;
		if (cmp <= 0) {
			old[n] = d->old[i];
			nodes[n] = d->nodes[i++];
			continue;
		}
		nodes[n] = more->nodes[k++];
		if (S_ISDIR(nodes[n].mode))
			nodes[n].u.dir->parent = d;
	}
	d->nodes = nodes;
	d->old = old;
	d->count = n;
	return 0;
}

int graft_end(struct base *base, struct tree *t)
{
	struct dir *more = t->root_dir, *d = base->root_dir;
	int ret = 0;

	for (u32 i = 0; !ret && i < more->count; i++) {
		const struct node *n = &more->nodes[i];
		const struct node *have = dir_find(d, node_name(n), node_len(n));

		if (have)
			ret = merge_names(t, have->u.dir, n->u.dir);
	}
	if (!ret)
		ret = merge_names(t, d, more);
	t->root = base->root;
	t->root_dir = d;
	d->self = &t->root;
	return ret;
}
