// SPDX-License-Identifier: GPL-2.0
/*
 * A walk over two generations at once.  The names of a directory are sorted in
 * both, so they are merged.  As in walk.c, the depth bounds the memory, and
 * directories of the image are not trusted.
 */
#include <stdlib.h>

#include "compare.h"
#include "diff.h"
#include "msg.h"
#include "parse.h"

enum side { FROM, TO, SIDES };

/**
 * struct half - a directory in one of the generations
 * @pos: position of the next entry
 * @there: the directory exists in the generation
 */
struct half {
	struct dsfs_dir_info dir;
	u32 pos;
	bool there;
};

/*
 * A level of the walk: a directory of one or both generations; @path_len: 0 for
 * the root
 */
struct level {
	struct half half[SIDES];
	size_t path_len;
};

/**
 * struct cursor - position in one of the generations
 * @d: dump of that generation; errors are counted in that of the run
 * @it: over the innermost directory, if @open
 * @name: the next one there, if @held
 * @names: taken so far
 */
struct cursor {
	struct dump d;
	struct listing_links links;
	struct dsfs_dir_iter it;
	struct dsfs_name name;
	u64 names;
	bool open;
	bool held;
};

/* An object in the generations that have it */
struct entry {
	struct compare_side at[SIDES];
	bool there[SIDES];
	bool other_links;
};

struct diff {
	struct dump *d;
	struct cursor cursor[SIDES];
	struct level *levels;
	size_t depth;
	size_t room;
	char *path;
	size_t path_room;
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
	char from[32];

	if (!dots || dots - text >= sizeof(from))
		return -EINVAL;
	memcpy(from, text, dots - text);
	from[dots - text] = '\0';
	r->to = 0;
	if (parse_u64(from, &r->from) || (dots[2] && parse_u64(dots + 2, &r->to)))
		return -EINVAL;
	/* generations begin with 1 */
	return r->from && (r->to || !dots[2]) ? 0 : -EINVAL;
}

static struct level *top(struct diff *f)
{
	return &f->levels[f->depth - 1];
}

/* Cut the path to that of the innermost directory. */
static const char *dir_path(struct diff *f)
{
	f->path[top(f)->path_len] = '\0';
	return top(f)->path_len ? f->path : "/";
}

static void failed(struct diff *f, enum side s, const char *path, const char *what,
		   int ret, const struct dsfs_err *err)
{
	char text[256];

	if (!dump_count(f->d, what))
		return;
	image_err_text(err, ret, text, sizeof(text));
	msg_error(path, "generation %llu: %s: %s",
		  f->cursor[s].d.img.geo->generation, what, text);
}

static void show_text(const char *change, char type, const char *path,
		      unsigned int changed)
{
	const char *comma = "";

	printf("%s\t%c\t", change, type);
	listing_escape(stdout, path, strlen(path));
	putchar('\t');
	for (size_t i = 0; i < NR_CHANGES; i++) {
		if (changed & changes[i].bit) {
			printf("%s%s", comma, changes[i].name);
			comma = ",";
		}
	}
	puts(changed ? "" : "-");
}

static void show_json(struct json *j, const char *change, char type, const char *path,
		      unsigned int changed)
{
	json_begin_object(j, NULL);
	json_str(j, "change", change);
	json_strf(j, "type", "%c", type);
	json_str(j, "path", path);
	json_begin_array(j, "what");
	for (size_t i = 0; i < NR_CHANGES; i++)
		if (changed & changes[i].bit)
			json_str(j, NULL, changes[i].name);
	json_end(j);
	json_end(j);
}

static void show(struct diff *f, const char *change, const struct image_node *n,
		 const char *path, unsigned int changed)
{
	const char type = listing_type(n->attr.mode);

	if (f->d->as_json)
		show_json(&f->d->j, change, type, path, changed);
	else
		show_text(change, type, path, changed);
}

static void close_iters(struct diff *f)
{
	for (enum side s = FROM; s < SIDES; s++) {
		if (f->cursor[s].open)
			dsfs_dir_iter_end(&f->cursor[s].it);
		f->cursor[s].open = false;
		f->cursor[s].held = false;
	}
}

/* Enter a directory, in the generations of @in. */
static int push(struct diff *f, const struct entry *e, const bool in[SIDES],
		const char *path)
{
	struct level *p, l = { .path_len = path[1] ? strlen(path) : 0 };
	struct dsfs_err err = { 0 };
	u32 parent;
	int ret;

	for (enum side s = FROM; s < SIDES; s++) {
		struct half *h = &l.half[s];

		if (!in[s])
			continue;
		parent = f->depth ? top(f)->half[s].dir.self : DSFS_ROOT_INO;
		ret = dsfs_dir_get(f->cursor[s].d.src, &e->at[s].node.attr, &h->dir, &err);
		if (!ret && h->dir.parent != parent)
			ret = dsfs_bad(&err, "directory's parent", h->dir.parent, parent,
				       -EUCLEAN);
		if (ret) {
			/* with one half missing, everything would look added or removed */
			failed(f, s, path, "directory", ret, &err);
			return 0;
		}
		h->there = true;
	}
	close_iters(f);
	if (f->depth == f->room) {
		p = realloc(f->levels, (f->room * 2 + 16) * sizeof(*p));
		if (!p)
			return -ENOMEM;
		f->levels = p;
		f->room = f->room * 2 + 16;
	}
	f->levels[f->depth++] = l;
	return 0;
}

