/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading the extended attributes of files.
 */
#ifndef MKFS_XATTR_H
#define MKFS_XATTR_H

#include "../tree/xsets.h"

struct dsfs_err;

#define XATTR_WHY	1536	/* bytes of a message */

/**
 * struct xattr_item - an attribute of a set
 * @full: as listed; of an archive: not used
 * @name: without prefix; @len bytes of it
 * @value: of an archive; else it is read when the set is made
 */
struct xattr_item {
	const char *full;
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
 * xattr_check - whether an image may have an attribute
 * @value: @value_len bytes
 * @mode: of the inode
 * @why: XATTR_WHY bytes; gets the attribute's name and what is wrong
 *
 * All sources ask this, so that what they pack is by the rules of the format.
 * Return: 0 or -EINVAL.
 */
int xattr_check(const struct xattr_item *it, const void *value, size_t value_len, u32 mode,
		char *why);

/**
 * xattr_set_make - the set of attributes whose values are in memory
 * @items: struct xattr_item; they get their order
 * @mode: of the inode
 * @buf: kept for the next set; to be freed
 * @number: set to the set's number, 0 for no attributes
 * @acl: set if it holds an ACL
 * @why: as of xattr_check()
 *
 * Of a name that is there twice the one counts whose value is behind the other's.
 * Return: 0, -EINVAL: @why says what the format has no room for, or -ENOMEM.
 */
int xattr_set_make(struct xsets *x, struct array *items, u32 mode, char **buf, u32 *number,
		   bool *acl, char *why);

/* The same rules, of a set that an image has; 0 or -errno. */
int xattr_set_check(const void *set, u32 bytes, u32 mode, struct dsfs_err *err);

/* What one thread needs to read a set. */
struct xattr_reader {
	char *list;
	char *value;
	char *set;
	struct xattr_item *items;
	size_t nitems;
	size_t ignored;		/* attributes with a prefix that the format lacks */
};

int xattr_reader_init(struct xattr_reader *r);
void xattr_reader_free(struct xattr_reader *r);

/**
 * xattr_read - read the set of a file
 * @path: not followed if it is a symlink
 * @mode: of the file
 * @number: set to the set's number, 0 for no attributes
 * @acl: set if it holds an ACL
 *
 * Return: 0, -E2BIG for a set over DSFS_XATTR_SET_MAX, -EUCLEAN for what no file can have, or
 * another -errno.
 */
int xattr_read(struct xsets *x, struct xattr_reader *r, const char *path, u32 mode,
	       u32 *number, bool *acl);

#endif /* MKFS_XATTR_H */
