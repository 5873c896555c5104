// SPDX-License-Identifier: GPL-2.0
/*
 * Owners.  An inode record has 16 bits for its owner, which is enough for any data set but not for
 * any tree.  Further owners are stored in inode extra records, so numbers here are wider than in
 * the image.  They depend on the order of threads; plan/layout.c gives numbers in the order of
 * inodes for the image.
 */
#include "owners.h"

static u64 hash_pair(u32 uid, u32 gid)
{
	u64 key = (u64)uid << 32 | gid;

	return XXH3_64bits(&key, sizeof(key));
}

static u64 hash_owner(const void *owners, u64 number)
{
	const struct owner *own = owners_at(owners, number - 1);

	return hash_pair(own->uid, own->gid);
}

int owners_init(struct owners *o)
{
	pthread_mutex_init(&o->lock, NULL);
	o->list = (struct array){ .size = sizeof(struct owner) };
	o->numbers = (struct hash){ .of = hash_owner, .ctx = o };
	return hash_init(&o->numbers, 0);
}

void owners_free(struct owners *o)
{
	pthread_mutex_destroy(&o->lock);
	array_free(&o->list);
	hash_free(&o->numbers);
}

static s64 owners_get_locked(struct owners *o, u32 uid, u32 gid)
{
	const u64 hash = hash_pair(uid, gid);
	struct owner *own;
	size_t cursor = 0;
	u64 number;

	while ((number = hash_next(&o->numbers, hash, &cursor))) {
		own = owners_at(o, number - 1);
		if (own->uid == uid && own->gid == gid)
			return number - 1;
	}
	own = array_add(&o->list);
	if (!own)
		return -ENOMEM;
	own->uid = uid;
	own->gid = gid;
	if (hash_add(&o->numbers, hash, o->list.n)) {
		o->list.n--;
		return -ENOMEM;
	}
	return o->list.n - 1;
}

s64 owners_get(struct owners *o, u32 uid, u32 gid)
{
	s64 ret;

	pthread_mutex_lock(&o->lock);
	ret = owners_get_locked(o, uid, gid);
	pthread_mutex_unlock(&o->lock);
	return ret;
}