/* Read the next name.  Return: 1; 0: none left; or an error, after a message. */
static int hold(struct diff *f, enum side s)
{
	struct cursor *c = &f->cursor[s];
	struct half *h = &top(f)->half[s];
	struct dsfs_err err = { 0 };
	int ret;

	if (!h->there)
		return 0;
	if (c->held)
		return 1;
	if (!c->open) {
		dsfs_dir_iter_init(&c->it, c->d.src, &h->dir, h->pos);
		c->open = true;
	}
	ret = dsfs_dir_iter_next(&c->it, &c->name, &err);
	if (ret < 0)
		failed(f, s, dir_path(f), "names", ret, &err);
	c->held = ret > 0;
	return ret;
}

static int set_path(struct diff *f, const struct dsfs_name *name)
{
	const size_t at = top(f)->path_len, need = at + name->len + 2;
	char *p;

	if (need > f->path_room) {
		p = realloc(f->path, need * 2);
		if (!p)
			return -ENOMEM;
		f->path = p;
		f->path_room = need * 2;
	}
	f->path[at] = '/';
	memcpy(f->path + at + 1, name->name, name->len);
	f->path[at + 1 + name->len] = '\0';
	return 0;
}

/* Count a name; a walk ends after more names than a valid image can have. */
static int check_names(struct diff *f)
{
	struct dsfs_err err = { 0 };

	for (enum side s = FROM; s < SIDES; s++) {
		const u64 limit = f->cursor[s].d.img.geo->inodes;

		if (f->cursor[s].names <= 2 * limit)
			continue;
		dsfs_bad(&err, "entries of all directories", f->cursor[s].names,
			 limit - 1, 0);
		failed(f, s, dir_path(f), "names", -EUCLEAN, &err);
		return -EUCLEAN;
	}
	return 0;
}

/* Take the current name.  Return: 0, or an error after a message. */
static int take(struct diff *f, enum side s, struct entry *e)
{
	struct half *h = &top(f)->half[s];
	struct cursor *c = &f->cursor[s];
	const u32 ino = h->dir.first + c->name.pos;
	struct dsfs_err err = { 0 };
	int ret;

	h->pos = c->name.pos + 1;
	c->held = false;
	c->names++;
	e->at[s].d = &c->d;
	ret = image_node_get(c->d.src, ino, &e->at[s].node, &err);
	if (!ret)
		ret = image_entry_check(h->dir.self, ino, c->name.type,
					&e->at[s].node, &err);
	if (ret)
		failed(f, s, f->path, "inode", ret, &err);
	e->there[s] = true;
	return ret;
}

/* Generations whose current name comes first. */
static int compare_links(struct diff *f, struct entry *e)
{
	const char *first[SIDES] = { NULL, NULL };
	int ret;

	for (enum side s = FROM; s < SIDES; s++) {
		const struct image_node *n = &e->at[s].node;

		if (!e->there[s] || S_ISDIR(n->attr.mode))
			continue;
		ret = listing_link(&f->cursor[s].links, 0, n->attr.ino, n->nlink,
				   f->path, &first[s]);
		if (ret)
			return ret;
	}
	if (!e->there[FROM] || !e->there[TO] || S_ISDIR(e->at[TO].node.attr.mode))
		return 0;
	e->other_links = e->at[FROM].node.nlink != e->at[TO].node.nlink ||
			 !first[FROM] != !first[TO] ||
			 (first[TO] && strcmp(first[FROM], first[TO]));
	return 0;
}

/* Handle an object that only one of the generations has. */
static int show_one(struct diff *f, const struct entry *e, enum side s)
{
	const struct image_node *n = &e->at[s].node;
	const bool in[SIDES] = { s == FROM, s == TO };

	show(f, s == TO ? "added" : "removed", n, f->path, 0);
	if (s == TO)
		f->added++;
	else
		f->removed++;
	return S_ISDIR(n->attr.mode) ? push(f, e, in, f->path) : 0;
}

static int show_both(struct diff *f, const struct entry *e, const char *path)
{
	static const bool both[SIDES] = { true, true };
	const struct image_node *n = &e->at[TO].node;
	struct dsfs_err err = { 0 };
	unsigned int changed;
	const char *what;
	int ret = compare_nodes(&e->at[FROM], &e->at[TO], &changed, &what, &err);

	if (ret)
		dump_error(f->d, path, what, ret, &err);
	if (e->other_links)
		changed |= CHANGED_LINKS;
	if (changed & CHANGED_DATA)
		f->data++;
	else if (changed)
		f->attributes++;
	if (changed)
		show(f, changed & CHANGED_DATA ? "data" : "attributes", n, path, changed);
	return S_ISDIR(n->attr.mode) ? push(f, e, both, path) : 0;
}

