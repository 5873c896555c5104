// SPDX-License-Identifier: GPL-2.0
/*
 * The tree of archives: names that come in any order, again, or as further names of files
 * that came before.  A path leads through directories of the archive and through nothing else:
 * not out of it, and not through a symlink.
 *
 * While archives are read, the node of a name is that of its file, or knows it and gets its
 * attributes at the end.
 */
#include "format.h"
#include "tar.h"

#define LINKS_MAX	40	/* as of Linux */

/* Say why a directory cannot be made, if it is NULL. */
static struct grow_dir *said(struct tar *t, struct grow_dir *d, const char *name, size_t len)
{
	char part[DSFS_NAME_MAX + 1];

	if (d)
		return d;
	snprintf(part, sizeof(part), "%.*s", (int)len, name);
	if (errno == ENOTDIR)
		tar_fail(t, "%s: is not a directory in the archive", tar_shown(t, part));
	else if (errno == EINVAL)
		tar_fail(t, "has a .. in its path");
	else if (errno == ENAMETOOLONG)
		tar_fail(t, "a name of %zu bytes: the limit is %d", len, DSFS_NAME_MAX);
	else
		no_memory();
	return NULL;
}

static bool has_dotdot(const char *s, size_t n)
{
	size_t i = 0, len;

	for (; i < n; i += len + 1) {
		const char *slash = memchr(s + i, '/', n - i);

		len = slash ? slash - (s + i) : n - i;
		if (len == 2 && !memcmp(s + i, "..", 2))
			return true;
	}
	return false;
}

/*
 * A path leads through a symlink of the archive, at @name, as where /bin is usr/bin: what it is
 * then.  NULL, errno is ENOTDIR: it is no symlink, or not one to what is below it.
 */
static const char *resolve(struct tar *t, const char *path, const char *name, size_t len)
{
	char *link = strndup(path, name + len - path), *to = NULL;
	struct grow_dir *d = link ? grow_walk(&t->grow, t->base, link, &name, &len) : NULL;
	const struct node *n = d && len ? grow_find(&t->grow, d, name, len) : NULL;
	const size_t before = link ? name - link : 0;

	if (n && !n->mode)
		n = &((struct tar_file *)n->u.own)->file.node;
	if (n && S_ISLNK(n->mode)) {
		const char *target = n->u.symlink->target;

		if (*target != '/' && !has_dotdot(target, n->size) &&
		    asprintf(&to, "%.*s%.*s%s", (int)before, link, (int)n->size, target,
			     path + before + len) < 0)
			to = NULL;
	}
	free(link);
	if (to) {
		free(t->resolved);
		t->resolved = to;
	}
	errno = ENOTDIR;
	return to;
}

/* The name of a path, as far as there is one, and its directory; NULL, said. */
static struct grow_dir *find_path(struct tar *t, const char *path, struct node **n,
				  const char **name, size_t *len)
{
	struct grow_dir *d = NULL;

	if (*path == '/' && !t->src.o->allow.absolute) {
		tar_fail(t, "is absolute: --allow=absolute takes the slash off");
		return NULL;
	}
	for (unsigned int links = 0; path && !d && links <= LINKS_MAX; links++) {
		d = grow_walk(&t->grow, t->base, path, name, len);
		path = d || errno != ENOTDIR ? NULL : resolve(t, path, *name, *len);
	}
	d = said(t, d, *name, *len);
	if (d)
		*n = *len ? grow_find(&t->grow, d, *name, *len) : grow_node(d);
	return d;
}

/* The archive that a name was new in. */
static const char *archive_of(const struct tar *t, const struct node *n)
{
	return t->src.o->tars[n->source ? n->source - 1 : 0];
}

struct grow_dir *tar_dir_make(struct tar *t, const char *name)
{
	const size_t len = strlen(name);

	return said(t, grow_dir(&t->grow, grow_dir_at(&t->grow, 0), name, len), name, len);
}

