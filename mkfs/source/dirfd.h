/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Open directories of the source, a bounded number of them.
 */
#ifndef MKFS_DIRFD_H
#define MKFS_DIRFD_H

#include <pthread.h>

#include "../tree/tree.h"

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
 * @threads: that will use directories and files
 * Return: 0 or -errno.
 */
int dirfd_init(struct dirfd_cache *c, struct dir *root, const char *source,
	       unsigned int threads);
void dirfd_free(struct dirfd_cache *c);

/**
 * dirfd_get - a descriptor of a directory, to be given back
 * Return: the descriptor or -errno.
 */
int dirfd_get(struct dirfd_cache *c, struct dir *dir);
void dirfd_put(struct dirfd_cache *c, struct dir *dir);

#endif /* MKFS_DIRFD_H */
