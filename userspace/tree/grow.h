/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tree that is made of paths, in any order, as archives and manifests have them.
 *
 * The nodes of a directory are in an array that grows, and are sorted at the end.  Until then a
 * directory is found by its name, and a file only if the source asks for that: it costs 16 bytes
 * and a slot of the table.  Such a source has the nodes itself, where they do not move, and the
 * array is made at the end.
 */
#ifndef DSFS_GROW_H
#define DSFS_GROW_H

#include "arena.h"
#include "hash.h"
#include "tree.h"

#define GROW_FIXED	UINT32_MAX

/**
 * struct grow_dir - a directory, which begins with that of the tree
 * @at: index of its node in its parent's, up to grow_end(); GROW_FIXED: the node does not move
 * @number: of it in grow.dirs
 * @room: nodes that there is memory for; 0: they are settled, in the arena
 * @left: the path after one of its names was in another directory
 * @said: the source has given its attributes
 */
struct grow_dir {
	struct dir dir;
	u32 at;
	u32 number;
	u32 room;
	bool said;
	bool left;
};

/**
 * struct grow_rules - what differs between sources
 * @find_files: files are found by their names, too, and added by grow_put()
 * @plain: set the attributes of a directory that the source has not given; 0 or -errno
 * @twice: a name came again: @a before @b; of a source with @find_files it does not
 * @take: with @find_files: all names are there: make @n of the node @from, of which it is a copy;
 *	0 or -errno
 */
struct grow_rules {
	bool find_files;
	int (*plain)(void *source, struct node *n);
	void (*twice)(void *source, const struct dir *dir, const struct node *a,
		      const struct node *b);
	int (*take)(void *source, struct node *n, struct node *from);
};

/**
 * struct grow - a tree that is being made
 * @source: of @rules
 * @now: node.source of the names that are new
 * @dirs: struct grow_dir *, the root first
 * @names: struct grow_name, what is found by its name
 * @table: of @names: index plus one
 * @arena: memory of @names
 * @last: directory of the last path; NULL: none
 * @sorted: no directory is come back to from now on
 */
struct grow {
	struct tree *tree;
	const struct grow_rules *rules;
	void *source;
	u32 now;
	struct array dirs;
	struct blocks names;
	struct hash table;
	struct arena arena;
	struct grow_dir *last;
	bool sorted;
};

static inline struct grow_dir *grow_dir_at(const struct grow *g, size_t i)
{
	return ((struct grow_dir **)g->dirs.p)[i];
}

/* The node of a directory, up to the next name of its parent. */
static inline struct node *grow_node(const struct grow_dir *d)
{
	return d->dir.parent && d->at != GROW_FIXED ? &d->dir.parent->nodes[d->at] : d->dir.self;
}

/* Begin with the root.  Return: 0 or -ENOMEM. */
int grow_init(struct grow *g, struct tree *t, const struct grow_rules *rules, void *source);
/* Free all, nodes among it: when the tree is not used any more. */
void grow_free(struct grow *g);

/* Find a name; NULL: there is none.  Valid up to the next name of the directory. */
struct node *grow_find(const struct grow *g, const struct grow_dir *d, const char *name,
		       size_t len);
/* Add a name that is not there yet.  Return: its node; NULL: out of memory. */
struct node *grow_add(struct grow *g, struct grow_dir *d, const char *name, size_t len);
/*
 * The same of a source with @find_files: @n is the node, where it stays up to grow_end().  0 or
 * -ENOMEM.
 */
int grow_put(struct grow *g, struct grow_dir *d, struct node *n, const char *name, size_t len);
/* Let the node of a file lose its name to another one. */
void grow_replace(struct grow *g, const struct grow_dir *d, const struct node *was, struct node *n);
/* Let it lose its name to a new directory, of a source with @find_files.  NULL: no memory. */
struct grow_dir *grow_dir_over(struct grow *g, struct grow_dir *parent, const struct node *was);
/* Find or make a directory.  Return: NULL: errno is ENOMEM, or ENOTDIR. */
struct grow_dir *grow_dir(struct grow *g, struct grow_dir *parent, const char *name, size_t len);

/**
 * grow_walk - find or make the directory of a path
 * @path: below @base
 * @name: set to the last name, of @len bytes; 0: the path is that of the directory itself.
 *	After an error: the name that is wrong
 *
 * Return: as grow_dir() does; NULL, too: errno is EINVAL for "..", or ENAMETOOLONG.
 */
struct grow_dir *grow_walk(struct grow *g, struct grow_dir *base, const char *path,
			   const char **name, size_t *len);

/* All names are there: give each directory attributes, and sort.  Return: 0 or -errno. */
int grow_end(struct grow *g);

#endif /* DSFS_GROW_H */
