// SPDX-License-Identifier: GPL-2.0
/*
 * A walk over the tree of a generation, or over those of two at once: the names of a
 * directory are sorted, so two directories are merged.  The walk does not recurse, because
 * trees may be of any depth.  No name block is held while an object is handled: it is looked
 * up again when the walk returns from a subdirectory.  So the depth bounds the memory.
 *
 * In an image that was not checked, directories may share entries.  A directory
 * is entered only from the parent that it names, so it is entered once; and a
 * walk ends after more names than a valid image can have.
 */
#include "array.h"
#include "filter.h"
#include "walk.h"

enum side { FROM, TO, SIDES };

/**
 * struct half - a directory in one of the generations
 * @pos: position of the next entry
 * @there: the generation has it, as a directory
 */
struct half {
	struct image_node node;
	struct dsfs_dir_info dir;
	u32 pos;
	bool there;
};

/* A level of the walk: a directory; @path_len: length of its path, 0 for the root */
struct level {
	struct half half[SIDES];
	size_t path_len;
};

/**
 * struct visit - position in one of the generations
 * @it: over the innermost directory, if @open
 * @name: the next one there, if @held
 * @names: taken so far
 */
struct visit {
	struct view *v;
	struct dsfs_dir_iter it;
	struct dsfs_name name;
	u64 names;
	bool open;
	bool held;
};

typedef int enter_fn(void *arg, struct walk_entry *from, struct walk_entry *to);

/**
 * struct walker - state of a walk
 * @at: for one generation, that of TO has no view
 * @leave: called for each level before it goes; may be NULL
 * @levels: struct level
 * @path: that of the current object
 * @start: the object at @path that the walk begins with; NULL: the root
 */
struct walker {
	struct visit at[SIDES];
	enter_fn *enter;
	int (*leave)(void *arg);
	void *arg;
	bool dirs_only;
	struct array levels;
	char *path;
	size_t path_room;
	const struct image_node *start;
};

static struct level *level_at(struct walker *w, size_t n)
{
	return (struct level *)w->levels.p + n;
}

static struct level *top(struct walker *w)
{
	return level_at(w, w->levels.n - 1);
}

/* Cut the path to that of the innermost directory. */
static const char *dir_path(struct walker *w)
{
	w->path[top(w)->path_len] = '\0';
	return top(w)->path_len ? w->path : "/";
}

static void close_iters(struct walker *w)
{
	for (enum side s = FROM; s < SIDES; s++) {
		if (w->at[s].open)
			dsfs_dir_iter_end(&w->at[s].it);
		w->at[s].open = false;
		w->at[s].held = false;
	}
}

/* Append a name to the path of the innermost directory. */
static int set_path(struct walker *w, const struct dsfs_name *name)
{
	const size_t at = top(w)->path_len, need = at + name->len + 2;
	char *p;

	if (need > w->path_room) {
		p = realloc(w->path, need * 2);
		if (!p)
			return -ENOMEM;
		w->path = p;
		w->path_room = need * 2;
	}
	w->path[at] = '/';
	memcpy(w->path + at + 1, name->name, name->len);
	w->path[at + 1 + name->len] = '\0';
	return 0;
}

static bool is_dir(const struct walk_entry *e)
{
	return e && S_ISDIR(e->node.attr.mode);
}

/* Find the name that the walk met an object by before. */
static int set_first(struct view *v, struct walk_entry *e)
{
	e->first = NULL;
	if (is_dir(e))
		return 0;
	return listing_link(&v->links, 0, e->node.attr.ino, e->node.nlink, e->path, &e->first);
}

