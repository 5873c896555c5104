// SPDX-License-Identifier: GPL-2.0
/*
 * Files that are added to an image, without a listing of what is there: dsfs add, and dsfs edit,
 * whose batches may add some among other operations.
 *
 * The source has a tree of its own up to the end.  All operations are done before the first content
 * is read; what archives have is known when they were read.
 */
#include <fcntl.h>
#include <unistd.h>

#include "../options/rows.h"
#include "behind.h"
#include "build.h"
#include "change.h"
#include "entry.h"
#include "extents.h"
#include "list.h"
#include "msg.h"
#include "tempfile.h"

/* The node of what is added, in the tree of the source; NULL: it was left out. */
static struct node *node_of(struct run *r, const struct added *a)
{
	const char *path = a->path + r->o->add.above;
	struct node *n = &r->base->root;
	size_t len;

	for (; n && (len = path_next(&path)); path += len)
		n = S_ISDIR(n->mode) ? dir_find(n->u.dir, path, len) : NULL;
	return n;
}

static int add_one(struct run *r, const struct added *a, const char *to, bool replace)
{
	const struct node *n = node_of(r, a);

	return n ? edit_add(r->edit, n, to, replace) : 0;
}

/**
 * struct edit_lines - a batch that is being read
 * @r: NULL: nothing is added
 * @next: which one of r->o->add.list comes next
 */
struct edit_lines {
	struct run *r;
	struct edit *e;
	struct entry line;
	size_t next;
};

static int set(struct edit *e, const struct entry *l)
{
	const struct edit_attrs attrs = {
		.mode = l->attrs.mode, .set_mode = entry_has(l, ENTRY_MODE),
		.uid = l->attrs.uid, .set_uid = entry_has(l, ENTRY_UID),
		.gid = l->attrs.gid, .set_gid = entry_has(l, ENTRY_GID),
		.mtime = l->attrs.mtime, .set_mtime = entry_has(l, ENTRY_MTIME),
		.xattrs = l->xattrs,
	};

	return edit_set(e, l->path, &attrs);
}

static int take_line(void *arg, char *text, size_t len, u64 number)
{
	struct edit_lines *b = arg;
	struct entry *l = &b->line;
	struct edit *e = b->e;
	const int ret = entry_parse_op(l, text, len);

	e->line = number;
	if (ret < 0)
		return edit_say(e, NULL, "%s", l->why);
	if (!ret)
		return 0;
	if (entry_has(l, ENTRY_FROM))
		return edit_move(e, l->from, l->to);
	if (*l->op == 'a')
		return add_one(b->r, (const struct added *)b->r->o->add.list.p + b->next++,
			       l->path, l->replace);
	return *l->op == 's' ? set(e, l) : edit_remove(e, l->path, l->recursive);
}

static int do_batch(struct edit *e, const struct options *o, struct run *r)
{
	struct edit_lines b = { .r = r, .e = e };
	int ret;

	e->list = o->add.batch;
	ret = list_read(o->add.again, false, take_line, &b);
	entry_free(&b.line);
	return ret;
}

/* Do all operations, on the tree of the image. */
static int operate(struct run *r)
{
	const struct additions *add = &r->o->add;
	const struct added *a = (const struct added *)add->list.p;
	int ret = 0;

	if (add->batch)
		ret = do_batch(r->edit, r->o, r);
	else if (!add->list.n)
		ret = edit_add(r->edit, &r->base->root, add->at ? add->at : "/",
			       add->replace);
	for (size_t i = 0; !ret && !add->batch && i < add->list.n; i++)
		ret = add_one(r, &a[i], a[i].to, add->replace);
	if (ret == -ENOMEM)
		no_memory();
	return ret ?: r->edit->errors ? edit_end(r->edit) : 0;
}

void swap_trees(struct run *r)
{
	const struct node root = r->tree.root;

	r->tree.root = r->base->root;
	r->base->root = root;
	r->tree.root_dir = r->tree.root.u.dir;
	r->tree.root_dir->self = &r->tree.root;
	r->base->root.u.dir->self = &r->base->root;
}

static int operate_in_image(struct run *r)
{
	int ret;

	swap_trees(r);
	ret = operate(r);
	swap_trees(r);
	return ret;
}

/* All names of a file have what was stored of it, as one of them may be the first one then. */
static void give_links(struct run *r)
{
	struct tree_walk walk = { 0 };
	struct node *n;

	while ((n = tree_next(&r->tree, &walk))) {
		const struct node *first = n->flags & NODE_HARDLINK ? n->u.link->first : NULL;

		if (!first)
			continue;
		n->flags |= first->flags & (NODE_PACKED | NODE_FOUND);
		n->size = first->size;
		n->sum = first->sum;
		n->sparse = first->sparse;
	}
}

/*
 * What a batch adds and removes again is stored all the same, as other names may need it; behind a
 * file in its last block there are zeros (G16).
 */
