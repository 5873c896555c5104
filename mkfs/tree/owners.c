// SPDX-License-Identifier: GPL-2.0
/*
 * Owners.  Their numbers here depend on the order of threads; plan/layout.c gives numbers in the
 * order of inodes for the image.
 */
#include "owners.h"

int owners_init(struct owners *o)
{
	pthread_mutex_init(&o->lock, NULL);
	return table_init(&o->table, sizeof(struct owner), offsetof(struct owner, final));
}

void owners_free(struct owners *o)
{
	pthread_mutex_destroy(&o->lock);
	table_free(&o->table);
}

s64 owners_get(struct owners *o, u32 uid, u32 gid)
{
	const struct owner key = { .uid = uid, .gid = gid };
	struct owner *own;
	s64 ret;

	pthread_mutex_lock(&o->lock);
	own = table_find(&o->table, &key) ?: table_add(&o->table, &key);
	ret = own ? own - owners_at(o, 0) : -ENOMEM;
	pthread_mutex_unlock(&o->lock);
	return ret;
}
