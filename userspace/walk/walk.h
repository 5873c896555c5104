/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks over the tree of a generation.
 *
 * The folder has what every tool needs that shows or writes a whole tree: the walk over one
 * generation or two, its filter, look-up of one object, attributes with whole names, the
 * counting of errors, what differs, and the digest.
 */
#ifndef WALK_H
#define WALK_H

#include "imagemsg.h"
#include "json.h"
#include "listing.h"

#define ERRORS_KINDS	16

/**
 * struct errors - errors that were met
 * @count: objects that could not be shown, or not as a whole
 * @per_kind: errors of a kind that are printed; 0: all
 * @hidden: errors that were not printed
 * @kinds: met so far: what failed, and how often; the last one stands for more
 */
struct errors {
	u64 count;
	u64 per_kind;
	u64 hidden;
	struct {
		const char *what;
		u64 count;
	} kinds[ERRORS_KINDS];
};

/**
 * struct view - a generation that is looked at
 * @img: the image, with that generation
 * @errors: where errors are counted, of several views maybe
 * @links: objects of several names that the walk has met
 * @one_of_two: messages tell the generation
 */
struct view {
	struct image img;
	struct dsfs_source *src;
	struct errors *errors;
	struct listing_links links;
	bool one_of_two;
};

/**
 * view_count - count an error
 * @what: its kind; not copied
 *
 * Return: whether to print it.
 */
bool view_count(struct view *v, const char *what);

/** view_error - count an error, and print the object and the error; @err: or NULL */
void view_error(struct view *v, const char *path, const char *what, int ret,
		const struct dsfs_err *err);

/** view_hidden - print how many errors were not printed, if any */
void view_hidden(const struct view *v, const char *path);

/** view_find - look up a path, or an inode number.  Return: 0, or -1 after a message. */
int view_find(struct view *v, const char *path, struct image_node *node);

/** view_find_regular - the same for a regular file */
int view_find_regular(struct view *v, const char *path, struct image_node *node);

/**
 * struct walk_entry - an object of a walk
 * @path: from the root, "/" first
 * @name: last component of @path, "" for the root
 * @first: the path that the walk met the object by before; NULL: this is the first one
 * @ino: number of the entry, maybe of a hard-link entry
 * @node: never a hard-link entry
 */
struct walk_entry {
	const char *path;
	const char *name;
	const char *first;
	u32 ino;
	struct image_node node;
};

/** view_is_lost - whether the first name of an object was left out: an error of a further name */
bool view_is_lost(struct view *v, const struct walk_entry *e);

/**
 * struct walk_ops - operations of a walk
 * @enter: called for every object, for a directory before its entries; a
 *	directory for which it returns 1 is left out; negative: stop
 * @leave: called for a directory behind its entries, if @enter returned 0
 * @dirs_only: nothing else is looked at
 */
struct walk_ops {
	int (*enter)(void *arg, const struct walk_entry *e);
	int (*leave)(void *arg, const struct walk_entry *e);
	bool dirs_only;
};

struct filter;

/**
 * view_walk - visit objects, depth first, in the order of names
 * @f: what is selected; NULL: everything
 *
 * A directory above selected objects is entered just before the first of them.  With
 * @ops->dirs_only its content is not read, so all directories are entered that may have some.
 * An unreadable object is reported with view_error() and left out.
 *
 * Return: 0, -ENOMEM, -EUCLEAN if the tree has more names than inodes, or what an operation
 * returned to stop.
 */
int view_walk(struct view *v, struct filter *f, const struct walk_ops *ops, void *arg);

/** view_walk_at - the same of what is at a path, and of all below it; also -ENOENT, said */
int view_walk_at(struct view *v, const char *path, const struct walk_ops *ops, void *arg);

typedef int walk_two_fn(void *arg, const struct walk_entry *from, const struct walk_entry *to);

/**
 * view_walk_two - the same for two generations at once
 * @enter: gets an object in those that have it; NULL: the other one has not
 */
int view_walk_two(struct view *from, struct view *to, walk_two_fn *enter, void *arg);

/** xattr_list_json - the member "xattrs" of an object, if there are any */
void xattr_list_json(const struct node_xattrs *list, struct json *j);

/**
 * view_xattrs - the attributes of an object; an error is reported, and leaves none
 *
 * Return: 0, or the error.
 */
int view_xattrs(struct view *v, const char *path, const struct image_node *node,
		struct node_xattrs *list);

/**
 * view_target - the target of a symlink; an error is reported
 * @target: DSFS_SYMLINK_MAX + 1 bytes; empty after an error
 *
 * Return: 0, or the error.
 */
int view_target(struct view *v, const char *path, const struct image_node *node, char *target);

/* A member of a report; as text it is a line: @label, and @text as listing_escape() writes it. */
static inline void show_text(struct json *j, const char *key, const char *label, const char *text)
{
	if (j) {
		json_str(j, key, text);
		return;
	}
	fputs(label, stdout);
	listing_escape(stdout, text, strlen(text));
	putchar('\n');
}

#endif /* WALK_H */
