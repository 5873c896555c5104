/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading the extended attributes of files.
 */
#ifndef MKFS_XATTR_H
#define MKFS_XATTR_H

#include "../tree/xsets.h"

/**
 * struct xattr_item - an attribute of a set
 * @full: as listed; of an archive: not used
 * @name: without prefix
 * @value: of an archive; else it is read when the set is made
 */
struct xattr_item {
	const char *full;
	const char *name;
	const char *value;
	u32 value_len;
	u8 prefix;
	u8 len;
};

/* Which prefix of the format a name has, and what follows it; 0: none. */
u8 xattr_split(const char *full, const char **name);

/**
 * xattr_set_make - the set of attributes whose values are in memory
 * @items: struct xattr_item; they get their order
 * @buf: kept for the next set; to be freed
 * @number: set to the set's number, 0 for no attributes
 * @acl: set if it holds an ACL
 *
 * Of a name that is there twice the one counts whose value is behind the other's.
 * Return: 0, -E2BIG for a set over DSFS_XATTR_SET_MAX, or -ENOMEM.
 */
int xattr_set_make(struct xsets *x, struct array *items, char **buf, u32 *number,
		   bool *acl);

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
 * @number: set to the set's number, 0 for no attributes
 * @acl: set if it holds an ACL
 *
 * Return: 0, -E2BIG for a set over DSFS_XATTR_SET_MAX, or -errno.
 */
int xattr_read(struct xsets *x, struct xattr_reader *r, const char *path,
	       u32 *number, bool *acl);

#endif /* MKFS_XATTR_H */
