/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cache of directory descriptors of the source, of bounded size.
 */
#ifndef MKFS_DIRFD_H
#define MKFS_DIRFD_H

#include <pthread.h>

#include "../../tree/tree.h"

#define DIRFD_SLOTS	1024

struct dirfd_slot {
	struct dir *dir;
	int fd;
	u32 users;
	bool recent;
};

struct dirfd_cache {
	pthread_mutex_t lock;
	unsigned int hand;
	unsigned int nslots;
	struct dirfd_slot slots[DIRFD_SLOTS];
};

/**
 * dirfd_init - open the source
 * @threads: number of threads that use directories and files
 * Return: 0 or -errno.
 */
int dirfd_init(struct dirfd_cache *c, struct dir *root, const char *source,
	       unsigned int threads);
void dirfd_free(struct dirfd_cache *c);

/**
 * dirfd_get - get a descriptor of a directory; release it with dirfd_put()
 * Return: the descriptor or -errno.
 */
int dirfd_get(struct dirfd_cache *c, struct dir *dir);
void dirfd_put(struct dirfd_cache *c, struct dir *dir);

#endif /* MKFS_DIRFD_H */
