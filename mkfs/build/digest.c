// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs digest: of a source, whose tree is listed and read as for an image.  Nothing is written.
 * That of an image is a verb of its own, which calls this one if it is given a directory.
 */
#include "../options/rows.h"
#include "build.h"
#include "digest_lines.h"
#include "format.h"
#include "msg.h"
#include "walk.h"

/*
 * The text: the walk goes into each directory before the next name, in the order of the digest.
 */

/**
 * struct walk_state - a walk
 * @t: has names and attributes as the image would
 * @dir, @next: the directory that it is in, and the number of its next node
 */
struct walk_state {
	const struct contents *sums;
	const struct tree *t;
	struct digest_lines lines;
	struct listing_links *links;
	const struct dir *dir;
	u32 next;
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
		line->sum = (const u8 *)w->sums->list.p + node_data(n)->start * SHA256_BYTES;
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
	}
	return &w->dir->nodes[w->next++];
}

static int put_next(struct walk_state *w, struct node *n)
{
	/* paths begin at the root of the image */
	const struct tree root = { .source = "" };
	char *path = tree_path(&root, w->dir, n, false);
	int ret = path ? put_node(w, path, n) : -ENOMEM;

	free(path);
	if (S_ISDIR(n->mode)) {
		w->dir = n->u.dir;
		w->next = 0;
	}
	return ret;
}

static int walk_tree(struct walk_state *w)
{
	struct node root = w->t->root, *n;
	int ret = put_node(w, "/", &root);

	while (!ret && (n = next_node(w)))
		ret = put_next(w, n);
	return ret;
}

static int digest_tree(const struct contents *sums, const struct tree *t, u8 kind,
		       struct digest_result *result)
{
	struct listing_links links = { 0 };
	struct walk_state w = { .sums = sums, .t = t, .dir = t->root_dir, .links = &links };
	int ret = digest_begin(&w.lines, kind, false);

	if (!ret) {
		ret = walk_tree(&w);
		ret = digest_end(&w.lines) ?: ret;
	}
	if (ret)
		msg_error(NULL, "digest: %s", msg_why(-ret));
	*result = w.lines.result;
	listing_links_free(&links);
	return ret;
}

/* Of a source that is read once the tree is known when all contents are summed. */
static int sum_once(struct run *r, struct contents *c)
{
	return contents_feed(c) ?: step_end_source(r) ?: tree_order(&r->tree);
}

static int sum_listed(struct run *r, struct contents *c)
{
	int ret = step_list(r);
	u64 gone = r->tree.gone;

	if (!ret)
		ret = contents_read(c);
	return ret || r->tree.gone == gone ? ret : step_prune_tree(r);
}

static int run(struct run *r)
{
	struct digest_result result;
	struct contents c = { 0 };
	int ret = step_open_source(r) ?: contents_init(&c, r->source);

	if (!ret)
		ret = source_once(r->source) ? sum_once(r, &c) : sum_listed(r, &c);
	if (!ret)
		ret = source_recheck(r->source) ?:
		      digest_tree(&c, &r->tree, r->o->digest, &result);
	if (!ret)
		report_digest(r, &result);
	contents_free(&c);
	return ret;
}

static const struct arg option_table[] = {
	{ 0, "full", NULL, "of owners, times and attributes, too",
	  ARG_SET(struct options, digest, DSFS_DIGEST_FULL) },
	{ ROW_TIME },
	{ ROW_ALL_ROOT },
	{ ROW_XATTRS_EXCLUDE },
	{ ROW_EXCLUDE, .not = "manifest; tar" },
	{ ROW_ONE_FS, .not = "manifest; tar" },
	{ ROW_ALLOW },
	{ ROW_MANIFEST, .not = "tar" },
	{ ROW_TAR },
	{ ROW_WDS },
	{ ROW_THREADS },
	{ ROW_MEMORY },
	{ ROW_QUIET },
	{ ROW_JSON },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs digest [options] DIR\n"
	"       dsfs digest [options] --manifest=FILE [DIR]\n"
	"       dsfs digest [options] --tar=FILE...\n"
	"Print the digest that an image of a tree would have.\n",
	.more = "Exit: 0 done, 1 failed, 2 wrong usage.\n",
	.table = option_table,
};

static int settle(struct options *o, int n, char **args)
{
	if (!n && !o->manifest && !o->ntars)
		return args_wrong(EXIT_USAGE, "DIR is needed");
	if (n > !o->ntars)
		return args_wrong(EXIT_USAGE, "too many arguments");
	o->digest = o->digest ? o->digest : DSFS_DIGEST_DATA;
	o->image = "";
	o->source = n ? args[0] : o->ntars ? "" : ".";
	return check_source(o);
}

const struct recipe recipe_digest = { "dsfs digest", &command_line, settle, run };
