// SPDX-License-Identifier: GPL-2.0
/*
 * A tree made of paths.  Nodes lie in their directories from the beginning: as millions of them
 * are made, a structure of its own for each name, to be replaced by a node at the end, would
 * double the memory.  An array of nodes moves when it grows, so names are found by indexes.
 */
#include <stdlib.h>

#include "format.h"
#include "grow.h"

/**
 * struct grow_name - where a name is
 * @hash: of it: as the table grows, no name is read again
 * @dir: number of its directory
 * @at: index among the nodes there
 */
struct grow_name {
	u64 hash;
	u32 dir;
	u32 at;
};

#define SETTLE_MAX	(1024 * 1024)

static u64 name_hash(const struct grow_dir *d, const char *name, size_t len)
{
	return xxh64(name, len, d->number);
}

static const struct grow_name *name_at(const struct grow *g, u64 number)
{
	return blocks_at(&g->names, number - 1);
}

static u64 hash_of(const void *grow, u64 number)
{
	return name_at(grow, number)->hash;
}

struct node *grow_find(const struct grow *g, const struct grow_dir *d, const char *name,
		       size_t len)
{
	const u64 hash = name_hash(d, name, len);
	size_t cursor = 0;
	u64 number;

	while ((number = hash_next(&g->table, hash, &cursor))) {
		const struct grow_name *found = name_at(g, number);
		struct node *n;

		if (found->hash != hash || found->dir != d->number)
			continue;
		n = &d->dir.nodes[found->at];
		if (node_len(n) == len && !memcmp(node_name(n), name, len))
			return n;
	}
	return NULL;
}

/* Let the last node of a directory be found. */
static int index_last(struct grow *g, const struct grow_dir *d)
{
	const u32 at = d->dir.count - 1;
	const struct node *n = &d->dir.nodes[at];
	struct grow_name *name = blocks_add(&g->names, &g->arena);

	if (!name)
		return -ENOMEM;
	*name = (struct grow_name){ name_hash(d, node_name(n), node_len(n)), d->number, at };
	return hash_add(&g->table, name->hash, g->names.n);
}

/* Let a directory have more nodes than it has, or had when it was settled. */
static int more_room(struct grow_dir *d)
{
	struct dir *dir = &d->dir;
	const u64 room = dir->count < 8 ? 8 : dir->count + dir->count / 2;
	struct node *n;

	if (room > DSFS_MAX_INODES)
		return -ENOMEM;
	n = realloc(d->room ? dir->nodes : NULL, room * sizeof(*n));
	if (!n)
		return -ENOMEM;
	if (!d->room && dir->count)
		memcpy(n, dir->nodes, dir->count * sizeof(*n));
	dir->nodes = n;
	d->room = room;
	return 0;
}

/*
 * Move the nodes of a directory to the arena, as it may get no more: they need no room to grow
 * there, and may be in the overflow.  A copy of many needs memory, so they stay where they are
 * as long as they may be in memory.
 */
static int settle(struct grow *g, struct grow_dir *d)
{
	struct dir *dir = &d->dir;
	const size_t bytes = dir->count * sizeof(*dir->nodes);
	struct node *n;

	if (bytes > SETTLE_MAX && !overflow_begun(g->tree->overflow)) {
		n = realloc(dir->nodes, bytes);
		dir->nodes = n ? n : dir->nodes;
		d->room = dir->count;
		return 0;
	}
	n = arena_alloc(&g->tree->arena, bytes, 8);
	if (!n)
		return -ENOMEM;
	memcpy(n, dir->nodes, bytes);
	free(dir->nodes);
	dir->nodes = n;
	d->room = 0;
	return 0;
}

static struct node *add_node(struct grow *g, struct grow_dir *d, const char *name, size_t len)
{
	struct dir *dir = &d->dir;
	struct node *n;

	if (dir->count >= d->room && more_room(d))
		return NULL;
	n = &dir->nodes[dir->count];
	*n = (struct node){ .source = g->now };
	if (node_set_name(&g->tree->arena, n, name, len))
		return NULL;
	dir->count++;
	return n;
}

struct node *grow_add(struct grow *g, struct grow_dir *d, const char *name, size_t len)
{
	struct node *n = add_node(g, d, name, len);

	return n && g->rules->find_files && index_last(g, d) ? NULL : n;
}

/* Make the last node of @parent a directory, or the root. */
static struct grow_dir *new_dir(struct grow *g, struct node *n, struct grow_dir *parent)
{
	struct grow_dir *d = arena_zalloc(&g->tree->arena, sizeof(*d));

	if (!d || array_append(&g->dirs, &d))
		return NULL;
	node_set_dir(n, &d->dir, parent ? &parent->dir : NULL);
	d->at = parent ? parent->dir.count - 1 : 0;
	d->number = g->dirs.n - 1;
	n->mode = S_IFDIR;
	return d;
}

struct grow_dir *grow_dir(struct grow *g, struct grow_dir *parent, const char *name, size_t len)
{
	struct node *n = grow_find(g, parent, name, len);

