/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Xattr sets, each stored once, in the form of the image.
 */
#ifndef MKFS_XSETS_H
#define MKFS_XSETS_H

#include <pthread.h>

#include "arena.h"
#include "array.h"
#include "dsfs_platform.h"
#include "dsfs_fs.h"
#include "hash.h"

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

#endif /* MKFS_XSETS_H */