static struct grow_dir *dir_alone(struct tar *t, const char *name)
{
	const struct node *n = tar_find(t, grow_dir_at(&t->grow, 0), name);
	char other[256];

	if (!n || (t->shards && n == grow_node(t->shards)))
		return tar_dir_make(t, name);
	tar_fail(t, "%s: the directory %s is that of %s already",
		 t->src.shard_by, tar_shown(t, name),
		 msg_escape(other, sizeof(other), archive_of(t, n)));
	return NULL;
}

bool tar_as_is(const struct tar *t)
{
	const char *base = t->base->dir.parent ? node_name(grow_node(t->base)) : "";
	const char *at = t->m.path;
	char *path = t->src.o->pack.except.n ? malloc(strlen(base) + strlen(at) + 2) : NULL;
	char *to = path;
	bool hit;

	if (!path)
		return false;
	to = stpcpy(to, base);
	for (size_t len; (len = path_next(&at)); at += len) {
		if (to != path)
			*to++ = '/';
		to = mempcpy(to, at, len);
	}
	*to = '\0';
	hit = source_as_is(&t->src, path);
	free(path);
	return hit;
}

const char *tar_last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A shard is named as its file, without the endings. */
int tar_shard_base(struct tar *t, const char *path)
{
	static const char *const ends[] = { ".tar", ".tgz", ".txz", ".tzst", NULL };
	char *name = strdup(tar_last_name(path));

	t->base = NULL;
	if (!name)
		return no_memory();
	for (unsigned int i = 0; ends[i]; i++) {
		char *end = strstr(name, ends[i]);

		if (end && end != name)
			*end = '\0';
	}
	if (dsfs_name_valid(name, strlen(name)))
		t->base = dir_alone(t, name);
	else
		tar_fail(t, "%s: not a name for a directory: %s",
			 t->src.shard_by, tar_shown(t, name));
	free(name);
	return t->base ? 0 : -EINVAL;
}

struct node *tar_find(const struct tar *t, const struct grow_dir *d, const char *name)
{
	return grow_find(&t->grow, d, name, strlen(name));
}

/* Times are left out: they differ as a rule, and the last one is as good. */
static bool same_attrs(const struct node *a, const struct node *b)
{
	return a->mode == b->mode && a->owner == b->owner && a->xattrs == b->xattrs;
}

/* Take a name from a file.  If it was the last one, the file's data is to become a hole. */
static int lose_name(struct tar *t, struct tar_file *f)
{
	struct node *n = &f->file.node;

	if (--f->names || !S_ISREG(n->mode) || !n->size)
		return 0;
	return array_append(&t->src.replaced, &n) ? no_memory() : 0;
}

static struct tar_file *file_of(struct node *n)
{
	return n->mode ? (struct tar_file *)n : n->u.own;
}

/* A node for one more name of a file: its own, if it has no name. */
static struct node *name_node(struct tar *t, struct tar_file *f)
{
	struct node *n = &f->file.node;

	if (!n->name)
		return n;
	t->in_order = false;
	n = arena_zalloc(&t->files, sizeof(*n));
	if (n)
		n->u.own = f;
	else
		no_memory();
	return n;
}

/* The name of a file is to be something else's. */
static int take_name(struct tar *t, const struct node *n)
{
	if (t->src.o->wds == WDS_PREFIX)
		return tar_fail(t, "is in %s already", tar_shown(t, archive_of(t, n)));
	t->in_order = false;
	tar_note(t, TAR_REPLACED, t->m.path);
	return 0;
}

/* A name comes again, and is to be another file's. */
static int replace(struct tar *t, const struct grow_dir *d, struct node *n, struct tar_file *f)
{
	struct tar_file *was = S_ISDIR(n->mode) ? NULL : file_of(n);
	struct node *now;

	if (!was)
		return tar_fail(t, "is a directory in the archive, and this is none");
	if (was == f)
		return 0;
	now = take_name(t, n) ? NULL : name_node(t, f);
	if (!now)
		return -EINVAL;
	grow_replace(&t->grow, d, n, now);
	n->name = NULL;
	f->names++;
	return lose_name(t, was);
}

