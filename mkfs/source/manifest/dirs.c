// SPDX-License-Identifier: GPL-2.0
/*
 * Directories of a manifest by path.  Lines come in any order, so the nodes of each directory
 * are collected in an array that grows.
 */
#include <stdlib.h>

#include "format.h"
#include "manifest.h"

static u64 name_hash(const struct mdir *parent, const char *name, size_t len)
{
	return xxh64(name, len, (uintptr_t)parent);
}

u64 manifest_dir_hash(const void *ctx, u64 value)
{
	const struct mdir *d = (const struct mdir *)(uintptr_t)value;

	(void)ctx;
	return name_hash(d->parent, node_name(&d->self), node_len(&d->self));
}

struct mdir *manifest_new_dir(struct manifest *m, struct mdir *parent, const char *name, size_t len)
{
	struct arena *a = &m->src.tree->arena;
	struct mdir *d = arena_zalloc(a, sizeof(*d)), **slot;

	if (!d || node_set_name(a, &d->self, name, len))
		return NULL;
	d->parent = parent;
	d->first_line = m->line;
	d->dir = parent ? node_new_dir(a, &d->self, parent->dir) : m->src.tree->root_dir;
	slot = d->dir ? array_add(&m->dirs) : NULL;
	if (!slot)
		return NULL;
	*slot = d;
	return d;
}

static struct mdir *get_dir(struct manifest *m, struct mdir *parent, const char *name, size_t len)
{
	const u64 hash = name_hash(parent, name, len);
	size_t cursor = 0;
	struct mdir *d;

	while ((d = (struct mdir *)(uintptr_t)hash_next(&m->dirs_by_name, hash, &cursor))) {
		if (d->parent == parent && node_len(&d->self) == len &&
		    !memcmp(node_name(&d->self), name, len))
			return d;
	}
	d = manifest_new_dir(m, parent, name, len);
	return d && !hash_add(&m->dirs_by_name, hash, (uintptr_t)d) ? d : NULL;
}

struct mdir *manifest_dir(struct manifest *m, const char *path, size_t len)
{
	const char *at = path, *end = path + len;
	struct mdir *d = manifest_dir_at(m, 0);
	char *last;

	if (m->last_dir && len == m->last_len && !memcmp(path, m->last, len))
		return m->last_dir;
	while (d && at < end) {
		const char *name = at + 1, *slash = memchr(name, '/', end - name);

		at = slash ? slash : end;
		d = get_dir(m, d, name, at - name);
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

		n = cap > DSFS_MAX_INODES ? NULL : realloc(dir->nodes, cap * sizeof(*n));
		if (!n)
			return NULL;
		dir->nodes = n;
		d->cap = cap;
	}
	n = &dir->nodes[dir->count++];
	*n = (struct node){ 0 };
	return n;
}
