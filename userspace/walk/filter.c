// SPDX-License-Identifier: GPL-2.0
/*
 * --path: selection by patterns.  A pattern is compared component by component,
 * and a directory that no pattern can match below is not read, so a part of a
 * large image costs no more than that part.
 */
#include <fnmatch.h>
#include <stdlib.h>

#include "filter.h"
#include "msg.h"

/**
 * struct filter_pattern - a --path
 * @given: as on the command line
 * @used: it has matched
 */
struct filter_pattern {
	const char *given;
	bool used;
};

enum match { OUTSIDE, ABOVE, INSIDE };

/**
 * struct level - a directory of the walk
 * @e: entry of a directory that is not entered yet; its path begins those of all that is
 *	below it, and has @path_len bytes
 * @entered: @enter of the caller was called
 * @failed: @enter left the directory out
 */
struct level {
	struct walk_entry e;
	size_t path_len;
	bool entered;
	bool failed;
};

/**
 * struct filtered - state of a walk
 * @waiting: number of levels that are entered or have failed
 * @path: of a level, while it is entered
 */
struct filtered {
	struct filter *f;
	const struct walk_ops *ops;
	void *arg;
	struct level *levels;
	size_t depth;
	size_t room;
	size_t waiting;
	char *path;
};

int filter_add(struct filter *f, const char *text)
{
	struct filter_pattern *p;

	p = realloc(f->patterns, (f->count + 1) * sizeof(*p));
	if (!p)
		return -ENOMEM;
	f->patterns = p;
	p[f->count++] = (struct filter_pattern){ .given = text };
	return 0;
}

void filter_free(struct filter *f)
{
	free(f->patterns);
	*f = (struct filter){ 0 };
}

const char *filter_text(const struct filter *f)
{
	return f->patterns[0].given;
}

/*
 * Get the next component of a path or pattern, and the rest; NULL: none.  A
 * component that is longer than any name of an image is cut in @buf, and
 * matches none.
 */
static const char *next_name(const char *path, char buf[DSFS_NAME_MAX * 4])
{
	size_t len;

	path += strspn(path, "/");
	len = strcspn(path, "/");
	if (!len)
		return NULL;
	snprintf(buf, DSFS_NAME_MAX * 4, "%.*s", (int)len, path);
	return path + len;
}

static enum match match_one(const char *pattern, const char *path)
{
	char want[DSFS_NAME_MAX * 4], name[DSFS_NAME_MAX * 4];

	for (;;) {
		do
			pattern = next_name(pattern, want);
		while (pattern && !strcmp(want, "."));
		if (!pattern)
			return INSIDE;
		path = next_name(path, name);
		if (!path)
			return ABOVE;
		if (fnmatch(want, name, 0))
			return OUTSIDE;
	}
}

static enum match match(struct filter *f, const char *path)
{
	enum match best = f->count ? OUTSIDE : INSIDE, m;

	for (size_t i = 0; i < f->count; i++) {
		m = match_one(f->patterns[i].given, path);
		if (m == INSIDE)
			f->patterns[i].used = true;
		if (m > best)
			best = m;
	}
	return best;
}

static int push(struct filtered *w, const struct walk_entry *e, bool entered)
{
	struct level *p;

	if (w->depth == w->room) {
		p = realloc(w->levels, (w->room * 2 + 16) * sizeof(*p));
		if (!p)
			return -ENOMEM;
		w->levels = p;
		w->room = w->room * 2 + 16;
	}
	p = &w->levels[w->depth++];
	*p = (struct level){ .e = *e, .entered = entered, .path_len = strlen(e->path) };
	return 0;
}

/* Enter a level above @path. */
static int enter_level(struct filtered *w, const struct level *l, const char *path)
{
	struct walk_entry e = l->e;
	char *slash;

	memcpy(w->path, path, l->path_len);
	w->path[l->path_len] = '\0';
	slash = strrchr(w->path, '/');
	e.path = w->path;
	e.name = slash + 1;
	return w->ops->enter(w->arg, &e);
}

/*
 * Enter the directories above @path, which is selected.  Return: 1: one of them was left
 * out.
 */
static int enter_way(struct filtered *w, const char *path)
{
	int ret;

	if (w->waiting && w->levels[w->waiting - 1].failed)
		return 1;
	if (w->waiting < w->depth) {
		free(w->path);
		w->path = strdup(path);
		if (!w->path)
			return -ENOMEM;
	}
	for (; w->waiting < w->depth; w->waiting++) {
		struct level *l = &w->levels[w->waiting];

		if (l->entered)
			continue;
		ret = enter_level(w, l, path);
		if (ret < 0)
			return ret;
		l->entered = !ret;
		l->failed = ret;
		if (ret) {
			w->waiting++;
			return ret;
		}
	}
	return 0;
}

static int enter(void *arg, const struct walk_entry *e)
{
	struct filtered *w = arg;
	const bool dir = S_ISDIR(e->node.attr.mode);
	enum match m = match(w->f, e->path);
	int ret;

	if (m == ABOVE && w->ops->dirs_only)
		m = INSIDE;
	if (m == OUTSIDE || (m == ABOVE && !dir))
		return dir;
	if (m == ABOVE)
		return push(w, e, false);
	ret = enter_way(w, e->path);
	if (ret)
		return ret < 0 ? ret : dir;
	ret = w->ops->enter(w->arg, e);
	return ret || !dir ? ret : push(w, e, true);
}

static int leave(void *arg, const struct walk_entry *e)
{
	struct filtered *w = arg;
	struct level *l = &w->levels[--w->depth];
	const bool entered = l->entered;

	if (w->waiting > w->depth)
		w->waiting = w->depth;
	return entered && w->ops->leave ? w->ops->leave(w->arg, e) : 0;
}

int filter_walk(struct dump *d, struct filter *f, const struct walk_ops *ops, void *arg)
{
	const struct walk_ops own = {
		.enter = enter, .leave = leave, .dirs_only = ops->dirs_only,
	};
	struct filtered w = { .f = f, .ops = ops, .arg = arg };
	int ret;

	if (!f->count)
		return walk(d, ops, arg);
	ret = walk(d, &own, &w);
	free(w.levels);
	free(w.path);
	return ret;
}

void filter_check(struct dump *d, const struct filter *f)
{
	for (size_t i = 0; i < f->count; i++) {
		if (f->patterns[i].used)
			continue;
		d->errors++;
		msg_error(f->patterns[i].given, "--path: matches nothing");
	}
}
