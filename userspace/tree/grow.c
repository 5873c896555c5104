// SPDX-License-Identifier: GPL-2.0
/*
 * A tree made of paths.  Nodes lie in their directories from the beginning: as millions of them
 * are made, a structure of its own for each name, to be replaced by a node at the end, would
 * double the memory.  An array of nodes moves when it grows, so names are found by indexes.
 */
#include "format.h"
#include "grow.h"
#include "memory.h"

/**
 * struct grow_name - where a name is
 * @node: its node, of a source with @find_files
 * @at: of others: index among the nodes of its directory
 * @dir: number of its directory
 * @hash: of it, a part: nearly no other name is read for it
 */
struct grow_name {
	union {
		struct node *node;
		u64 at;
	};
	u32 dir;
	u32 hash;
};

#define SETTLE_MAX	(1024 * 1024)

static u64 name_hash(const struct grow_dir *d, const char *name, size_t len)
{
	return xxh64(name, len, d->number);
}

static struct grow_name *name_at(const struct grow *g, u64 number)
{
	return blocks_at(&g->names, number - 1);
}

static struct node *node_of(const struct grow *g, const struct grow_dir *d,
			    const struct grow_name *name)
{
	return g->rules->find_files ? name->node : &d->dir.nodes[name->at];
}

static struct grow_name *find_name(const struct grow *g, const struct grow_dir *d,
				   const char *name, size_t len)
{
	const u64 hash = name_hash(d, name, len);
	size_t cursor = 0;
	u32 number;

	while ((number = hash_next(&g->table, hash, &cursor))) {
		struct grow_name *found = name_at(g, number);
		const struct node *n;

		if (found->hash != (u32)hash || found->dir != d->number)
			continue;
		n = node_of(g, d, found);
		if (node_len(n) == len && !memcmp(node_name(n), name, len))
			return found;
	}
	return NULL;
}

struct node *grow_find(const struct grow *g, const struct grow_dir *d, const char *name,
		       size_t len)
{
	const struct grow_name *found = find_name(g, d, name, len);

	return found ? node_of(g, d, found) : NULL;
}

/* Let a node of a directory, the last one there, be found. */
static int index_node(struct grow *g, const struct grow_dir *d, struct node *n)
{
	const u64 hash = name_hash(d, node_name(n), node_len(n));
	struct grow_name *name = blocks_add(&g->names, &g->arena);

	if (!name || g->names.n > U32_MAX)
		return -ENOMEM;
	name->dir = d->number;
	name->hash = hash;
	if (g->rules->find_files)
		name->node = n;
	else
		name->at = d->dir.count - 1;
	return hash_add(&g->table, hash, g->names.n);
}

/* Let a directory have more nodes than it has, or had when it was settled. */
static int more_room(struct grow_dir *d)
{
	struct dir *dir = &d->dir;
	const u64 room = dir->count < 8 ? 8 : dir->count + dir->count / 2;
	struct node *n;

	if (room > DSFS_MAX_INODES)
		return -ENOMEM;
	n = memory_resize(d->room ? dir->nodes : NULL, room * sizeof(*n));
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
		n = memory_resize(dir->nodes, bytes);
		dir->nodes = n ? n : dir->nodes;
		d->room = dir->count;
		return 0;
	}
	n = arena_alloc(&g->tree->arena, bytes, 8);
	if (!n)
		return -ENOMEM;
	memcpy(n, dir->nodes, bytes);
	memory_free(dir->nodes);
	dir->nodes = n;
	d->room = 0;
	return 0;
}

/* @names: where the name is */
static struct node *add_node(struct grow *g, struct grow_dir *d, struct arena *names,
			     const char *name, size_t len)
{
	struct dir *dir = &d->dir;
	struct node *n;

	if (dir->count >= d->room && more_room(d))
		return NULL;
	n = &dir->nodes[dir->count];
	*n = (struct node){ .source = g->now };
	if (node_set_name(names, n, name, len))
		return NULL;
	dir->count++;
	return n;
}

struct node *grow_add(struct grow *g, struct grow_dir *d, const char *name, size_t len)
{
	return add_node(g, d, &g->tree->arena, name, len);
}

