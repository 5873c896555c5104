/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whole files in memory, for programs that end where one cannot be had.
 */
#ifndef HOSTILE_FILES_H
#define HOSTILE_FILES_H

#include "dsfs_platform.h"

/* What an image may grow by when it is mutated: seeds mean the same everywhere. */
#define MUTATE_ROOM	65536

/* A file; more memory than @size may belong to it. */
struct bytes {
	u8 *p;
	size_t size;
};

/* Read a file, with @room zero bytes behind it; @b->p is to be freed. */
void bytes_read(struct bytes *b, const char *path, size_t room);
void bytes_write(const void *p, size_t size, const char *path);

#endif /* HOSTILE_FILES_H */
