// SPDX-License-Identifier: GPL-2.0
/*
 * Changes from one generation to another: a walk over both, and a comparison of each object
 * that both have.
 */
#include "diff.h"
#include "msg.h"
#include "parse.h"

enum diff_side { FROM, TO, SIDES };

/**
 * struct diff - state of a run
 * @v: that of the run
 * @j: NULL: text
 * @at: the generations; their errors are those of the run
 * @added: like the other numbers: objects
 */
struct diff {
	struct view *v;
	struct json *j;
	struct view at[SIDES];
	u64 added;
	u64 removed;
	u64 data;
	u64 attributes;
};

static const struct {
	unsigned int bit;
	const char *name;
} changes[] = {
	{ CHANGED_CONTENT, "content" }, { CHANGED_TARGET, "target" },
	{ CHANGED_DEVICE, "device" }, { CHANGED_MODE, "mode" },
	{ CHANGED_OWNER, "owner" }, { CHANGED_MTIME, "mtime" },
	{ CHANGED_XATTRS, "xattrs" }, { CHANGED_LINKS, "links" },
};

#define NR_CHANGES	(sizeof(changes) / sizeof(*changes))

int diff_parse(const char *text, struct diff_request *r)
{
	const char *dots = strstr(text, "..");
	const size_t len = dots ? dots - text : strlen(text);
	char from[32] = "";
	int ret;

	if (len >= sizeof(from))
		return -EINVAL;
	memcpy(from, text, len);
	ret = parse_u64(from, &r->from);
	if (!ret && dots)
		ret = parse_u64(dots + 2, &r->to);
	/* generations begin with 1 */
	return ret || !r->from || (dots && !r->to) ? -EINVAL : 0;
}

static void show(struct diff *f, const char *change, const struct image_node *n,
		 const char *path, unsigned int changed)
{
	const char type[2] = { listing_type(n->attr.mode)->letter };
	bool more = false;

	json_begin_object(f->j, NULL);
	json_show_str(f->j, "change", "%s\t", change);
	json_show_str(f->j, "type", "%s\t", type);
	if (f->j)
		json_str(f->j, "path", path);
	else
		listing_escape(stdout, path, strlen(path));
	json_begin_array(f->j, "what");
	for (size_t i = 0; i < NR_CHANGES; i++) {
		if (!(changed & changes[i].bit))
			continue;
		json_str(f->j, NULL, changes[i].name);
		json_say(f->j, more ? ",%s" : "\t%s", changes[i].name);
		more = true;
	}
	json_end(f->j);
	json_end(f->j);
	json_say(f->j, "%s\n", changed ? "" : "\t-");
}

/* Whether the names of an object that both have were different ones, or in another order. */
static bool other_links(const struct walk_entry *from, const struct walk_entry *to)
{
	if (S_ISDIR(to->node.attr.mode))
		return false;
	return from->node.nlink != to->node.nlink || !from->first != !to->first ||
	       (to->first && strcmp(from->first, to->first));
}

static void show_added(struct diff *f, const struct walk_entry *e)
{
	show(f, "added", &e->node, e->path, 0);
	f->added++;
}

static void show_removed(struct diff *f, const struct walk_entry *e)
{
	show(f, "removed", &e->node, e->path, 0);
	f->removed++;
}

static void show_both(struct diff *f, const struct walk_entry *from, const struct walk_entry *to)
{
	const struct compare_side a = { &f->at[FROM], &from->node }, b = { &f->at[TO], &to->node };
	struct dsfs_err err = { 0 };
	unsigned int changed;
	const char *what;
	int ret = compare_nodes(&a, &b, &changed, &what, &err);

	if (ret)
		view_error(f->v, to->path, what, ret, &err);
	if (other_links(from, to))
		changed |= CHANGED_LINKS;
	if (changed & CHANGED_DATA)
		f->data++;
	else if (changed)
		f->attributes++;
	if (changed)
		show(f, changed & CHANGED_DATA ? "data" : "attributes", &to->node, to->path,
		     changed);
}

static int enter(void *arg, const struct walk_entry *from, const struct walk_entry *to)
{
	struct diff *f = arg;

	if (from && to && !((from->node.attr.mode ^ to->node.attr.mode) & S_IFMT)) {
		show_both(f, from, to);
	} else {
		/* a directory comes last, before what is in it */
		const bool last = from && S_ISDIR(from->node.attr.mode);

		if (from && !last)
			show_removed(f, from);
		if (to)
			show_added(f, to);
		if (last)
			show_removed(f, from);
	}
	return ferror(stdout) ? -EIO : 0;
}

/* Open a generation in addition to that of the run. */
static int open_side(struct diff *f, enum diff_side s, u64 generation)
{
	struct view *v = &f->at[s];

	*v = (struct view){ .img = f->v->img, .errors = f->v->errors, .one_of_two = true };
	if (image_generation(&v->img, generation)) {
		v->errors->count++;
		return -ENOENT;
	}
	v->src = image_source(&v->img, 0);
	return v->src ? 0 : -ENOMEM;
}

/* The generation before the newest one, unless another one was asked for */
static int find_from(struct diff *f, u64 *from)
{
	struct view *v = f->v;
	struct dsfs_slot older;
	int ret;

	if (*from)
		return 0;
	ret = image_older(&v->img, v->img.geo, &older);
	if (ret == 1) {
		*from = older.geo.generation;
		return 0;
	}
	if (ret)
		view_error(v, v->img.path, "history", ret, &older.err);
	else
		msg_error(v->img.path, "keeps one generation alone");
	return ret ? ret : -ENOENT;
}

static int run(struct diff *f, const struct diff_request *r)
{
	u64 from = r->from;
	int ret = find_from(f, &from) ?: open_side(f, FROM, from);

	if (!ret)
		ret = open_side(f, TO, r->to ? r->to : f->v->img.geo->generation);
	if (ret)
		return ret;
	json_u64(f->j, "from", f->at[FROM].img.geo->generation);
	json_u64(f->j, "to", f->at[TO].img.geo->generation);
	json_begin_array(f->j, "changes");
	ret = view_walk_two(&f->at[FROM], &f->at[TO], enter, f);
	json_end(f->j);
	json_u64(f->j, "added", f->added);
	json_u64(f->j, "removed", f->removed);
	json_u64(f->j, "data", f->data);
	json_u64(f->j, "attributes", f->attributes);
	return ret;
}

int diff_show(struct view *v, struct json *j, const struct diff_request *r)
{
	struct diff f = { .v = v, .j = j };
	int ret = run(&f, r);

	for (enum diff_side s = FROM; s < SIDES; s++)
		image_source_free(f.at[s].src);
	if (ret == -ENOMEM)
		view_error(v, v->img.path, "diff", ret, NULL);
	return ret || v->errors->count ? -1 : 0;
}
