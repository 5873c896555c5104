/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operations on the tree of an image, by paths: what is removed, moved, set and added.  Each one
 * sees what those before it did.  Nothing is written here: one that is wrong has changed nothing.
 */
#ifndef DSFS_EDIT_H
#define DSFS_EDIT_H

#include "tree.h"
#include "xattr_set.h"

/**
 * struct edit_attrs - attributes that a name gets
 * @mode: of the lower twelve bits, if @set_mode
 * @uid, @gid: if @set_uid, @set_gid
 * @mtime: if @set_mtime
 * @xattrs: struct xattr_item, the name with its prefix; no value: it is taken away
 */
struct edit_attrs {
	u32 mode;
	u32 uid;
	u32 gid;
	s64 mtime;
	struct array xattrs;
	bool set_mode;
	bool set_uid;
	bool set_gid;
	bool set_mtime;
};

/**
 * struct edit - operations
 * @list: file that they are in, for messages; NULL: they are on the command line
 * @line: number of the one that is done now
 * @touch: directories whose names change get the time @now
 * @added: struct edit_name *: names that were moved, at their new places
 * @names: finds them: index plus one
 * @linked: struct edit_linked: what was set of files with several names
 * @set: for the sets of xattrs
 * @lenient: what is wrong with an operation is not told, and does not count
 * @errors, @removed, @moved, @changed: how many; @taken: nodes that are not where they were
 * @put: names that came, of all that is added; @had: those of before
 * @subset: edit_keep() was called
 */
struct edit {
	struct tree *tree;
	const char *list;
	u32 line;
	bool touch;
	bool subset;
	bool lenient;
	s64 now;
	struct array added;
	struct hash names;
	struct table linked;
	struct xattr_list items;
	char *set;
	u64 errors;
	u64 removed;
	u64 moved;
	u64 taken;
	u64 changed;
	u64 put;
	u64 had;
};

/*
 * Begin with the tree that tree_load() made; its lists are not ordered yet.  edit_free() in any
 * case.  Return: 0 or -ENOMEM.
 */
int edit_begin(struct edit *e, struct tree *t);
void edit_free(struct edit *e);

/*
 * What is wrong with an operation is said and counted; the ones behind it are looked at, too.
 * Return: 0, or -ENOMEM without a message.
 */
int edit_remove(struct edit *e, const char *path, bool recursive);
/* @to: the new path, which is not there */
int edit_move(struct edit *e, const char *from, const char *to);
int edit_set(struct edit *e, const char *path, const struct edit_attrs *attrs);
/* Of all names, only those with such a path stay, with what is below them and above. */
int edit_keep(struct edit *e, const char *path);

/**
 * edit_add - give the tree what a source has
 * @from: a node of the source's tree, which has to stay
 * @to: a file is to be there; of a directory, the names in it are to be in this one.
 *	Directories that are missing are made
 * @replace: what is there gives way to a file, and a directory that is there gets the attributes
 *
 * The contents may be stored afterwards, up to edit_end(): the source's tree stays as it is.
 */
int edit_add(struct edit *e, const struct node *from, const char *to, bool replace);

/* edit_is_dir - whether a path is that of a directory; no message */
bool edit_is_dir(struct edit *e, const char *path);

/**
 * edit_say - say what is wrong with the operation that is done now
 * @path: NULL: with a line that is none
 *
 * Return: 0, as the functions above do.
 */
__printf(3, 4)
int edit_say(struct edit *e, const char *path, const char *fmt, ...);

/**
 * edit_match - paths that match a pattern, in the tree as it was loaded
 * @paths: char *, to be freed, get more
 *
 * A pattern that matches nothing is said, and counted.
 * Return: 0 or -ENOMEM.
 */
int edit_match(struct edit *e, const char *pattern, struct array *paths);

/**
 * edit_end - make the tree of all that was done, and order it
 *
 * Messages are written.  Return: 0; -EINVAL: an operation was wrong; -ENOMEM.
 */
int edit_end(struct edit *e);

#endif /* DSFS_EDIT_H */
