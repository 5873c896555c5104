// SPDX-License-Identifier: GPL-2.0
/* dsfs ls: names of an image as ls(1) shows them, of its metadata alone. */
#include <time.h>

#include "msg.h"
#include "open.h"
#include "status.h"
#include "verb.h"

/**
 * struct ls_options - the command line, and the state of a run
 * @attrs: with attributes
 * @below: all below it, by paths
 * @raw: names end with NUL and are what they are
 * @json: not of @view: a line is a document
 * @started: what is listed was met
 */
struct ls_options {
	struct view_options view;
	struct view *v;
	struct json j;
	bool attrs;
	bool below;
	bool raw;
	bool json;
	bool started;
};

static const struct arg option_table[] = {
	{ 'l', "long", NULL, "mode, links, owner, group, size and time, too",
	  ARG_FLAG(struct ls_options, attrs) },
	{ 'R', "recursive", NULL, "all below it, too, by paths",
	  ARG_FLAG(struct ls_options, below) },
	{ '0', "null", NULL, "names end with NUL, not newline, and nothing in them is escaped",
	  ARG_FLAG(struct ls_options, raw), .not = "json" },
	{ VIEW_GENERATION },
	{ VIEW_SOURCE },
	{ 0, "json", NULL, "all that is known, as JSON, one object a line",
	  ARG_FLAG(struct ls_options, json) },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs ls [options] IMAGE [PATH]\n"
	"List a directory of an image, its root without PATH, sorted by the bytes of names.\n",
	.examples =
	"  dsfs ls -l train.dsfs\n"
	"  dsfs ls --recursive train.dsfs cats\n",
	.words = "IMAGE", .low = 1, .high = 2,
	.table = option_table,
};

static int put_text(const struct ls_options *o, const char *text)
{
	const size_t size = 4 * strlen(text) + 5;
	char *plain = o->raw ? NULL : malloc(size);

	if (!plain && !o->raw)
		return no_memory();
	fputs(plain ? msg_escape(plain, size, text) : text, stdout);
	free(plain);
	return 0;
}

static void put_attrs(const struct image_node *n)
{
	static const char bits[] = "rwxrwxrwx";
	const struct dsfs_attr *a = &n->attr;
	const time_t sec = nsec_split(a->mtime).sec;
	char mode[] = "?---------", size[24], when[40] = "?";
	struct tm tm;

	mode[0] = S_ISREG(a->mode) ? '-' : listing_type(a->mode)->letter;
	for (int i = 0; i < 9; i++)
		mode[i + 1] = a->mode & 0400 >> i ? bits[i] : '-';
	for (int i = 3; i < 10; i += 3) {
		if (a->mode & 04000 >> (i / 3 - 1))
			mode[i] = (i == 9 ? "Tt" : "Ss")[mode[i] == 'x'];
	}
	if (S_ISCHR(a->mode) || S_ISBLK(a->mode))
		snprintf(size, sizeof(size), "%u, %u", a->rdev >> 20, a->rdev & 0xfffff);
	else
		snprintf(size, sizeof(size), "%llu", a->size);
	if (localtime_r(&sec, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M", &tm);
	printf("%s %3u %5u %5u %12s %s ", mode, n->nlink, n->uid, n->gid, size, when);
}

static void put_json(struct ls_options *o, const struct walk_entry *e, const char *target)
{
	const struct dsfs_attr *a = &e->node.attr;
	const struct nsec_time mtime = nsec_split(a->mtime);
	const char type[2] = { listing_type(a->mode)->letter };
	struct node_xattrs xattrs;
	struct json *j = &o->j;

	json_begin_object(j, NULL);
	json_str(j, "path", e->path);
	json_u64(j, "inode", e->ino);
	json_str(j, "type", type);
	json_strf(j, "mode", "%04o", a->mode & 07777);
	json_u64(j, "uid", e->node.uid);
	json_u64(j, "gid", e->node.gid);
	json_u64(j, "nlink", e->node.nlink);
	json_u64(j, "size", a->size);
	json_s64(j, "mtime", mtime.sec);
	json_u64(j, "mtime_nsec", mtime.nsec);
	if (S_ISCHR(a->mode) || S_ISBLK(a->mode))
		json_strf(j, "rdev", "%u:%u", a->rdev >> 20, a->rdev & 0xfffff);
	if (e->first)
		json_str(j, "link", e->first);
	if (target)
		json_str(j, "target", target);
	view_xattrs(o->v, e->path, &e->node, &xattrs);
	xattr_list_json(&xattrs, j);
	xattr_list_free(&xattrs);
	json_end(j);
}

static int put_line(const struct ls_options *o, const char *name, const struct image_node *n,
		    const char *target)
{
	int ret;

	if (o->attrs)
		put_attrs(n);
	ret = put_text(o, name);
	if (!ret && o->attrs && target) {
		fputs(" -> ", stdout);
		ret = put_text(o, target);
	}
	putchar(o->raw ? '\0' : '\n');
	return ret;
}

static int enter(void *arg, const struct walk_entry *e)
{
	struct ls_options *o = arg;
	const bool first = !o->started, dir = S_ISDIR(e->node.attr.mode);
	const char *link = NULL;
	char target[DSFS_SYMLINK_MAX + 1];
	int ret = 0;

	o->started = true;
	if (first && dir && !o->json)
		return 0;
	if (S_ISLNK(e->node.attr.mode) && (o->attrs || o->json) &&
	    !view_target(o->v, e->path, &e->node, target))
		link = target;
	if (o->json)
		put_json(o, e, link);
	else
		ret = put_line(o, first || o->below ? e->path : e->name, &e->node, link);
	return ret ? ret : ferror(stdout) ? -EIO : dir && !first && !o->below;
}

static int run(struct view *v, struct json *j, void *arg)
{
	static const struct walk_ops ops = { .enter = enter };
	struct ls_options *o = arg;
	int ret;

	o->v = v;
	json_init(&o->j, stdout);
	o->j.lines = true;
	ret = view_walk_at(v, o->view.words[0] ?: "/", &ops, o);
	if (ret == -ENOMEM)
		view_error(v, v->img.path, "list", ret, NULL);
	return ret ? -1 : 0;
}

int verb_ls(int argc, char **argv)
{
	struct ls_options o = { };

	return view_verb(&command_line, &o.view, argc, argv, run);
}
