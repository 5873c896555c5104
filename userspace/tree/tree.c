// SPDX-License-Identifier: GPL-2.0
/*
 * The tree in memory: paths, hard links, order.  No function recurses: a tree
 * may be as deep as a file system allows, which a stack may not.
 */
#include <assert.h>

#include "format.h"
#include "memory.h"
#include "msg.h"
#include "tree.h"

static_assert(sizeof(struct node) <= 56, "node grew: bytes a file");

/* What there is of a node, its name, and what its source has of it, more or less */
#define NODE_BYTES	128ULL

/* Tables, which are used in no order, come before the tree. */
#define TREE_SHARE	8

int node_cmp(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	return dsfs_name_cmp(node_name(x), node_len(x), node_name(y), node_len(y));
}

int node_set_name(struct arena *a, struct node *n, const char *name, size_t len)
{
	n->name = arena_alloc(a, len + 2, 1);
	if (!n->name)
		return -ENOMEM;
	n->name[0] = len;
	memcpy(n->name + 1, name, len);
	n->name[1 + len] = '\0';
	return 0;
}

void node_set_dir(struct node *n, struct dir *d, struct dir *parent)
{
	d->parent = parent;
	d->self = n;
	d->slot = -1;
	n->u.dir = d;
}

struct dir *node_new_dir(struct arena *a, struct node *n, struct dir *parent)
{
	struct dir *d = arena_zalloc(a, sizeof(*d));

	if (d)
		node_set_dir(n, d, parent);
	return d;
}

struct hlink *node_new_link(struct arena *a, struct node *n)
{
	struct hlink *l = arena_zalloc(a, sizeof(*l));

	if (!l)
		return NULL;
	l->data = n->u;
	n->u.link = l;
	n->flags |= NODE_LINK;
	return l;
}

void node_copy(struct node *n, const struct node *from)
{
	const struct node was = *n;

	*n = *from;
	n->name = was.name;
	n->source = was.source;
}

int node_join(struct tree *t, struct node *n, struct node *file)
{
	struct hlink *l = file->flags & NODE_LINK ? file->u.link : NULL;

	if (!l) {
		l = node_new_link(&t->arena, file);
		if (!l)
			return -ENOMEM;
		/* a number that no other file has */
		l->ino = (uintptr_t)l;
	}
	node_copy(n, file);
	return 0;
}

int node_set_target(struct arena *a, struct node *n, const char *target, size_t len)
{
	struct symlink *s = arena_alloc(a, sizeof(*s) + len, 8);

	if (!s)
		return -ENOMEM;
	s->start = 0;
	memcpy(s->target, target, len);
	node_data(n)->symlink = s;
	n->size = len;
	return 0;
}

u32 dir_nlink(const struct dir *dir)
{
	return dir->subdirs + 2;
}

char *tree_path(const struct tree *t, const struct dir *dir, const struct node *node, bool below)
{
	size_t base = below ? 0 : strlen(t->source), len = base;
	const struct dir *d;
	char *path, *at;

	while (base > 1 && t->source[base - 1] == '/') {
		base--;
		len--;
	}
	for (d = dir; d->parent; d = d->parent)
		len += node_len(d->self) + 1;
	if (node)
		len += node_len(node) + 1;
	path = malloc(len + 1);
	if (!path)
		return NULL;
	at = path + len;
	*at = '\0';
	if (node) {
		at -= node_len(node);
		memcpy(at, node_name(node), node_len(node));
		*--at = '/';
	}
	for (d = dir; d->parent; d = d->parent) {
		at -= node_len(d->self);
		memcpy(at, node_name(d->self), node_len(d->self));
		*--at = '/';
	}
	memcpy(path, t->source, base);
	if (below && len)
		memmove(path, path + 1, len);
	return path;
}

struct node *dir_find(const struct dir *dir, const char *name, size_t len)
{
	size_t lo = 0, hi = dir->count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		struct node *n = &dir->nodes[mid];
		int cmp = dsfs_name_cmp(name, len, node_name(n), node_len(n));

