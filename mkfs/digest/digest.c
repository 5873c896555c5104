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
 * struct walk_state - a walk
 * @dir, @next: the directory that it is in, and the number of its next node
 * @path: of the object, terminated; @room bytes
 * @end: length of the path of @dir, 0 for the root
 */
struct walk_state {
	const struct contents *c;
	const struct tree *t;
	struct digest_lines lines;
	struct listing_links *links;
	const struct dir *dir;
	u32 next;
	char *path;
	size_t room;
	size_t end;
};

static int set_xattrs(const struct walk_state *w, const struct node *n,
		      struct node_xattrs *list, struct digest_line *line)
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
		line->sum = (const u8 *)w->c->sums.p + node_data(n)->start * SHA256_BYTES;
	} else {
		line->rdev = n->size;
	}
}

/* A file of several names has the attributes that its inode gets, which has the first one's. */
static int put_node(struct walk_state *w, const char *path, struct node *n)
{
	struct hlink *l = n->flags & NODE_LINK ? n->u.link : NULL;
	struct digest_line line = { .path = path };
	struct node_xattrs list = { 0 };
	const struct owner *owner;
	int ret = 0;

	if (l) {
		n = l->first;
		ret = listing_link(w->links, l->dev, l->ino, l->names, path, &line.first);
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

/* The next name; NULL at the end. */
static struct node *next_node(struct walk_state *w)
{
	while (w->next == w->dir->count) {
		const struct node *self = w->dir->self;

		if (!w->dir->parent)
			return NULL;
		w->dir = w->dir->parent;
		w->next = self - w->dir->nodes + 1;
		w->end -= node_len(self) + 1;
	}
	return &w->dir->nodes[w->next++];
}

/* Append a name to the path of its directory, which is the next one if it is a directory. */
static int enter(struct walk_state *w, const struct node *n)
{
	const size_t need = w->end + node_len(n) + 2;
	char *more = need > w->room ? realloc(w->path, 2 * need) : w->path;

	if (!more)
		return -ENOMEM;
	if (need > w->room)
		w->room = 2 * need;
	w->path = more;
	w->path[w->end] = '/';
	memcpy(w->path + w->end + 1, node_name(n), node_len(n) + 1);
	if (!S_ISDIR(n->mode))
		return 0;
	w->dir = n->u.dir;
	w->next = 0;
	w->end += 1 + node_len(n);
	return 0;
}

static int walk_tree(struct walk_state *w)
{
	struct node root = w->t->root, *n;
	int ret = put_node(w, "/", &root);

	while (!ret && (n = next_node(w)))
		ret = enter(w, n) ?: put_node(w, w->path, n);
	return ret;
}

int digest_tree(const struct contents *c, const struct tree *t, u8 kind,
		struct digest_result *result)
{
	struct listing_links links = { 0 };
	struct walk_state w = { .c = c, .t = t, .dir = t->root_dir, .links = &links };
	int ret = digest_begin(&w.lines, kind, false);

	if (!ret) {
		ret = walk_tree(&w);
		ret = digest_end(&w.lines) ?: ret;
	}
	if (ret)
		msg_error(NULL, "digest: %s", msg_why(-ret));
	*result = w.lines.result;
	listing_links_free(&links);
	free(w.path);
	return ret;
}
