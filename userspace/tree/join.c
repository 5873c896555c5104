// SPDX-License-Identifier: GPL-2.0
/*
 * Several trees become one.  Directories of one path are merged, all of them at once: pairs would
 * copy what the first ones have again and again.  The nodes that were loaded are many times
 * what memory has, and not used again, so they go when all are copied.
 */
#include "base.h"
#include "format.h"
#include "msg.h"

#define TOLD	10

/**
 * struct member - a directory of a tree
 * @n: of the first one of a path: how many have it, who follow
 */
struct member {
	struct dir *dir;
	u32 tree;
	u32 n;
};

/* The names of a directory that are not merged yet */
struct unmerged {
	const struct node *at;
	const struct node *end;
	u32 tree;
};

/**
 * struct join - the merging
 * @queue: struct member
 * @heap: struct unmerged, @n of them: the least one first, by name and then by tree
 * @from, @member: of the last name: the tree that it is of, and in @queue if it is a directory
 */
struct join {
	struct tree *t;
	const char *const *trees;
	struct array queue;
	struct unmerged *heap;
	u32 n;
	u32 from;
	size_t member;
	u64 errors;
};

static bool before(const struct unmerged *a, const struct unmerged *b)
{
	const int cmp = node_cmp(a->at, b->at);

	return cmp ? cmp < 0 : a->tree < b->tree;
}

static void sift_down(struct join *j, u32 i)
{
	const struct unmerged moved = j->heap[i];
	u32 child;

	for (; (child = 2 * i + 1) < j->n; i = child) {
		if (child + 1 < j->n && before(&j->heap[child + 1], &j->heap[child]))
			child++;
		if (before(&moved, &j->heap[child]))
			break;
		j->heap[i] = j->heap[child];
	}
	j->heap[i] = moved;
}

static struct member *member_at(const struct join *j, size_t i)
{
	return (struct member *)j->queue.p + i;
}

/* Begin with the directories of a path.  Return: how many names they have. */
static u64 begin_dir(struct join *j, const struct member *first)
{
	u64 count = 0;

	j->n = 0;
	for (u32 i = 0; i < first->n; i++) {
		const struct dir *d = first[i].dir;

		overflow_pass(j->t->loaded.overflow, d->count * sizeof(*d->nodes));
		tree_pass(j->t, d);
		count += d->count;
		if (d->count)
			j->heap[j->n++] = (struct unmerged){ d->nodes, d->nodes + d->count,
							  first[i].tree };
	}
	for (u32 i = j->n / 2; i--;)
		sift_down(j, i);
	return count;
}

static void say_twice(struct join *j, const struct dir *d, const struct node *n, u32 tree)
{
	char *path;

	if (j->errors++ >= TOLD)
		return;
	path = tree_path(j->t, d, n, true);
	msg_error(path, "is in %s and in %s", j->trees[j->from], j->trees[tree]);
	free(path);
}

/* A name that is new in the directory */
static int add_name(struct join *j, struct dir *d, struct node *n, const struct unmerged *from)
{
	*n = *from->at;
	j->from = from->tree;
	j->member = j->queue.n;
	if (!S_ISDIR(n->mode))
		return 0;
	n->u.dir->self = n;
	n->u.dir->parent = d;
	return array_append(&j->queue, &(struct member){ n->u.dir, from->tree, 1 });
}

/* A name that it has already: if both are directories, they become one. */
static int add_again(struct join *j, const struct dir *d, const struct node *n,
		     const struct unmerged *from)
{
	if (!S_ISDIR(n->mode) || !S_ISDIR(from->at->mode)) {
		say_twice(j, d, n, from->tree);
		return 0;
	}
	member_at(j, j->member)->n++;
	return array_append(&j->queue, &(struct member){ from->at->u.dir, from->tree, 0 });
}

static int merge_dir(struct join *j, size_t first)
{
	struct dir *d = member_at(j, first)->dir;
	const u64 room = begin_dir(j, member_at(j, first));
	struct node *nodes = arena_alloc(&j->t->arena, room * sizeof(*nodes), 8);
	u32 count = 0;
	int ret = room > DSFS_MAX_INODES ? -EFBIG : nodes ? 0 : -ENOMEM;

	if (!room)
		return 0;
	while (!ret && j->n) {
		struct unmerged *least = &j->heap[0];

		if (count && !node_cmp(&nodes[count - 1], least->at))
			ret = add_again(j, d, &nodes[count - 1], least);
		else
			ret = add_name(j, d, &nodes[count++], least);
		if (++least->at == least->end)
			*least = j->heap[--j->n];
		if (j->n)
			sift_down(j, 0);
	}
	if (ret)
		return ret;
	d->nodes = nodes;
	d->count = count;
	return 0;
}

static int merge_all(struct join *j, const struct node *roots, u32 n)
{
	int ret = 0;

	for (u32 i = 0; !ret && i < n; i++)
		ret = array_append(&j->queue, &(struct member){ roots[i].u.dir, i, i ? 0 : n });
	for (size_t i = 0, of; !ret && i < j->queue.n; i += of) {
		of = member_at(j, i)->n;
		ret = merge_dir(j, i);
	}
	return ret;
}

int tree_join(struct tree *t, const struct node *roots, const char *const *names, u32 n)
{
	struct join j = { .t = t, .trees = names, .queue.size = sizeof(struct member) };
	int ret;

	t->root = roots[0];
	t->root_dir = roots[0].u.dir;
	t->root_dir->self = &t->root;
	j.heap = calloc(n, sizeof(*j.heap));
	ret = j.heap ? merge_all(&j, roots, n) : -ENOMEM;
	free(j.heap);
	array_free(&j.queue);
	if (j.errors > TOLD)
		msg_error(NULL, "%llu more names come twice", j.errors - TOLD);
	ret = ret ?: j.errors ? -EEXIST : tree_order(t);
	if (ret == -EFBIG)
		msg_error(NULL, "too many names: the limit is %llu inodes", DSFS_MAX_INODES);
	return ret == -ENOMEM ? no_memory() : ret;
}
