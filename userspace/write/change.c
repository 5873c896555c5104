// SPDX-License-Identifier: GPL-2.0
/*
 * An image that is changed by itself: the newest generation is loaded, changed in memory and
 * written as another one.  All operations are looked at before anything is written.
 */
#include "behind.h"
#include "change.h"
#include "digest_lines.h"
#include "json.h"
#include "list.h"
#include "msg.h"
#include "progress.h"
#include "status.h"

static u64 operations(const struct edit *e)
{
	return e->removed + e->moved + e->changed + e->subset;
}

static void report_erase(struct json *j, const struct erase *x)
{
	json_show_size(j, "overwritten_bytes", "overwritten and read back %s; ", x->bytes);
	json_show_u64(j, "kept_contents", "contents that other files have, and stay: %llu\n",
		      x->shared);
	json_say(j,
		 "not reached: copies of the image, snapshots below it, caches of nodes, mounts\n");
}

void change_report_made(struct json *j, const struct meta *m)
{
	const struct dsfs_note *note = &m->draft->note;
	char digest[DIGEST_TEXT];

	json_show_u64(j, "files", "files %llu, ", le64_to_cpu(m->super.files));
	json_show_u64(j, "directories", "directories %llu\n", m->tree->ndirs);
	json_show_size(j, "written_meta_bytes", "written %s of metadata, ",
		       le64_to_cpu(m->super.meta_bytes));
	json_show_size(j, "image_bytes", "image %s\n", le64_to_cpu(m->super.image_bytes));
	if (!note->digest_kind)
		return;
	digest_text(note->digest_kind, note->digest, digest);
	json_show_str(j, "digest", "digest %s\n", digest);
}

void change_report(const struct meta *m, const struct edit *e, bool as_json,
		   const struct erase *x)
{
	const u64 removed = e->had + e->put - m->tree->gone - m->tree->inodes;
	struct json json, *j = json_report(&json, as_json);

	json_show_u64(j, "generation", "generation %llu: ", le64_to_cpu(m->super.generation));
	json_show_u64(j, "removed_names", "names removed %llu, ", removed);
	json_show_u64(j, "moved_names", "moved %llu, ", e->moved);
	json_show_u64(j, "changed_names", "changed %llu, ", e->changed);
	json_show_u64(j, "added_names", "added %llu\n", e->put);
	change_report_made(j, m);
	if (x)
		report_erase(j, x);
	json_end(j);
}

int change_begin(struct edit *e, struct tree *t, const struct change *c, u64 had)
{
	const int ret = edit_begin(e, t);

	e->touch = c->touch;
	e->had = had;
	return ret ? no_memory() : change_time(&e->now);
}

/* What a line of a list is for */
struct list_use {
	struct edit *e;
	struct change *c;
};

static int take_line(void *arg, char *line, size_t len, u64 number)
{
	const struct list_use *u = arg;

	u->e->line = number;
	return u->c->verb->path(u->e, u->c, line);
}

int change_paths(struct edit *e, struct change *c)
{
	struct array paths = { .size = sizeof(char *) };
	struct list_use use = { e, c };
	int ret = 0;

	for (char **p = c->paths; !ret && *p; p++)
		ret = edit_match(e, *p, &paths);
	for (size_t i = 0; i < paths.n; i++) {
		char *path = ((char **)paths.p)[i];

		ret = ret ?: c->verb->path(e, c, path);
		free(path);
	}
	array_free(&paths);
	e->list = c->from;
	return ret || !c->from ? ret : list_read(c->from, false, take_line, &use);
}

/* Do the operations, all of them before the first byte is written. */
static int change(struct behind *b, struct change *c, struct edit *e, struct erase *x)
{
	const struct change_verb *v = c->verb;
	int ret = change_begin(e, &b->tree, c, b->base->img.geo->inodes);

	if (ret)
		return ret;
	e->lenient = c->again;
	ret = v->run(e, c);
	if (ret == -ENOMEM)
		no_memory();
	e->lenient = false;
	ret = ret ?: (v->erase && !e->errors ? erase_note(x, b) : 0) ?: edit_end(e);
	if (ret)
		return ret;
	if (!operations(e)) {
		if (!c->again)
			msg_warn(b->base->img.path, "nothing to be done: it gets no generation");
		return 0;
	}
	ret = v->erase ? erase_write(x, b) : behind_write(b, e->removed || e->subset);
	if (!ret && (c->json || !c->quiet))
		change_report(&b->meta, e, c->json, v->erase ? x : NULL);
	return ret;
}

/* End an erase that was cut off, if there is one.  Return: 1: there was; 0; -errno. */
static int end_begun(struct behind *b, const struct change *c, struct erase *x)
{
	int ret;

	if (!c->verb->erase || !erase_is_begun(b))
		return 0;
	ret = erase_end(x, b);
	if (!ret && !c->quiet && !c->json)
		report_erase(NULL, x);
	return ret ? ret : 1;
}

int change_image(const char *image, struct change *c)
{
	struct behind b = { .asked = c };
	struct edit e = { 0 };
	struct erase x = { 0 };
	int ret = behind_open(&b, image) ?: end_begun(&b, c, &x);
	const bool ended = ret == 1;

	ret = ended ? 0 : ret ?: change(&b, c, &e, &x);
	erase_free(&x);
	edit_free(&e);
	behind_end(&b, ret);
	c->again = ended;
	/* other names may have been asked for now */
	return ended ? change_image(image, c) : ret ? EXIT_ERROR : EXIT_OK;
}

/* What the command line lacks, or NULL */
static const char *lacks(const struct change_verb *v, const struct change *c)
{
	if (v->run == change_paths && !c->from && !*c->paths)
		return "no path given";
	for (char **p = c->paths; *p; p++) {
		if (!**p)
			return "an empty path";
	}
	return v->lacks ? v->lacks(c) : NULL;
}

int change_remove(struct edit *e, struct change *c, const char *path)
{
	return edit_remove(e, path, c->recursive);
}

int change_verb(const struct change_verb *v, int argc, char **argv)
{
	struct change c = { .verb = v };
	int ret = args_parse(v->args, &c, &argc, argv);
	const char *what;

	if (ret < 0) {
		c.paths = argv + 1;
		progress_enable(!c.quiet && !c.json);
		what = lacks(v, &c);
		ret = what ? args_wrong(EXIT_USAGE, "%s", what) : change_image(argv[0], &c);
	}
	for (size_t i = 0; i < c.attrs.xattrs.n; i++)
		free((char *)((struct xattr_item *)c.attrs.xattrs.p)[i].name);
	array_free(&c.attrs.xattrs);
	return ret;
}
