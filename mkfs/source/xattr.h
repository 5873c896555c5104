/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading the extended attributes of files.
 */
#ifndef MKFS_XATTR_H
#define MKFS_XATTR_H

#include "../tree/xsets.h"

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