/* It is to be a directory's, as where a symlink was that other members went through. */
static struct grow_dir *dir_over(struct tar *t, struct grow_dir *parent, struct node *n)
{
	struct tar_file *was = file_of(n);
	struct grow_dir *d;

	if (take_name(t, n))
		return NULL;
	d = grow_dir_over(&t->grow, parent, n);
	if (!d)
		no_memory();
	n->name = NULL;
	return d && !lose_name(t, was) ? d : NULL;
}

int tar_put_dir(struct tar *t, struct node *attrs)
{
	const char *name;
	size_t len;
	struct node *n;
	struct grow_dir *parent = find_path(t, t->m.path, &n, &name, &len), *d;

	if (!parent)
		return -EINVAL;
	if (n) {
		d = S_ISDIR(n->mode) ? (struct grow_dir *)n->u.dir : dir_over(t, parent, n);
	} else {
		d = grow_dir(&t->grow, parent, name, len);
		if (!d)
			no_memory();
	}
	if (!d)
		return -EINVAL;
	n = grow_node(d);
	if (d->said && !same_attrs(n, attrs))
		tar_note(t, TAR_DIR_AGAIN, t->m.path);
	d->said = true;
	attrs->u = n->u;
	node_copy(n, attrs);
	return 0;
}

int tar_put(struct tar *t, struct tar_file *f)
{
	const char *name;
	size_t len;
	struct node *n;
	struct grow_dir *d = find_path(t, t->m.path, &n, &name, &len);

	if (!d)
		return -EINVAL;
	if (n)
		return replace(t, d, n, f);
	n = name_node(t, f);
	if (!n)
		return -EINVAL;
	f->names++;
	return grow_put(&t->grow, d, n, name, len) ? no_memory() : 0;
}

struct tar_file *tar_target(struct tar *t)
{
	const char *name;
	size_t len;
	struct node *n;

	if (!find_path(t, t->m.link, &n, &name, &len))
		return NULL;
	if (n && !S_ISDIR(n->mode))
		return file_of(n);
	tar_fail(t, "link to %s: %s", tar_shown(t, t->m.link),
		 n ? "a directory" : "not in the archive before it");
	return NULL;
}

/* Set the attributes of a directory that no member describes. */
static int plain_dir(void *source, struct node *n)
{
	n->mode = S_IFDIR | 0755;
	n->mtime = source_time(source, 0);
	return source_set_owner(source, n, 0, 0);
}

/* A name gets the attributes of its file; those of one file become hard links. */
static int take(void *source, struct node *n, struct node *from)
{
	struct tar *t = source;
	struct tar_file *f = file_of(from);

	if (t->in_order)
		arena_pass(&t->files, f);
	if (f->names > 1)
		return node_join(t->src.tree, n, &f->file.node);
	node_copy(n, &f->file.node);
	return 0;
}

int tar_end(struct source *src)
{
	struct tar *t = (struct tar *)src;
	int ret;

	tar_notes_say(t);
	src->xattrs_ignored = t->list.left_out;
	arena_reverse(&t->files);
	ret = grow_end(&t->grow);
	/* what was replaced is still asked for */
	if (!src->replaced.n)
		arena_free(&t->files);
	return ret ? no_memory() : 0;
}

int tar_tree_init(struct tar *t)
{
	static const struct grow_rules rules = { .find_files = true, .plain = plain_dir,
					       .take = take };

	t->files.overflow = t->src.tree->overflow;
	t->in_order = true;
	return grow_init(&t->grow, t->src.tree, &rules, t) ? no_memory() : 0;
}
