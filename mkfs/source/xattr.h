/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading the extended attributes of files.
 */
#ifndef MKFS_XATTR_H
#define MKFS_XATTR_H

#include "../tree/xsets.h"

#define XATTR_SET_SLACK	(DSFS_XATTR_VALUE_MAX + 1024)

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
/* The order in a set. */
int xattr_item_cmp(const void *a, const void *b);
/* An attribute at @at, which has room for it and the padding; its bytes. */
size_t xattr_put(char *at, const struct xattr_item *it, const void *value,
		 u32 value_len);
/* The beginning of a set of @count attributes. */
void xattr_set_head(char *set, u32 bytes, u32 count);

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