static int put_node(struct grow *g, struct grow_dir *d, struct node *n, struct arena *names,
		    const char *name, size_t len)
{
	n->source = g->now;
	if (node_set_name(names, n, name, len))
		return -ENOMEM;
	d->dir.count++;
	return index_node(g, d, n);
}

int grow_put(struct grow *g, struct grow_dir *d, struct node *n, const char *name, size_t len)
{
	return put_node(g, d, n, &g->tree->arena, name, len);
}

void grow_replace(struct grow *g, const struct grow_dir *d, const struct node *was, struct node *n)
{
	struct grow_name *name = find_name(g, d, node_name(was), node_len(was));

	n->name = was->name;
	n->source = was->source;
	name->node = n;
}

/* Make @n, the last node of @parent, a directory, or the root. */
static struct grow_dir *new_dir(struct grow *g, struct node *n, struct grow_dir *parent)
{
	struct grow_dir *d = arena_zalloc(&g->tree->dir_arena, sizeof(*d));

	if (!d || array_append(&g->dirs, &d))
		return NULL;
	node_set_dir(n, &d->dir, parent ? &parent->dir : NULL);
	d->at = !parent ? 0 : g->rules->find_files ? GROW_FIXED : parent->dir.count - 1;
	d->number = g->dirs.n - 1;
	n->mode = S_IFDIR;
	return d;
}

static struct node *add_dir_node(struct grow *g, struct grow_dir *parent, const char *name,
				 size_t len)
{
	struct arena *names = &g->tree->dir_arena;
	struct node *n;

	if (!g->rules->find_files) {
		n = add_node(g, parent, names, name, len);
		return n && !index_node(g, parent, n) ? n : NULL;
	}
	n = arena_zalloc(&g->arena, sizeof(*n));
	return n && !put_node(g, parent, n, names, name, len) ? n : NULL;
}

struct grow_dir *grow_dir(struct grow *g, struct grow_dir *parent, const char *name, size_t len)
{
	struct node *n = grow_find(g, parent, name, len);

	errno = n ? ENOTDIR : ENOMEM;
	if (n)
		return S_ISDIR(n->mode) ? (struct grow_dir *)n->u.dir : NULL;
	n = add_dir_node(g, parent, name, len);
	return n ? new_dir(g, n, parent) : NULL;
}

struct grow_dir *grow_dir_over(struct grow *g, struct grow_dir *parent, const struct node *was)
{
	struct node *n = arena_zalloc(&g->arena, sizeof(*n));

	if (!n)
		return NULL;
	grow_replace(g, parent, was, n);
	return new_dir(g, n, parent);
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
	if (!d || !d->room || (d->left && !g->sorted))
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

/* Give a directory its next node. */
static int gather_node(struct grow *g, struct grow_dir *d, struct node *from)
{
	struct dir *dir = &d->dir;
	struct node *to;

	if (!dir->nodes) {
		dir->nodes = arena_zalloc(&g->tree->arena, dir->count * sizeof(*dir->nodes));
		if (!dir->nodes)
			return -ENOMEM;
	}
	to = &dir->nodes[d->at++];
	*to = *from;
	return S_ISDIR(from->mode) ? 0 : g->rules->take(g->source, to, from);
}

/* Nodes were where their sources have them: directories get theirs. */
static int gather(struct grow *g)
{
	int ret = 0;

	for (size_t i = 0; i < g->dirs.n; i++)
		grow_dir_at(g, i)->at = 0;
	for (u64 i = 0; !ret && i < g->names.n; i++) {
		const struct grow_name *name = blocks_at(&g->names, i);

		ret = gather_node(g, grow_dir_at(g, name->dir), name->node);
	}
	return ret;
}

int grow_end(struct grow *g)
{
	int ret = 0;

	hash_free(&g->table);
	for (size_t i = 0; !ret && i < g->dirs.n; i++) {
		const struct grow_dir *d = grow_dir_at(g, i);

		ret = d->said ? 0 : g->rules->plain(g->source, grow_node(d));
	}
	if (!ret && g->rules->find_files)
		ret = gather(g);
	free_names(g);
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
		.arena = { .overflow = t->overflow },
	};
	root = new_dir(g, &t->root, NULL);
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
			memory_free(grow_dir_at(g, i)->dir.nodes);
	}
	array_free(&g->dirs);
}
