/* SPDX-License-Identifier: GPL-2.0 */
/* dump.dsfs: declarations for its source files. */
#ifndef DUMP_H
#define DUMP_H

#include <stdio.h>

#include "image.h"
#include "json.h"
#include "listing.h"

#define DUMP_KINDS	16

/**
 * struct dump - state of the tool
 * @errors: number of objects that could not be shown
 * @per_kind: number of errors of a kind that are printed; 0: all
 * @hidden: number of errors that were not printed
 * @kinds: met so far: what failed, and how often; the last one stands for more
 */
struct dump {
	struct image img;
	struct dsfs_source *src;
	bool as_json;
	bool no_data;
	struct json j;
	u64 errors;
	u64 per_kind;
	u64 hidden;
	struct {
		const char *what;
		u64 count;
	} kinds[DUMP_KINDS];
};

/**
 * dump_count - count an error
 * @what: its kind; not copied
 *
 * Return: whether to print it.
 */
bool dump_count(struct dump *d, const char *what);

/** dump_error - count an error, and print the object and the error */
void dump_error(struct dump *d, const char *path, const char *what, int ret,
		const struct dsfs_err *err);

/** dump_hidden - say how many errors were not printed, if any */
void dump_hidden(const struct dump *d, const char *path);

/**
 * struct walk_entry - an object of a walk
 * @path: from the root, "/" first
 * @name: last component of @path, "" for the root
 * @ino: number of the entry, maybe of a hard-link entry
 * @node: never a hard-link entry; unset for what is no directory if only those
 *	are wanted
 */
struct walk_entry {
	const char *path;
	const char *name;
	u32 ino;
	struct image_node node;
};

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

/**
 * walk - visit all objects, depth first, in the order of names
 *
 * An unreadable object is reported with dump_error() and left out.
 *
 * Return: 0, -ENOMEM, or what an operation returned to stop.
 */
int walk(struct dump *d, const struct walk_ops *ops, void *arg);

/**
 * struct xattr_list - extended attributes of an inode, with whole names
 * @set: memory that the values point to, if it is the list's own
 */
struct xattr_list {
	struct listing_xattr *v;
	size_t count;
	void *set;
};

/** xattr_list_decode - the attributes of a set; @list: zeros, or with @set alone */
int xattr_list_decode(const void *set, u32 bytes, struct xattr_list *list,
		      struct dsfs_err *err);
int xattr_list_get(struct dump *d, const struct image_node *node,
		   struct xattr_list *list, struct dsfs_err *err);
void xattr_list_free(struct xattr_list *list);

struct filter;

/* Commands of the options; each returns 0, or -1 after a message. */
int dump_supers(struct dump *d);
int dump_generation(struct dump *d);
int dump_regions(struct dump *d);
int dump_generations(struct dump *d);
int dump_path(struct dump *d, const char *path);
int dump_dir(struct dump *d, const char *path);
int dump_extents(struct dump *d, const char *path);
int dump_list(struct dump *d);
int dump_manifest(struct dump *d);
int dump_extract(struct dump *d, const char *dir, struct filter *f, bool resume);
int dump_cat(struct dump *d, const char *path);

/** dump_find - look up a path, or an inode number; prints errors */
int dump_find(struct dump *d, const char *path, struct image_node *node);

/** dump_find_regular - the same for a regular file */
int dump_find_regular(struct dump *d, const char *path, struct image_node *node);

#endif /* DUMP_H */
