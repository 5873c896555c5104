/* SPDX-License-Identifier: GPL-2.0 */
/* Extended attributes of nodes. */
#ifndef MKFS_XATTR_H
#define MKFS_XATTR_H

#include "../tree/tree.h"

struct dsfs_err;

#define XATTR_WHY	1536	/* bytes of a message */

/**
 * struct xattr_item - an attribute of a set
 * @name: without prefix; @len bytes of it
 */
struct xattr_item {
	const char *name;
	const char *value;
	u32 value_len;
	u32 len;
	u8 prefix;
};

/* Which prefix of the format a name has, and what follows it; 0: none. */
u8 xattr_split(const char *full, const char **name);

/**
 * xattr_has_type - whether an inode of a type can have attributes with a prefix
 * @prefix: DSFS_XATTR_*
 * @mode: with the bits of the type
 *
 * Linux has user attributes of files and directories alone, ACLs of all but symlinks, and
 * default ACLs of directories: the VFS sees to that without asking the file system.
 */
bool xattr_has_type(u8 prefix, u32 mode);

/**
 * xattr_set_make - give a node the set of attributes whose values are in memory
 * @items: struct xattr_item; they get their order
 * @buf: kept for the next set; to be freed
 * @n: its mode is set already
 * @why: XATTR_WHY bytes; gets the attribute's name and what is wrong
 *
 * Of a name that is there twice the one counts whose value is behind the other's.
 * Return: 0; -EINVAL, and -E2BIG for a set that is too large: @why says so; -ENOMEM.
 */
int xattr_set_make(struct xsets *x, struct array *items, char **buf, struct node *n, char *why);

/**
 * xattr_acl_mode - the permissions of the access ACL among @items
 *
 * The kernel sets the mode of a file by its ACL, so an image in which they contradict each
 * other is of no tree that was ever there.  An ACL that says no more than a mode is taken
 * out.
 * Return: -1: there is none, or a wrong one, which xattr_set_make() tells.
 */
int xattr_acl_mode(struct array *items, u32 mode);

/* The same rules, of a set that an image has; 0 or -errno. */
int xattr_set_check(const void *set, u32 bytes, u32 mode, struct dsfs_err *err);

/**
 * struct xattr_reader - what one thread needs to read sets
 * @ignored: attributes of kinds that the format has not
 */
struct xattr_reader {
	char *list;
	char *values;
	char *set;
	struct array items;
	size_t ignored;
};

/* Return: 0 or -ENOMEM.  It is to be freed even then. */
int xattr_reader_init(struct xattr_reader *r);
void xattr_reader_free(struct xattr_reader *r);

/**
 * xattr_read - give a node the set of a file
 * @path: not followed if it is a symlink
 * @n: its mode is set already
 *
 * Return: 0, -E2BIG for a set over DSFS_XATTR_SET_MAX, or names over DSFS_XATTR_LIST_MAX, -EUCLEAN
 * for what no file can have, or another -errno.
 */
int xattr_read(struct xsets *x, struct xattr_reader *r, const char *path, struct node *n);

#endif /* MKFS_XATTR_H */
