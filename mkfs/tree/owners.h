/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owners: pairs of user and group, numbered as they are met.
 */
#ifndef MKFS_OWNERS_H
#define MKFS_OWNERS_H

#include <pthread.h>

#include "array.h"
#include "dsfs_platform.h"
#include "hash.h"

#define OWNER_EXTRA	U32_MAX		/* in an extra record */

/**
 * struct owner - a pair
 * @final: number in the image plus one, or OWNER_EXTRA; 0: not laid out yet
 */
struct owner {
	u32 uid;
	u32 gid;
	u32 final;
};

struct owners {
	pthread_mutex_t lock;
	struct array list;	/* struct owner */
	struct hash numbers;	/* number plus one */
};

int owners_init(struct owners *o);
void owners_free(struct owners *o);
/* Number of a pair, or -ENOMEM. Thread-safe. */
s64 owners_get(struct owners *o, u32 uid, u32 gid);

static inline struct owner *owners_at(const struct owners *o, u32 number)
{
	return (struct owner *)o->list.p + number;
}

#endif /* MKFS_OWNERS_H */