/* Decode the directories that an object is.  Return: 0, or an error after a message. */
static int get_dirs(struct walker *w, struct walk_entry *const e[SIDES], struct level *l)
{
	struct dsfs_err err = { 0 };

	for (enum side s = FROM; s < SIDES; s++) {
		const struct walk_entry *of = e[s];
		struct half *h = &l->half[s];
		u32 parent;
		int ret;

		if (!of || !is_dir(of))
			continue;
		ret = dsfs_dir_get(w->at[s].v->src, &of->node.attr, &h->dir, &err);
		parent = w->levels.n ? top(w)->half[s].dir.self :
			 w->start ? h->dir.parent : DSFS_ROOT_INO;
		if (!ret)
			ret = dsfs_dir_in(&h->dir, parent, &err);
		if (ret) {
			view_error(w->at[s].v, of->path, "directory", ret, &err);
			return ret;
		}
		h->node = of->node;
		h->there = true;
		l->path_len = of->path[1] ? strlen(of->path) : 0;
	}
	return 0;
}

/*
 * Handle an object, and go into it.  A directory that is bad in one of two generations is
 * shown, but not entered: all in it would look added or removed.
 */
static int visit(struct walker *w, struct walk_entry *const e[SIDES])
{
	struct level l = { 0 }, *added;
	bool bad = false;
	int ret;

	if (is_dir(e[FROM]) || is_dir(e[TO]))
		bad = get_dirs(w, e, &l);
	if (bad && !w->at[TO].v)
		return 0;
	ret = w->enter(w->arg, e[FROM], e[TO]);
	if (ret || bad || !(l.half[FROM].there || l.half[TO].there))
		return ret < 0 ? ret : 0;
	close_iters(w);
	added = array_add(&w->levels);
	if (!added)
		return -ENOMEM;
	*added = l;
	return 0;
}

/* Read the next name.  Return: 1; 0: none left; or an error, after a message. */
static int hold(struct walker *w, enum side s)
{
	const struct half *h = &top(w)->half[s];
	struct visit *c = &w->at[s];
	struct dsfs_err err = { 0 };
	int ret;

	if (!h->there)
		return 0;
	if (c->held)
		return 1;
	if (!c->open)
		dsfs_dir_iter_init(&c->it, c->v->src, &h->dir, h->pos);
	c->open = true;
	ret = dsfs_dir_iter_next(&c->it, &c->name, &err);
	if (ret < 0)
		view_error(c->v, dir_path(w), "names", ret, &err);
	c->held = ret > 0;
	return ret;
}

/* Pass over the current name.  Return: 0, or -EUCLEAN if there are too many. */
static int pass(struct walker *w, enum side s)
{
	struct visit *c = &w->at[s];
	const u64 inodes = c->v->img.geo->inodes;
	struct dsfs_err err;

	top(w)->half[s].pos = c->name.pos + 1;
	c->held = false;
	if (++c->names <= 2 * inodes)
		return 0;
	dsfs_bad(&err, "entries of all directories", c->names, inodes - 1, 0);
	view_error(c->v, dir_path(w), "names", -EUCLEAN, &err);
	return -EUCLEAN;
}

/* Read the object of the current name.  Return: 0, or an error after a message. */
static int get_entry(struct walker *w, enum side s, struct walk_entry *e)
{
	const struct dsfs_dir_info *dir = &top(w)->half[s].dir;
	const struct visit *c = &w->at[s];
	struct dsfs_err err = { 0 };
	int ret;

	e->ino = dir->first + c->name.pos;
	e->path = w->path;
	e->name = w->path + top(w)->path_len + 1;
	ret = image_node_at(c->v->src, e->ino, dsfs_iter_place(&c->it, &c->name), &e->node, &err) ?:
	      image_entry_check(dir->self, e->ino, c->name.type, &e->node, &err);
	if (ret)
		view_error(c->v, e->path, "inode", ret, &err);
	return ret;
}

