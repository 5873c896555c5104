/* SPDX-License-Identifier: GPL-2.0 */
/* What an edit knows of names up to its end: shared by edit.c, edit_add.c and edit_end.c. */
#ifndef DSFS_EDIT_NAMES_H
#define DSFS_EDIT_NAMES_H

#include "edit.h"

/* Errors of which each is told; a batch may have as many as lines */
#define EDIT_TOLD	20

/**
 * struct edit_name - a name at its new place
 * @line: of the operation
 * @from: the node that has its content, once it is stored; NULL: that is @node itself
 */
struct edit_name {
	struct node node;
	struct dir *dir;
	u32 line;
	const struct node *from;
};

/* A file with several names */
struct edit_file {
	u64 dev;
	u64 ino;
};

/* What was set of it: the attributes of @node count. */
struct edit_linked {
	struct edit_file file;
	struct node node;
};

static inline struct edit_file edit_file_of(const struct node *n)
{
	return (struct edit_file){ n->u.link->dev, n->u.link->ino };
}

/**
 * struct edit_at - what a path leads to
 * @dir: directory of the last name, whose node is @above; NULL: the path is that of the root
 * @node: NULL: it is not there
 * @name: the last one, @len bytes
 */
struct edit_at {
	struct dir *dir;
	struct node *above;
	struct node *node;
	const char *name;
	size_t len;
};

/*
 * edit.c: the steps of operations.  What is wrong is said and counted, a lack of memory, too.
 *
 * Find a path, the last name of which may be missing, and with @make all others, which are made.
 */
bool edit_find(struct edit *e, const char *path, struct edit_at *at, bool make);
/* A name of a directory as it is now; @gone: set to one that was there; NULL if none was */
struct node *edit_find_name(const struct edit *e, const struct dir *d, const char *name,
			    size_t len, const struct node **gone);
/* Let a directory have a name that leads to what @n says.  NULL: out of memory. */
struct edit_name *edit_put(struct edit *e, const struct node *n, const struct edit_at *to);
/* Take a name away, for this operation; @moved: to another place */
void edit_take(struct edit *e, const struct edit_at *at, bool moved);

static inline struct edit_name *added_at(const struct edit *e, size_t i)
{
	return ((struct edit_name **)e->added.p)[i];
}

#endif /* DSFS_EDIT_NAMES_H */
