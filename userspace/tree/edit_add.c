// SPDX-License-Identifier: GPL-2.0
/*
 * What a source has becomes part of the tree of an image.  Names of a directory that both have are
 * put beside those that are there.  A directory that the image has not is taken as a whole, without
 * a look at what is below it: the new one has the array of nodes of the source's.
 */
#include "edit_names.h"

/* Names of the directory @from that are to be in that of @to, whose path is @path */
struct joined {
	struct dir *from;
	struct node *to;
	char *path;
};

/* What is being added */
struct adding {
	struct edit *e;
	struct array queue;	/* struct joined */
	bool replace;
};

static int join_later(struct adding *g, struct dir *from, struct node *to, char *path)
{
	const struct joined j = { from, to, path };
	const int ret = path ? array_append(&g->queue, &j) : -ENOMEM;

	if (ret)
		free(path);
	return ret;
}

/* A directory of a source is in one place of the image, with all that is below it. */
static bool is_taken(const struct dir *d)
{
	if (d->self->flags & NODE_ABOVE)
		return true;
	for (; d; d = d->parent) {
		if (d->self->flags & NODE_WANTED)
			return true;
	}
	return false;
}

static void set_taken(const struct dir *d)
{
	d->self->flags |= NODE_WANTED;
	while ((d = d->parent))
		d->self->flags |= NODE_ABOVE;
}

static int count_below(struct edit *e, struct dir *dir)
{
	struct array queue = { .size = sizeof(struct dir *) };
	int ret = array_append(&queue, &dir);

	for (size_t i = 0; !ret && i < queue.n; i++) {
		const struct dir *d = ((struct dir **)queue.p)[i];

		e->put += d->count;
		for (u32 k = 0; !ret && d->subdirs && k < d->count; k++) {
			if (S_ISDIR(d->nodes[k].mode))
				ret = array_append(&queue, &d->nodes[k].u.dir);
		}
	}
	array_free(&queue);
	return ret;
}

/* Put a name of a source where there is none. */
static int put_new(struct edit *e, const struct node *from, const struct edit_at *to,
		   const char *path)
{
	struct node n = *from;
	struct edit_name *a;
	struct dir *d;
	int ret = 0;

	if (S_ISDIR(n.mode)) {
		if (is_taken(from->u.dir))
			return edit_say(e, path, "of its source something is added already");
		d = arena_alloc(&e->tree->arena, sizeof(*d), 8);
		if (!d)
			return -ENOMEM;
		set_taken(from->u.dir);
		*d = *from->u.dir;
		n.u.dir = d;
		ret = count_below(e, d);
	}
	a = ret ? NULL : edit_put(e, &n, to);
	if (!a)
		return ret;
	e->put++;
	a->from = from;
	return 0;
}

/* Both are directories. */
static int join(struct adding *g, const struct node *from, struct node *to, const char *path)
{
	if (g->replace) {
		to->mode = from->mode;
		to->owner = from->owner;
		to->xattrs = from->xattrs;
		to->flags = (to->flags & ~NODE_ACL) | (from->flags & NODE_ACL);
	}
	return join_later(g, from->u.dir, to, strdup(path));
}

static int put(struct adding *g, const struct node *from, const struct edit_at *to,
	       const char *path)
{
	if (!to->node)
		return put_new(g->e, from, to, path);
	if (S_ISDIR(from->mode) && S_ISDIR(to->node->mode))
		return join(g, from, to->node, path);
	if (S_ISDIR(from->mode) || S_ISDIR(to->node->mode))
		return edit_say(g->e, path, "is %s directory, which what is added is%s",
				S_ISDIR(to->node->mode) ? "a" : "no",
				S_ISDIR(to->node->mode) ? " not" : "");
	if (!g->replace)
		return edit_say(g->e, path, "is there already: see --replace, or \"replace\"");
	edit_take(g->e, to, false);
	return put_new(g->e, from, to, path);
}

static int put_names(struct adding *g, const struct joined *j)
{
	struct edit_at to = { .dir = j->to->u.dir, .above = j->to };
	const struct node *gone;
	int ret = 0;

	for (u32 i = 0; !ret && i < j->from->count; i++) {
		const struct node *n = &j->from->nodes[i];
		char *path;

		if (asprintf(&path, "%s/%s", j->path, node_name(n)) < 0)
			return -ENOMEM;
		to.name = node_name(n);
		to.len = node_len(n);
		to.node = edit_find_name(g->e, to.dir, to.name, to.len, &gone);
		ret = put(g, n, &to, path);
		free(path);
	}
	return ret;
}

int edit_add(struct edit *e, const struct node *from, const char *to, bool replace)
{
	struct adding g = {
		.e = e, .queue.size = sizeof(struct joined), .replace = replace,
	};
	struct edit_at at;
	int ret = 0;

	if (edit_find(e, to, &at, true))
		ret = put(&g, from, &at, to);
	for (size_t i = 0; i < g.queue.n; i++) {
		struct joined j = ((struct joined *)g.queue.p)[i];

		ret = ret ?: put_names(&g, &j);
		free(j.path);
	}
	array_free(&g.queue);
	return ret;
}