static int zero_removed(struct run *r)
{
	const struct array *l = &r->extents;
	int ret = 0;

	for (size_t i = 0; !ret && r->edit->taken && i < l->n; i++) {
		const u64 end = extent_end(l, &r->tree, i);
		u64 to = (end | (DSFS_BLOCK_SIZE - 1)) + 1;

		if (i + 1 < l->n && extent_start(l, i + 1) < to)
			to = extent_start(l, i + 1);
		if (end >= r->base->img.geo->image_bytes && end % DSFS_BLOCK_SIZE && to > end)
			ret = output_zero(&r->out, end, to - end);
	}
	return ret;
}

/* The source is stored and checked: its tree becomes part of that of the image. */
static int unite(struct run *r)
{
	int ret = step_recheck(r);

	if (ret)
		return ret;
	give_links(r);
	swap_trees(r);
	ret = edit_end(r->edit) ?: step_plan(r) ?: step_extents(r);
	r->base->kept_files = r->plan.kept;
	r->base->kept_bytes = r->plan.kept_bytes;
	return ret ?: step_share_blocks(r) ?: zero_removed(r) ?: step_complete(r);
}

static int store_listed(struct run *r)
{
	int ret = step_list(r) ?: step_plan(r) ?: operate_in_image(r) ?:
		  (r->o->no_dedup ? 0 : content_index_init(r->base));

	if (ret)
		return ret;
	step_prepare(r);
	return step_open_target(r) ?: step_store(r);
}

static int store_once(struct run *r)
{
	step_prepare(r);
	return step_open_target(r) ?: feed_data(&r->stream) ?: step_end_source(r) ?:
	       tree_order(&r->tree) ?: dead_data(&r->store) ?: operate_in_image(r);
}

static int add_files(struct run *r, struct edit *e)
{
	const struct change c = { .touch = r->o->add.touch };
	/* the draft lets the source leave out the image */
	int ret = change_begin(e, &r->tree, &c, r->base->img.geo->inodes) ?: step_open_source(r);

	if (ret)
		return ret;
	r->edit = e;
	draft_new(r);
	draft_behind(r);
	return draft_codec(r) ?: tree_load(&r->tree, r->base, &r->base->root) ?:
	       (source_once(r->source) ? store_once(r) : store_listed(r)) ?: unite(r);
}

static int run_add(struct run *r)
{
	const struct target target = target_of(r->o);
	struct edit e = { 0 };
	int ret = output_check_update(&r->out, &target) ?: step_check_list(r) ?:
		  base_open(&r->base, r->out.path, BASE_PLAIN, r->o->limits.memory) ?:
		  change_check_erasing(&r->base->img) ?: add_files(r, &e);

	edit_free(&e);
	return ret;
}

/* A change by the lines of a batch */
struct edit_change {
	struct change change;
	const struct options *o;
};

static int change_batch(struct edit *e, struct change *c)
{
	return do_batch(e, ((const struct edit_change *)c)->o, NULL);
}

/* Without anything that is added no data is looked at. */
static int run_edit(struct run *r)
{
	static const struct change_verb batch = { .run = change_batch };
	const struct options *o = r->o;
	struct edit_change c = {
		.change = {
			.verb = &batch, .message = o->message, .touch = o->add.touch,
			.quiet = o->quiet, .json = o->json,
			.memory = o->limits.memory, .digest = o->digest,
		},
		.o = o,
	};

	if (o->add.list.n)
		return run_add(r);
	return change_image(o->image, &c.change) ? -EINVAL : 1;
}

/* Where a file goes in a directory; a tree's names go into that. */
static char *place_of(const char *source, const char *at)
{
	const char *name = source, *next = source;
	struct stat st;
	size_t len = 0;
	char *to;

	if (!stat(source, &st) && S_ISDIR(st.st_mode))
		return strdup(at);
	while (path_next(&next)) {
		name = next;
		len = path_next(&next);
		next += len;
	}
	return asprintf(&to, "%s/%.*s", at, (int)len, name) < 0 ? NULL : to;
}

static int settle_add(struct options *o, int n, char **args)
{
	const char *at = o->add.at ? o->add.at : "";
	int ret = check_source(o);

	if (ret || o->manifest || o->ntars)
		return ret ?: take_image_source(o, n, args);
	if (n < 2)
		return args_wrong(EXIT_USAGE, "IMAGE and SOURCE are needed");
	o->image = args[0];
	for (int i = 1; !ret && i < n; i++) {
		char *to = place_of(args[i], at);

		ret = to ? added_note(o, args[i], to, 0) : no_memory();
		free(to);
	}
	return ret ? EXIT_ERROR : added_settle(o);
}