/* Visit the object of the current name in the generations of @in. */
static int take(struct walker *w, const bool in[SIDES])
{
	const struct dsfs_name *name = &w->at[in[FROM] ? FROM : TO].name;
	struct walk_entry *there[SIDES] = { NULL, NULL };
	struct walk_entry e[SIDES];
	bool bad = false;
	int ret = 0;

	for (enum side s = FROM; !ret && s < SIDES; s++)
		ret = in[s] ? pass(w, s) : 0;
	if (ret || (w->dirs_only && name->type != DT_DIR))
		return ret;
	ret = set_path(w, name);
	for (enum side s = FROM; !ret && s < SIDES; s++) {
		if (in[s])
			bad |= get_entry(w, s, &e[s]);
		if (in[s])
			there[s] = &e[s];
	}
	/* an object that is unreadable counts neither as equal nor as different */
	return ret || bad ? ret : visit(w, there);
}

static int leave(struct walker *w)
{
	int ret;

	close_iters(w);
	ret = w->leave ? w->leave(w->arg) : 0;
	w->levels.n--;
	return ret;
}

/* A step of the walk: one name, or the way out of a directory. */
static int step(struct walker *w)
{
	const struct dsfs_name *x = &w->at[FROM].name, *y = &w->at[TO].name;
	int from = hold(w, FROM), to = from < 0 ? 0 : hold(w, TO), order;

	/* with names missing, others would look added or removed */
	if (from < 0 || to < 0 || (!from && !to))
		return leave(w);
	order = !from ? 1 : !to ? -1 : dsfs_name_cmp(x->name, x->len, y->name, y->len);
	return take(w, (bool[]){ order <= 0, order >= 0 });
}

static int visit_root(struct walker *w)
{
	struct walk_entry *there[SIDES] = { NULL, NULL };
	struct walk_entry e[SIDES];
	struct dsfs_err err = { 0 };
	int ret;

	for (enum side s = FROM; s < SIDES && w->at[s].v; s++) {
		e[s] = (struct walk_entry){ .path = "/", .name = "", .ino = DSFS_ROOT_INO };
		ret = image_node_get(w->at[s].v->src, DSFS_ROOT_INO, &e[s].node, &err);
		if (!ret && !is_dir(&e[s]))
			ret = dsfs_broken(&err, "mode of the root", e[s].node.attr.mode, S_IFDIR);
		if (ret) {
			view_error(w->at[s].v, "/", "inode", ret, &err);
			return 0;
		}
		there[s] = &e[s];
	}
	return visit(w, there);
}

static int visit_start(struct walker *w)
{
	struct walk_entry e = {
		.path = w->path, .name = strrchr(w->path, '/') + 1, .ino = w->start->attr.ino,
		.node = *w->start,
	};

	return visit(w, (struct walk_entry *[]){ &e, NULL });
}

static int run(struct walker *w)
{
	int ret;

	w->levels.size = sizeof(struct level);
	if (!w->path) {
		w->path_room = 4096;
		w->path = calloc(1, w->path_room);
	}
	if (!w->path)
		return -ENOMEM;
	ret = w->start ? visit_start(w) : visit_root(w);
	while (!ret && w->levels.n)
		ret = step(w);
	close_iters(w);
	for (enum side s = FROM; s < SIDES && w->at[s].v; s++)
		listing_links_free(&w->at[s].v->links);
	array_free(&w->levels);
	free(w->path);
	return ret;
}

struct both {
	struct walker w;
	walk_two_fn *enter;
	void *arg;
};

static int enter_both(void *arg, struct walk_entry *from, struct walk_entry *to)
{
	struct both *b = arg;
	int ret = from ? set_first(b->w.at[FROM].v, from) : 0;

	if (!ret && to)
		ret = set_first(b->w.at[TO].v, to);
	return ret ? ret : b->enter(b->arg, from, to);
}

int view_walk_two(struct view *from, struct view *to, walk_two_fn *enter, void *arg)
{
	struct both b = {
		.w = { .at = { { .v = from }, { .v = to } }, .enter = enter_both, .arg = &b },
		.enter = enter, .arg = arg,
	};

	return run(&b.w);
}

