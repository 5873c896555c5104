// SPDX-License-Identifier: GPL-2.0
/*
 * Owners.  An inode record has 16 bits for its owner, which is enough for
 * any data set but not for any tree: what does not fit in the table goes to a
 * side record, so the numbers here are wider than those in the image.
 *
 * The numbers given here depend on which thread came first; the image's do
 * not (plan/layout.c gives those, in the order of inodes).
 */
#include <stdlib.h>

#include "owners.h"

int owners_init(struct owners *o)
{
	pthread_mutex_init(&o->lock, NULL);
	o->list = (struct array){ .size = sizeof(struct owner) };
	o->mask = 255;
	o->slots = calloc(o->mask + 1, sizeof(*o->slots));
	return o->slots ? 0 : -ENOMEM;
}

void owners_free(struct owners *o)
{
	pthread_mutex_destroy(&o->lock);
	array_free(&o->list);
	free(o->slots);
}

static u32 *owners_slot(const struct owners *o, u32 uid, u32 gid)
{
	u64 key = (u64)uid << 32 | gid;
	size_t i = XXH3_64bits(&key, sizeof(key)) & o->mask;

	for (; o->slots[i]; i = (i + 1) & o->mask) {
		const struct owner *own = owners_at(o, o->slots[i] - 1);

		if (own->uid == uid && own->gid == gid)
			break;
	}
	return &o->slots[i];
}

static int owners_grow(struct owners *o)
{
	size_t size = (o->mask + 1) * 2;
	u32 *more = calloc(size, sizeof(*more));

	if (!more)
		return -ENOMEM;
	free(o->slots);
	o->slots = more;
	o->mask = size - 1;
	for (u32 i = 0; i < o->list.n; i++) {
		const struct owner *own = owners_at(o, i);

		*owners_slot(o, own->uid, own->gid) = i + 1;
	}
	return 0;
}

static s64 owners_get_locked(struct owners *o, u32 uid, u32 gid)
{
	u32 *slot = owners_slot(o, uid, gid);
	struct owner *own;

	if (*slot)
		return *slot - 1;
	if (o->list.n * 2 > o->mask) {
		if (owners_grow(o))
			return -ENOMEM;
		slot = owners_slot(o, uid, gid);
	}
	own = array_add(&o->list);
	if (!own)
		return -ENOMEM;
	own->uid = uid;
	own->gid = gid;
	*slot = o->list.n;
	return *slot - 1;
}

s64 owners_get(struct owners *o, u32 uid, u32 gid)
{
	s64 ret;

	pthread_mutex_lock(&o->lock);
	ret = owners_get_locked(o, uid, gid);
	pthread_mutex_unlock(&o->lock);
	return ret;
}
