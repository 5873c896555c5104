// SPDX-License-Identifier: GPL-2.0
/*
 * The text of the digest of a tree.  The walk goes into each directory before the next
 * name, in the order of the digest; what it says of an object is what the image would say.
 */
#include <stdlib.h>

#include "digest.h"
#include "format.h"
#include "msg.h"
#include "digest_lines.h"
#include "walk.h"

/**
 * struct level - a directory that the walk is in
 * @next: number of the next node
 * @path: length of its path, 0 for the root
 */
struct level {
	const struct dir *dir;
	u32 next;
	size_t path;
};

/**
 * struct walk_state - a walk
 * @stack: struct level, the innermost last
 * @path: of the object, terminated; @room bytes
 */
struct walk_state {
	const struct contents *c;
	const struct tree *t;
	struct digest_lines lines;
	struct listing_links *links;
	struct array stack;
	char *path;
	size_t room;
};

static int set_xattrs(const struct walk_state *w, const struct node *n,
		      struct xattr_list *list, struct digest_line *line)
{
	const struct xset *set = n->xattrs ? xsets_at(&w->t->xsets, n->xattrs) : NULL;
	struct dsfs_err err = { 0 };
	int ret = set ? xattr_list_decode(set->p, set->bytes, list, &err) : 0;

	line->xattrs = list->v;
	line->nr_xattrs = list->count;
	return ret;
}

static void set_value(const struct walk_state *w, struct node *n, struct digest_line *line)
{
	if (S_ISLNK(n->mode)) {
		line->target = node_data(n)->symlink->target;
		line->target_len = n->size;
	} else if (S_ISREG(n->mode)) {
		line->size = n->size;
		line->sum = n->size ? (const u8 *)w->c->sums.p +
				      node_data(n)->start * SHA256_BYTES : w->c->empty;
	} else {
		line->rdev = n->size;
	}
}

/* A file of several names has the attributes that its inode gets, which has the first one's. */
static int put_node(struct walk_state *w, struct node *n)
{
	struct hlink *l = n->flags & NODE_LINK ? n->u.link : NULL;
	struct digest_line line = { .path = w->path };
	struct xattr_list list = { 0 };
	const struct owner *owner;
	int ret = 0;

	if (l) {
		n = l->first;
		ret = listing_link(w->links, l->dev, l->ino, l->names, w->path, &line.first);
	}
	owner = owners_at(&w->t->owners, n->owner);
	line.mode = n->mode;
	line.uid = owner->uid;
	line.gid = owner->gid;
	line.mtime = n->mtime;
	set_value(w, n, &line);
	if (!ret && w->lines.kind == DSFS_DIGEST_FULL)
		ret = set_xattrs(w, n, &list, &line);
	if (!ret)
		ret = digest_add(&w->lines, &line);
	xattr_list_free(&list);
	return ret;
}

static int push(struct walk_state *w, const struct dir *dir, size_t path)
{
	return array_append(&w->stack, &(struct level){ .dir = dir, .path = path });
}

/* Append a name to the path of its directory. */
static int set_path(struct walk_state *w, size_t dir, const struct node *n)
{
	const size_t need = dir + node_len(n) + 2;
	char *more = need > w->room ? realloc(w->path, 2 * need) : w->path;

	if (!more)
		return -ENOMEM;
	if (need > w->room)
		w->room = 2 * need;
	w->path = more;
	w->path[dir] = '/';
	memcpy(w->path + dir + 1, node_name(n), node_len(n) + 1);
	return 0;
}

/* A step of the walk: one name, or the way out of a directory. */
static int step(struct walk_state *w)
{
	struct level *p = (struct level *)w->stack.p + w->stack.n - 1;
	struct node *n;
	int ret;

	if (p->next == p->dir->count) {
		w->stack.n--;
		return 0;
	}
	n = &p->dir->nodes[p->next++];
	ret = set_path(w, p->path, n) ?: put_node(w, n);
	if (ret || !S_ISDIR(n->mode))
		return ret;
	return push(w, n->u.dir, p->path + 1 + node_len(n));
}

static int walk_tree(struct walk_state *w)
{
	struct node root = w->t->root;
	int ret;

	w->room = PATH_MAX;
	w->path = malloc(w->room);
	if (!w->path)
		return -ENOMEM;
	memcpy(w->path, "/", sizeof("/"));
	ret = put_node(w, &root) ?: push(w, w->t->root_dir, 0);
	while (!ret && w->stack.n)
		ret = step(w);
	return ret;
}

int digest_tree(const struct contents *c, const struct tree *t, u8 kind,
		struct digest_result *result)
{
	struct listing_links links = { 0 };
	struct walk_state w = {
		.c = c, .t = t, .links = &links, .stack.size = sizeof(struct level),
	};
	int ret = digest_begin(&w.lines, kind, false);

	if (!ret) {
		ret = walk_tree(&w);
		ret = digest_end(&w.lines) ?: ret;
	}
	if (ret)
		msg_error(NULL, "digest: %s", msg_why(-ret));
	*result = w.lines.result;
	listing_links_free(&links);
	array_free(&w.stack);
	free(w.path);
	return ret;
}
