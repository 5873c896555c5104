// SPDX-License-Identifier: GPL-2.0
/*
 * The tree of archives while they are read: names that come in any order, again, or as
 * further names of files that came before.  A path leads through directories of the
 * archive and through nothing else: not out of it, and not through a symlink.
 */
#include <stdlib.h>

#include "format.h"
#include "tar.h"

static u64 name_hash(const struct tar_name *parent, const char *name, size_t len)
{
	return xxh64(name, len, (uintptr_t)parent);
}

static u64 hash_name(const void *ctx, u64 value)
{
	(void)ctx;
	return ((const struct tar_name *)(uintptr_t)value)->hash;
}

static struct tar_name *find_name(struct tar *t, const struct tar_name *parent,
				  const char *name, size_t len)
{
	const u64 hash = name_hash(parent, name, len);
	size_t cursor = 0;
	struct tar_name *n;

	while ((n = (struct tar_name *)(uintptr_t)hash_next(&t->names, hash, &cursor))) {
		if (n->parent == parent && (u8)n->name[0] == len && !memcmp(n->name + 1, name, len))
			return n;
	}
	return NULL;
}

/* A name that is not there yet. */
static struct tar_name *new_name(struct tar *t, struct tar_name *parent, const char *name,
				 size_t len)
{
	struct tar_name *n = arena_zalloc(&t->files, sizeof(*n));
	struct node named;

	if (!n || node_set_name(&t->src.tree->arena, &named, name, len))
		goto no_memory;
	n->name = named.name;
	n->parent = parent;
	n->hash = name_hash(parent, name, len);
	if (hash_add(&t->names, n->hash, (uintptr_t)n))
		goto no_memory;
	t->newest->next = n;
	t->newest = n;
	if (parent->dir->count == DSFS_MAX_INODES) {
		tar_fail(t, "its directory has more than %llu names", DSFS_MAX_INODES);
		return NULL;
	}
	parent->dir->count++;
	return n;
no_memory:
	no_memory();
	return NULL;
}

static int make_dir(struct tar *t, struct tar_name *n)
{
	n->dir = arena_zalloc(&t->src.tree->arena, sizeof(*n->dir));
	if (!n->dir)
		return no_memory();
	n->dir->parent = n->parent->dir;
	n->dir->slot = -1;
	return 0;
}

/* Find or make a directory.  Return: NULL after a message. */
static struct tar_name *get_dir(struct tar *t, struct tar_name *parent, const char *name,
				size_t len)
{
	struct tar_name *n = find_name(t, parent, name, len);

	if (n && !n->dir) {
		tar_fail(t, "%s: is not a directory in the archive", tar_shown(t, n->name + 1));
		return NULL;
	}
	if (n)
		return n;
	n = new_name(t, parent, name, len);
	return n && !make_dir(t, n) ? n : NULL;
}

/*
 * Move @at to the next name of a path.  Return: its length; 0 at the end; -1, after a
 * message, for what is no name.
 */
static int next_part(struct tar *t, const char **at)
{
	size_t len;

	for (;;) {
		*at += strspn(*at, "/");
		len = strcspn(*at, "/");
		if (len != 1 || **at != '.')
			break;
		*at += 1;
	}
	if (len == 2 && !memcmp(*at, "..", 2))
		tar_fail(t, "has a .. in its path");
	else if (len > DSFS_NAME_MAX)
		tar_fail(t, "a name of %zu bytes: the limit is %d", len, DSFS_NAME_MAX);
	else
		return len;
	return -1;
}

/* Members of a directory come together. */
static bool is_last_dir(const struct tar *t, const char *path, size_t len)
{
	return t->last_dir && t->last_path.len == len && !memcmp(t->last_path.p, path, len);
}

static int set_last_dir(struct tar *t, const char *path, size_t len, struct tar_name *dir)
{
	t->last_path.len = 0;
	t->last_dir = dir;
	return tar_text_add(&t->last_path, path, len);
}

/*
 * Follow a path up to its last name.  Return: the directory of that name; NULL after a
 * message.  The name has 0 bytes if the path is that of the directory all paths begin in.
 */
static struct tar_name *walk(struct tar *t, const char *path, const char **name, int *len)
{
	struct tar_name *dir = t->base;
	const char *at = path, *next;
	int n;

	if (*path == '/') {
		tar_fail(t, "is absolute");
		return NULL;
	}
	next = strrchr(path, '/');
	if (next && is_last_dir(t, path, next - path)) {
		dir = t->last_dir;
		at = next;
	}
	*len = next_part(t, &at);
	*name = at;
	while (*len > 0) {
		next = at + *len;
		n = next_part(t, &next);
		if (!n)
			break;
		dir = n < 0 ? NULL : get_dir(t, dir, at, *len);
		if (!dir)
			return NULL;
		at = next;
		*name = at;
		*len = n;
	}
	if (*len < 0)
		return NULL;
	if (*len > 0 && !at[*len] && *name > path && set_last_dir(t, path, *name - 1 - path, dir))
		return NULL;
	return dir;
}