/* Read a batch twice, as what is added is listed first: a pipe is kept. */
static int keep_batch(struct options *o)
{
	const bool in = !strcmp(o->add.batch, "-");
	const int from = in ? STDIN_FILENO : open(o->add.batch, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char buf[65536];
	ssize_t got = 0;
	int to = -1;

	if (from < 0 || fstat(from, &st)) {
		msg_error(o->add.batch, "cannot open: %s", msg_why(errno));
		return EXIT_ERROR;
	}
	if (!in && S_ISREG(st.st_mode)) {
		close(from);
		o->add.again = strdup(o->add.batch);
		return o->add.again ? 0 : EXIT_ERROR;
	}
	to = tempfile_open();
	while (to >= 0 && (got = read(from, buf, sizeof(buf))) > 0) {
		if (write(to, buf, got) != got)
			got = -1;
		if (got < 0)
			break;
	}
	if (!in)
		close(from);
	if (to < 0 || got < 0 || asprintf(&o->add.again, "/proc/self/fd/%d", to) < 0) {
		msg_error(o->add.batch, "cannot read: %s", msg_why(errno));
		return EXIT_ERROR;
	}
	return 0;
}

/* Note what a line adds; whatever is wrong with a line is said when all are done. */
static int note_line(void *arg, char *text, size_t len, u64 number)
{
	struct options *o = arg;
	struct entry line = { 0 };
	int ret = 0;

	if ((strstr(text, "add") || strchr(text, '\\')) && entry_parse_op(&line, text, len) == 1 &&
	    *line.op == 'a')
		ret = added_note(o, line.source, NULL, number);
	entry_free(&line);
	return ret;
}

static int settle_edit(struct options *o, int n, char **args)
{
	int ret;

	if (!o->add.batch)
		return args_wrong(EXIT_USAGE, "no --batch given");
	o->image = args[0];
	ret = keep_batch(o) ?: list_read(o->add.again, false, note_line, o) ? EXIT_ERROR : 0;
	return ret || !o->add.list.n ? ret : added_settle(o);
}

#define ROW_TOUCH \
	.name = "touch", .help = "set the mtime of directories that lose or get a name", \
	ARG_FLAG(struct options, add.touch)

static const struct arg add_table[] = {
	{ 0, "at", "DIR", "directory of the image that gets it; it is made",
	  ARG_TEXT(struct options, add.at, 0) },
	{ 0, "replace", NULL, "what is there already gives way",
	  ARG_FLAG(struct options, add.replace) },
	{ ROW_MESSAGE },
	{ ROW_DIGEST },
	{ ROW_TIME },
	{ ROW_ALL_ROOT },
	{ ROW_XATTRS_EXCLUDE },
	{ ROW_EXCLUDE, .not = "manifest; tar" },
	{ ROW_ALLOW },
	{ ROW_MANIFEST, .not = "tar" },
	{ ROW_TAR },
	{ ROW_WDS },
	{ ROW_ORDER, .not = "tar" },
	{ ROW_NO_DEDUP },
	{ ROW_COMPRESS },
	{ ROW_TOUCH },
	{ ROW_THREADS },
	{ ROW_MEMORY },
	{ ROW_QUIET },
	{ ROW_JSON },
	{ }
};

static const struct args add_line = {
	.usage =
	"Usage: dsfs add [options] IMAGE SOURCE...\n"
	"       dsfs add [options] --manifest=FILE IMAGE [SOURCE]\n"
	"       dsfs add [options] --tar=FILE... IMAGE\n"
	"Add a generation to IMAGE that has files, the contents of directories, or what archives\n"
	"or a manifest have, besides what is there.\n",
	.more = CHANGE_EXIT,
	.examples =
	"  dsfs add --at=cats train.dsfs photos\n"
	"  dsfs add --replace -m 'new labels' train.dsfs photos/labels.csv\n",
	.table = add_table,
};

const struct recipe recipe_add = { "dsfs add", &add_line, settle_add, run_add };

static const struct arg edit_table[] = {
	{ 0, "batch", "FILE", "operations, an object of JSON a line; - is standard input",
	  ARG_LIST(struct options, add.batch) },
	{ ROW_MESSAGE },
	{ ROW_DIGEST },
	{ ROW_TOUCH },
	{ ROW_ALL_ROOT },
	{ ROW_XATTRS_EXCLUDE },
	{ ROW_NO_DEDUP },
	{ ROW_COMPRESS },
	{ ROW_THREADS },
	{ ROW_MEMORY },
	{ ROW_QUIET },
	{ ROW_JSON },
	{ }
};

static const struct args edit_line = {
	.usage =
	"Usage: dsfs edit [options] --batch=FILE IMAGE\n"
	"Make a generation of the image by the operations of a file, all of them or none.\n",
	.more = CHANGE_EXIT,
	.examples =
	"  echo '{\"op\":\"rm\",\"path\":\"cats/1.jpg\"}' | dsfs edit --batch=- train.dsfs\n"
	"  echo '{\"op\":\"mv\",\"from\":\"cats\",\"to\":\"dogs\"}' | dsfs edit --batch=- train.dsfs\n",
	.words = "IMAGE", .low = 1, .high = 1,
	.table = edit_table,
};

const struct recipe recipe_edit = { "dsfs edit", &edit_line, settle_edit, run_edit };
