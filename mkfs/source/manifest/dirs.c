// SPDX-License-Identifier: GPL-2.0
/*
 * Directories of a manifest by path.  Lines come in any order, so the nodes of
 * each directory are collected in a growing array.
 */
#include <stdlib.h>

#include "format.h"
#include "manifest.h"

void *manifest_keep(struct manifest *m, size_t bytes, size_t align)
{
	void *p = arena_alloc(&m->src.tree->arena, bytes, align);

	if (p)
		memset(p, 0, bytes);
	return p;
}

static u64 dir_hash(const struct mdir *parent, const char *name, size_t len)
{
	return xxh64(name, len, (uintptr_t)parent);
}

static u64 hash_dir(const void *manifest, u64 number)
{
	const struct mdir *d = manifest_dir_at(manifest, number - 1);

	return dir_hash(d->parent, node_name(&d->self), node_len(&d->self));
}

int manifest_dirs_init(struct manifest *m)
{
	m->dirs.size = sizeof(struct mdir *);
	m->dir_numbers = (struct hash){ .of = hash_dir, .ctx = m };
	if (hash_init(&m->dir_numbers, 0))
		return -ENOMEM;
	m->root = manifest_new_dir(m, NULL, "", 0);
	return m->root ? 0 : -ENOMEM;
}

struct mdir *manifest_new_dir(struct manifest *m, struct mdir *parent,
			      const char *name, size_t len)
{
	struct mdir *d = manifest_keep(m, sizeof(*d), 8), **slot;

	if (!d)
		return NULL;
	d->parent = parent;
	d->first_line = manifest_line(m);
	d->dir = parent ? manifest_keep(m, sizeof(*d->dir), 8) : m->src.tree->root_dir;
	if (!d->dir || node_set_name(&m->src.tree->arena, &d->self, name, len))
		return NULL;
	slot = array_add(&m->dirs);
	if (!slot)
		return NULL;
	*slot = d;
	if (parent) {
		d->dir->parent = parent->dir;
		d->dir->slot = -1;
	}
	return d;
}

static struct mdir *get_dir(struct manifest *m, struct mdir *parent,
			    const char *name, size_t len)
{
	const u64 hash = dir_hash(parent, name, len);
	size_t cursor = 0;
	struct mdir *d;
	u64 number;

	while ((number = hash_next(&m->dir_numbers, hash, &cursor))) {
		d = manifest_dir_at(m, number - 1);
		if (d->parent == parent && node_len(&d->self) == len &&
		    !memcmp(node_name(&d->self), name, len))
			return d;
	}
	d = manifest_new_dir(m, parent, name, len);
	return d && !hash_add(&m->dir_numbers, hash, m->dirs.n) ? d : NULL;
}

struct mdir *manifest_dir(struct manifest *m, const char *path, size_t len)
{
	struct mdir *d = m->root;
	size_t at = 0;
	char *last;

	if (m->last_dir && len == m->last_len && !memcmp(path, m->last, len))
		return m->last_dir;
	while (d && at < len) {
		const char *name = path + at + 1;
		size_t n = strchrnul(name, '/') - name;

		if (n > len - at - 1)
			n = len - at - 1;
		d = get_dir(m, d, name, n);
		at += n + 1;
	}
	last = d ? realloc(m->last, len + 1) : NULL;
	if (!last)
		return NULL;
	memcpy(last, path, len);
	m->last = last;
	m->last_len = len;
	m->last_dir = d;
	return d;
}

struct node *manifest_add_node(struct mdir *d)
{
	struct dir *dir = d->dir;
	struct node *n;

	if (dir->count == d->cap) {
		u64 cap = d->cap ? d->cap + d->cap / 2 : 8;

		if (cap > DSFS_MAX_INODES)
			return NULL;
		n = realloc(dir->nodes, cap * sizeof(*n));
		if (!n)
			return NULL;
		dir->nodes = n;
		d->cap = cap;
	}
	n = &dir->nodes[dir->count++];
	memset(n, 0, sizeof(*n));
	return n;
}