static int visit(struct diff *f, struct entry *e)
{
	int ret = compare_links(f, e);

	if (ret)
		return ret;
	if (!e->there[FROM] || !e->there[TO])
		return show_one(f, e, e->there[TO]);
	if (!((e->at[FROM].node.attr.mode ^ e->at[TO].node.attr.mode) & S_IFMT))
		return show_both(f, e, f->path);
	/* the types differ, so at most one is a directory, which is entered */
	if (S_ISDIR(e->at[FROM].node.attr.mode)) {
		ret = show_one(f, e, TO);
		return ret ? ret : show_one(f, e, FROM);
	}
	ret = show_one(f, e, FROM);
	return ret ? ret : show_one(f, e, TO);
}

/*
 * A step of the walk: one name of one or both generations, or the way out of a
 * directory.
 */
static int step(struct diff *f)
{
	const struct dsfs_name *x = &f->cursor[FROM].name, *y = &f->cursor[TO].name;
	struct entry e = { 0 };
	int from, to, order, ret;

	from = hold(f, FROM);
	to = from < 0 ? 0 : hold(f, TO);
	if (from < 0 || to < 0 || (!from && !to)) {
		/* with names missing, the others would look added or removed */
		close_iters(f);
		f->depth--;
		return 0;
	}
	order = !from ? 1 : !to ? -1 : dsfs_name_cmp(x->name, x->len, y->name, y->len);
	ret = set_path(f, order <= 0 ? x : y);
	if (ret)
		return ret;
	ret = order <= 0 ? take(f, FROM, &e) : 0;
	if (order >= 0 && take(f, TO, &e))
		ret = -EUCLEAN;
	/* an unreadable object counts neither as equal nor as different */
	if (!ret)
		ret = visit(f, &e);
	else
		ret = 0;
	if (!ret)
		ret = check_names(f);
	return ret ? ret : ferror(stdout) ? -EIO : 0;
}

static int begin(struct diff *f)
{
	struct entry e = { .there = { true, true } };
	struct dsfs_err err = { 0 };

	f->path_room = 4096;
	f->path = calloc(1, f->path_room);
	if (!f->path)
		return -ENOMEM;
	for (enum side s = FROM; s < SIDES; s++) {
		struct image_node *n = &e.at[s].node;
		int ret;

		e.at[s].d = &f->cursor[s].d;
		ret = image_node_get(f->cursor[s].d.src, DSFS_ROOT_INO, n, &err);
		if (!ret && !S_ISDIR(n->attr.mode))
			ret = dsfs_bad(&err, "mode of the root", n->attr.mode, S_IFDIR,
				       -EUCLEAN);
		if (ret) {
			failed(f, s, "/", "inode", ret, &err);
			return 0;
		}
	}
	return show_both(f, &e, "/");
}

/* Open a generation in addition to that of the run. */
static int open_cursor(struct diff *f, enum side s, u64 generation)
{
	struct cursor *c = &f->cursor[s];

	c->d = (struct dump){ .img = f->d->img };
	if (image_generation(&c->d.img, generation)) {
		f->d->errors++;
		return -ENOENT;
	}
	c->d.src = image_source(&c->d.img, 0);
	return c->d.src ? 0 : -ENOMEM;
}

static void close_cursor(struct cursor *c)
{
	listing_links_free(&c->links);
	image_source_free(c->d.src);
}

static int run(struct diff *f, const struct diff_request *r)
{
	int ret = open_cursor(f, FROM, r->from);

	if (!ret)
		ret = open_cursor(f, TO, r->to ? r->to : f->d->img.geo->generation);
	if (ret)
		return ret;
	if (f->d->as_json) {
		json_u64(&f->d->j, "from", f->cursor[FROM].d.img.geo->generation);
		json_u64(&f->d->j, "to", f->cursor[TO].d.img.geo->generation);
		json_begin_array(&f->d->j, "changes");
	}
	ret = begin(f);
	while (!ret && f->depth)
		ret = step(f);
	close_iters(f);
	if (f->d->as_json) {
		json_end(&f->d->j);
		json_u64(&f->d->j, "added", f->added);
		json_u64(&f->d->j, "removed", f->removed);
		json_u64(&f->d->j, "data", f->data);
		json_u64(&f->d->j, "attributes", f->attributes);
	}
	return ret;
}

int dump_diff(struct dump *d, const struct diff_request *r)
{
	struct diff *f = calloc(1, sizeof(*f));
	int ret = -ENOMEM;

	if (f) {
		f->d = d;
		ret = run(f, r);
		for (enum side s = FROM; s < SIDES; s++)
			close_cursor(&f->cursor[s]);
		free(f->levels);
		free(f->path);
	}
	free(f);
	if (ret == -ENOMEM)
		dump_error(d, d->img.path, "diff", ret, &(struct dsfs_err){ 0 });
	return ret || d->errors ? -1 : 0;
}