		if (!cmp)
			return n;
		if (cmp < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

size_t path_next(const char **at)
{
	const char *p = *at;

	while (*p == '/' || (*p == '.' && (!p[1] || p[1] == '/')))
		p++;
	*at = p;
	return strchrnul(p, '/') - p;
}

struct node *tree_find(const struct tree *t, const char *path, struct dir **dir)
{
	struct node *n = NULL;
	size_t len;

	*dir = t->root_dir;
	for (; (len = path_next(&path)); path += len) {
		if (n && !S_ISDIR(n->mode))
			return NULL;
		*dir = n ? n->u.dir : *dir;
		n = len <= DSFS_NAME_MAX ? dir_find(*dir, path, len) : NULL;
		if (!n)
			return NULL;
	}
	return n;
}

static bool node_gone(const struct node *n)
{
	return n->flags & NODE_AWAY ||
	       (n->flags & NODE_LINK && n->u.link->gone);
}

void tree_pass(const struct tree *t, const struct dir *d)
{
	overflow_pass(t->overflow, sizeof(*d) + d->count * NODE_BYTES);
}

/* Remove marked nodes.  The list of directories serves as the queue; its order does not matter. */
int tree_prune(struct tree *t)
{
	struct array queue = { .size = sizeof(struct dir *) };
	int ret = array_append(&queue, &t->root_dir);

	for (size_t i = 0; !ret && i < queue.n; i++) {
		struct dir *d = ((struct dir **)queue.p)[i];
		u32 kept = 0;

		tree_pass(t, d);
		for (u32 k = 0; !ret && k < d->count; k++) {
			struct node *n = &d->nodes[kept];

			if (node_gone(&d->nodes[k]))
				continue;
			if (kept != k)
				*n = d->nodes[k];
			kept++;
			if (S_ISDIR(n->mode)) {
				n->u.dir->self = n;
				ret = array_append(&queue, &n->u.dir);
			}
		}
		d->left_out += d->count - kept;
		d->count = kept;
	}
	array_free(&queue);
	return ret;
}

/* struct links - files with several names; @list: struct hlink *; @numbers: index plus one */
struct links {
	struct array list;
	struct hash numbers;
};

/* Find the file of a name, by device and inode number; NULL: this is its first name. */
static struct hlink *find_link(const struct links *links, u64 hash, const struct hlink *l)
{
	struct hlink *have = NULL;
	size_t cursor = 0;
	u32 number;

	while (links->list.n && (number = hash_next(&links->numbers, hash, &cursor))) {
		have = ((struct hlink **)links->list.p)[number - 1];
		if (have->dev == l->dev && have->ino == l->ino)
			return have;
	}
	return NULL;
}

/* Order a name of a file with several names: the first one becomes the inode. */
static int order_link(struct links *links, struct dir *d, struct node *n)
{
	struct hlink *l = n->u.link, *have;
	u64 key[2] = { l->dev, l->ino };
	u64 hash = XXH3_64bits(key, sizeof(key));

	n->flags &= ~NODE_HARDLINK;
	have = find_link(links, hash, l);
	if (!have) {
		l->first = n;
		l->dir = d;
		l->names = 1;
		return array_append(&links->list, &l) ?:
		       hash_add(&links->numbers, hash, links->list.n);
	}
	if (l != have) {
		l->first = n;
		l->dir = d;
		l->next = have->next;
		have->next = l;
		n->u.link = have;
	}
	have->names++;
	n->flags |= NODE_HARDLINK;
	return 0;
}

static int order_dir(struct links *links, struct array *dirs, struct dir *d)
{
	int ret = 0;

	d->subdirs = 0;
	for (u32 i = 0; !ret && i < d->count; i++) {
		struct node *n = &d->nodes[i];

		if (n->flags & NODE_LINK) {
			ret = order_link(links, d, n);
		} else if (S_ISDIR(n->mode)) {
			ret = array_append(dirs, &n->u.dir);
			n->u.dir->self = n;
			d->subdirs++;
		}
	}
	return ret;
}

/* Order directories breadth first: the queue of directories is their order. */
static int order_dirs(struct tree *t, struct links *links, struct array *dirs)
{
	int ret = array_append(dirs, &t->root_dir);

	t->inodes = DSFS_ROOT_INO + 1;
	for (size_t i = 0; !ret && i < dirs->n; i++) {
		struct dir *d = ((struct dir **)dirs->p)[i];

		tree_pass(t, d);
		if (d->count > DSFS_MAX_INODES + 1 - t->inodes)
			return -EFBIG;
		t->inodes += d->count;
		ret = order_dir(links, dirs, d);
	}
	return ret;
}

int tree_order(struct tree *t)
{
	struct array dirs = { .size = sizeof(struct dir *) };
	struct links links = { .list.size = sizeof(struct hlink *) };
	int ret = order_dirs(t, &links, &dirs);

	array_free(&links.list);
	hash_free(&links.numbers);
	if (ret) {
		array_free(&dirs);
		return ret == -ENOMEM ? no_memory() :
		       msg_fail(ret, t->source, "too many names: the limit is %llu inodes",
				DSFS_MAX_INODES);
	}
	memory_free(t->dirs);
	t->dirs = (struct dir **)dirs.p;
	t->ndirs = dirs.n;
	return 0;
}

struct dir *tree_dir(const struct tree *t, u64 i)
{
	tree_pass(t, t->dirs[i]);
	return t->dirs[i];
}

struct node *tree_next(const struct tree *t, struct tree_walk *walk)
{
	for (; walk->next_dir < t->ndirs; walk->next_dir++, walk->next = 0) {
		walk->dir = walk->next ? walk->dir : tree_dir(t, walk->next_dir);
		if (walk->next < walk->dir->count)
			return &walk->dir->nodes[walk->next++];
	}
	return NULL;
}

int tree_init(struct tree *t, const char *source, u64 memory)
{
	*t = (struct tree){ .source = source, .root.name = (char *)"" };
	t->overflow = malloc(sizeof(*t->overflow));
	if (!t->overflow)
		return -ENOMEM;
	overflow_init(t->overflow, memory / TREE_SHARE);
	t->arena.overflow = t->overflow;
	t->dir_arena.overflow = t->overflow;
	t->dir_arena.scattered = true;
	t->sparse.size = sizeof(struct sparse);
	spool_init(&t->extents, spool_memory(memory));
	spool_init(&t->chunks, spool_memory(memory));
	t->packed.size = sizeof(struct packed);
	spool_init(&t->units, spool_memory(memory));
	if (owners_init(&t->owners) || xsets_init(&t->xsets, t->overflow))
		return -ENOMEM;
	t->root_dir = node_new_dir(&t->arena, &t->root, NULL);
	return t->root_dir ? 0 : -ENOMEM;
}

void tree_free(struct tree *t)
{
	owners_free(&t->owners);
	xsets_free(&t->xsets);
	arena_free(&t->arena);
	arena_free(&t->dir_arena);
	if (t->overflow)
		overflow_free(t->overflow);
	free(t->overflow);
	array_free(&t->sparse);
	spool_free(&t->extents);
	spool_free(&t->chunks);
	array_free(&t->packed);
	spool_free(&t->units);
	memory_free(t->dirs);
}