	errno = n ? ENOTDIR : ENOMEM;
	if (n)
		return S_ISDIR(n->mode) ? (struct grow_dir *)n->u.dir : NULL;
	n = add_node(g, parent, name, len);
	return n && !index_last(g, parent) ? new_dir(g, n, parent) : NULL;
}

/* Whether the first bytes of a path are that of @d below @base.  False for one of odd form. */
static bool is_path_of(const struct grow_dir *d, const struct grow_dir *base, const char *path,
		       size_t bytes)
{
	for (; d != base && d->dir.parent; d = (struct grow_dir *)d->dir.parent) {
		const struct node *n = grow_node(d);
		const unsigned int len = node_len(n);

		if (len > bytes || memcmp(path + bytes - len, node_name(n), len))
			return false;
		bytes -= len;
		if (bytes && path[--bytes] != '/')
			return false;
	}
	return d == base && (!bytes || (bytes == 1 && *path == '.'));
}

static bool is_name(const char *name, size_t len)
{
	errno = len > DSFS_NAME_MAX ? ENAMETOOLONG : EINVAL;
	return len <= DSFS_NAME_MAX && (len != 2 || memcmp(name, "..", 2));
}

/* The next name is in another directory.  One that is come back to, again and again, stays. */
static int leave(struct grow *g)
{
	struct grow_dir *d = g->last;

	errno = ENOMEM;
	if (!d || !d->room || d->left)
		return 0;
	d->left = true;
	return settle(g, d);
}

struct grow_dir *grow_walk(struct grow *g, struct grow_dir *base, const char *path,
			   const char **name, size_t *len)
{
	const char *slash = strrchr(path, '/'), *next;
	/* names of a directory come together */
	const bool again = slash && g->last && is_path_of(g->last, base, path, slash - path);
	struct grow_dir *d = again ? g->last : base;
	size_t more;

	*name = again ? slash : path;
	*len = path_next(name);
	next = *name + *len;
	while (is_name(*name, *len) && (more = path_next(&next))) {
		d = grow_dir(g, d, *name, *len);
		if (!d)
			return NULL;
		*name = next;
		*len = more;
		next += more;
	}
	if (d != g->last && leave(g))
		return NULL;
	g->last = d;
	return is_name(*name, *len) ? d : NULL;
}

/* Of nodes with the same name the source's number decides. */
static int node_order(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	return node_cmp(a, b) ?: x->source < y->source ? -1 : x->source > y->source;
}

static bool is_sorted(const struct dir *dir)
{
	for (u32 i = 1; i < dir->count; i++) {
		if (node_cmp(&dir->nodes[i - 1], &dir->nodes[i]) >= 0)
			return false;
	}
	return true;
}

static void sort_dir(const struct grow *g, struct dir *dir)
{
	const bool sorted = is_sorted(dir);
	struct node *n = dir->nodes;

	if (!sorted)
		qsort(n, dir->count, sizeof(*n), node_order);
	for (u32 i = 0; i < dir->count; i++) {
		if (S_ISDIR(n[i].mode))
			n[i].u.dir->self = &n[i];
		if (!sorted && i && !node_cmp(&n[i - 1], &n[i]))
			g->rules->twice(g->source, dir, &n[i - 1], &n[i]);
	}
}

/* What was needed to find names. */
static void free_names(struct grow *g)
{
	blocks_free(&g->names);
	arena_free(&g->arena);
	hash_free(&g->table);
}

int grow_end(struct grow *g)
{
	int ret = 0;

	free_names(g);
	for (size_t i = 0; !ret && i < g->dirs.n; i++) {
		const struct grow_dir *d = grow_dir_at(g, i);

		ret = d->said ? 0 : g->rules->plain(g->source, grow_node(d));
	}
	for (size_t i = 0; !ret && i < g->dirs.n; i++) {
		struct grow_dir *d = grow_dir_at(g, i);

		tree_pass(g->tree, &d->dir);
		ret = d->room ? settle(g, d) : 0;
		sort_dir(g, &d->dir);
	}
	return ret;
}

int grow_init(struct grow *g, struct tree *t, const struct grow_rules *rules, void *source)
{
	struct grow_dir *root;

	*g = (struct grow){
		.tree = t, .rules = rules, .source = source,
		.dirs.size = sizeof(struct grow_dir *), .names.size = sizeof(struct grow_name),
		.arena = { .overflow = t->overflow }, .table = { .of = hash_of, .ctx = g },
	};
	root = hash_init(&g->table, 0) ? NULL : new_dir(g, &t->root, NULL);
	if (!root)
		return -ENOMEM;
	t->root_dir = &root->dir;
	return 0;
}

void grow_free(struct grow *g)
{
	free_names(g);
	for (size_t i = 0; i < g->dirs.n; i++) {
		if (grow_dir_at(g, i)->room)
			free(grow_dir_at(g, i)->dir.nodes);
	}
	array_free(&g->dirs);
}
