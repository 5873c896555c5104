/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owners, pairs of user and group, numbered in the order of their appearance; and xattr sets, each
 * stored once, in the form of the image.
 */
#ifndef DSFS_XSETS_H
#define DSFS_XSETS_H

#include <pthread.h>

#include "arena.h"
#include "array.h"
#include "dsfs_platform.h"
#include "dsfs_fs.h"
#include "hash.h"
#include "table.h"

/**
 * struct owner - a pair of user and group
 * @final: number in the image plus one; 0: not decided yet
 */
struct owner {
	u32 uid;
	u32 gid;
	u32 final;
};

struct owners {
	pthread_mutex_t lock;
	struct table table;	/* struct owner */
};

int owners_init(struct owners *o);
void owners_free(struct owners *o);
/* Number of a pair.  Thread-safe.  Return: the number or -ENOMEM. */
s64 owners_get(struct owners *o, u32 uid, u32 gid);

static inline struct owner *owners_at(const struct owners *o, u32 number)
{
	return (struct owner *)o->table.list.p + number;
}

/**
 * struct xset - an xattr set
 * @p: struct dsfs_xattr_set and its attributes
 * @off: offset in XATTRS, valid once @placed is set
 */
struct xset {
	char *p;
	u64 off;
	u32 bytes;
	bool placed;
};

struct xsets {
	pthread_mutex_t lock;
	struct array list;	/* struct xset; set number n is n - 1 here */
	struct arena arena;
	struct hash numbers;
};

int xsets_init(struct xsets *x, struct overflow *overflow);
void xsets_free(struct xsets *x);

/* Find or add a set.  Called with the lock held, or by one thread.  0 or -ENOMEM. */
int xsets_get(struct xsets *x, const void *p, u32 bytes, u32 *number);

static inline struct xset *xsets_at(const struct xsets *x, u32 number)
{
	return (struct xset *)x->list.p + number - 1;
}

#endif /* DSFS_XSETS_H */
