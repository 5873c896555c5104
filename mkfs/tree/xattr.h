/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of extended attributes, each kept once, in the form of the image.
 */
#ifndef MKFS_XATTR_H
#define MKFS_XATTR_H

#include <pthread.h>

#include "tree.h"

/**
 * struct xset - a set
 * @p: struct dsfs_xattr_set and what follows
 * @off: place in XATTRS, given by meta.c
 */
struct xset {
	char *p;
	u64 hash;
	u64 off;
	u32 bytes;
	bool placed;
};

struct xsets {
	pthread_mutex_t lock;
	struct array list;	/* struct xset; set number n is n - 1 here */
	struct arena arena;
	u32 *slots;
	size_t mask;
};

int xsets_init(struct xsets *x);
void xsets_free(struct xsets *x);

/* Number of a set in the form of the image.  Lock held, or one thread.  0 or -ENOMEM. */
int xsets_get(struct xsets *x, const void *p, u32 bytes, u32 *number);

static inline struct xset *xsets_at(const struct xsets *x, u32 number)
{
	return (struct xset *)x->list.p + number - 1;
}

/* What one thread needs to read a set. */
struct xattr_reader {
	char *list;
	char *value;
	char *set;
	struct xattr_item *items;
	size_t nitems;
	size_t ignored;		/* attributes of a kind that the format has not */
};

int xattr_reader_init(struct xattr_reader *r);
void xattr_reader_free(struct xattr_reader *r);

/**
 * xattr_read - the set of a file
 * @path: not followed if it is a symlink
 * @number: set to the set's number, 0 for no attributes
 * @acl: set if it holds an ACL
 *
 * Return: 0, -E2BIG for a set over DSFS_XATTR_SET_MAX, or -errno.
 */
int xattr_read(struct xsets *x, struct xattr_reader *r, const char *path,
	       u32 *number, bool *acl);

#endif /* MKFS_XATTR_H */
