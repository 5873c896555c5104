/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owners: pairs of user and group, numbered in the order of their appearance.
 */
#ifndef MKFS_OWNERS_H
#define MKFS_OWNERS_H

#include <pthread.h>

#include "dsfs_platform.h"
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

#endif /* MKFS_OWNERS_H */