/**
 * struct single - a walk over one generation
 * @entered: number of levels that the caller has entered; others wait for an object in them
 *	that is selected
 * @failed: the caller left the first one of these out
 */
struct single {
	struct walker w;
	struct filter *f;
	const struct walk_ops *ops;
	void *arg;
	size_t entered;
	bool failed;
};

/* Call an operation for a level that the path leads through. */
static int call_for_level(struct single *s, size_t n,
			  int (*fn)(void *arg, const struct walk_entry *e))
{
	const struct level *l = level_at(&s->w, n);
	const struct half *h = &l->half[FROM];
	const char was = s->w.path[l->path_len], *slash;
	struct walk_entry e = { .ino = h->dir.self, .node = h->node };
	int ret;

	s->w.path[l->path_len] = '\0';
	slash = strrchr(s->w.path, '/');
	e.path = l->path_len ? s->w.path : "/";
	e.name = slash ? slash + 1 : "";
	ret = fn(s->arg, &e);
	s->w.path[l->path_len] = was;
	return ret;
}

/* Enter the directories above an object that is selected.  Return: 1: one is left out. */
static int enter_way(struct single *s)
{
	int ret = 0;

	for (; !ret && !s->failed && s->entered < s->w.levels.n; s->entered += !ret) {
		ret = call_for_level(s, s->entered, s->ops->enter);
		s->failed = ret;
	}
	return ret ? ret : s->failed;
}

static int enter_single(void *arg, struct walk_entry *e, struct walk_entry *none)
{
	struct single *s = arg;
	enum filter_match m;
	int ret;

	if (!e)		/* there is no other generation that could have it alone */
		return 0;
	m = filter_match(s->f, e->path);
	if (m == FILTER_ABOVE && s->ops->dirs_only)
		m = FILTER_INSIDE;
	if (m == FILTER_ABOVE)
		return 0;
	ret = m == FILTER_OUTSIDE ? 1 : enter_way(s);
	if (!ret)
		ret = set_first(s->w.at[FROM].v, e);
	if (!ret)
		ret = s->ops->enter(s->arg, e);
	if (!ret && S_ISDIR(e->node.attr.mode))
		s->entered++;
	return ret;
}

static int leave_single(void *arg)
{
	struct single *s = arg;
	const size_t n = s->w.levels.n - 1;

	if (n == s->entered)
		s->failed = false;
	if (n >= s->entered)
		return 0;
	s->entered = n;
	return s->ops->leave ? call_for_level(s, n, s->ops->leave) : 0;
}

/* The path with one slash in front of each name; NULL: out of memory */
static char *plain_path(const char *path)
{
	char *text = calloc(1, strlen(path) + 2), *to = text;
	size_t len;

	for (; text && path[strspn(path, "/")]; path += len) {
		path += strspn(path, "/");
		len = strcspn(path, "/");
		*to++ = '/';
		to = mempcpy(to, path, len);
	}
	if (to == text && text)
		*to = '/';
	return text;
}

int view_walk_at(struct view *v, const char *path, const struct walk_ops *ops, void *arg)
{
	struct image_node start;
	struct single s = {
		.w = {
			.at[FROM].v = v, .enter = enter_single, .leave = leave_single, .arg = &s,
			.dirs_only = ops->dirs_only, .path = plain_path(path), .start = &start,
		}, .ops = ops, .arg = arg,
	};

	if (!s.w.path)
		return -ENOMEM;
	s.w.path_room = strlen(s.w.path) + 1;
	if (!view_find(v, s.w.path, &start))
		return run(&s.w);
	free(s.w.path);
	return -ENOENT;
}

int view_walk(struct view *v, struct filter *f, const struct walk_ops *ops, void *arg)
{
	struct single s = {
		.w = {
			.at[FROM].v = v, .enter = enter_single, .leave = leave_single, .arg = &s,
			.dirs_only = ops->dirs_only,
		}, .f = f, .ops = ops, .arg = arg,
	};

	return run(&s.w);
}