/* Find the archive that a name was new in.  Names are in the order in which they came. */
static const char *archive_of(const struct tar *t, const struct tar_name *name)
{
	struct tar_name *const *begins = (struct tar_name *const *)t->begins.p;
	size_t i = 0;

	for (const struct tar_name *n = t->root; n != name; n = n->next) {
		while (i + 1 < t->begins.n && begins[i + 1] == n)
			i++;
	}
	return t->src.o->tars[i];
}

struct tar_name *tar_dir_make(struct tar *t, const char *name)
{
	return get_dir(t, t->root, name, strlen(name));
}

static struct tar_name *dir_alone(struct tar *t, const char *name)
{
	struct tar_name *n = find_name(t, t->root, name, strlen(name));
	char other[256];

	if (!n || (t->src.o->tar_index && !strcmp(name, TAR_SHARDS)))
		return tar_dir_make(t, name);
	tar_fail(t, "%s: the directory %s is that of %s already",
		 t->src.o->tar_index ? "--tar-index" : "--wds", tar_shown(t, name),
		 msg_escape(other, sizeof(other), archive_of(t, n)));
	return NULL;
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
			 t->src.o->tar_index ? "--tar-index" : "--wds", tar_shown(t, name));
	free(name);
	return t->base ? 0 : -EINVAL;
}

bool tar_dir_has(struct tar *t, const struct tar_name *dir, const char *name)
{
	return find_name(t, dir, name, strlen(name));
}

/* Times are left out: they differ as a rule, and the last one is as good. */
static bool same_attrs(const struct node *a, const struct node *b)
{
	return a->mode == b->mode && a->owner == b->owner && a->xattrs == b->xattrs;
}

/* Give a directory the attributes of the member: the last one of its name counts. */
static int put_dir(struct tar *t, struct tar_name *n, bool is_new, struct tar_file *f)
{
	if (is_new && make_dir(t, n))
		return -ENOMEM;
	if (!n->dir)
		return tar_fail(t, "is a directory, and was something else before");
	if (n->file && !same_attrs(&n->file->file.node, &f->file.node))
		tar_note(t, TAR_DIR_AGAIN, t->m.path);
	n->file = f;
	return 0;
}

/* Take a name from a file.  If it was the last one, the file's data is to become a hole. */
static int lose_name(struct tar *t, struct tar_file *f)
{
	struct node *n = &f->file.node;

	if (--f->names || !S_ISREG(n->mode) || !n->size)
		return 0;
	return array_append(&t->src.replaced, &n) ? no_memory() : 0;
}

/* The name of a path, as far as there is one, and its directory; NULL, said. */
static struct tar_name *find_path(struct tar *t, const char *path, struct tar_name **n,
				  const char **name, int *len)
{
	struct tar_name *dir = walk(t, path, name, len);

	if (dir)
		*n = *len ? find_name(t, dir, *name, *len) : dir;
	return dir;
}

int tar_put(struct tar *t, struct tar_file *f)
{
	const char *name;
	int len = 0;
	struct tar_name *n, *dir = find_path(t, t->m.path, &n, &name, &len);
	const bool is_new = dir && !n;

	if (is_new)
		n = new_name(t, dir, name, len);
	if (!dir || !n)
		return -EINVAL;
	if (S_ISDIR(f->file.node.mode))
		return put_dir(t, n, is_new, f);
	if (n->dir)
		return tar_fail(t, "is a directory in the archive, and this is none");
	if (n->file == f)
		return 0;
	if (n->file && t->src.o->wds == WDS_PREFIX)
		return tar_fail(t, "is in %s already", tar_shown(t, archive_of(t, n)));
	if (n->file)
		tar_note(t, TAR_REPLACED, t->m.path);
	if (n->file && lose_name(t, n->file))
		return -ENOMEM;
	f->names++;
	n->file = f;
	return 0;
}

struct tar_file *tar_target(struct tar *t)
{
	const char *name;
	int len = 0;
	struct tar_name *n;

	if (!find_path(t, t->m.link, &n, &name, &len))
		return NULL;
	if (n && !n->dir)
		return n->file;
	tar_fail(t, "link to %s: %s", tar_shown(t, t->m.link),
		 n ? "a directory" : "not in the archive before it");
	return NULL;
}

int tar_note_begin(struct tar *t)
{
	return array_append(&t->begins, &t->newest) ? no_memory() : 0;
}

int tar_tree_init(struct tar *t)
{
	t->names.of = hash_name;
	if (hash_init(&t->names, 0))
		return -ENOMEM;
	t->root = arena_zalloc(&t->files, sizeof(*t->root));
	if (!t->root)
		return -ENOMEM;
	t->root->name = (char *)"";
	t->root->dir = t->src.tree->root_dir;
	t->newest = t->root;
	return 0;
}

void tar_tree_free(struct tar *t)
{
	arena_free(&t->files);
	hash_free(&t->names);
}
