/* SPDX-License-Identifier: GPL-2.0 */
/* The superblocks of an image that has another generation behind its end: slots.c */
#ifndef DSFS_SLOTS_H
#define DSFS_SLOTS_H

#include "dsfs_fs.h"
#include "dsfs_platform.h"

/* These write messages.  Return: 0 or -errno. */

/** slots_write - write all of a range of bytes */
int slots_write(int fd, const char *path, const void *p, size_t bytes, u64 pos);

/**
 * slots_replace - give an image the superblocks of another generation
 * @fd: all else of that generation is on the disk
 * @path: for messages
 * @first: the slot that is not in use
 * @refused: what is there if no superblock could be written
 * @stays: set to whether one of them is, or may be, on the disk
 *
 * The first superblock is on the disk before the second one is written.  If it cannot be
 * written, its slot gets its old bytes back.
 */
int slots_replace(int fd, const char *path, const struct dsfs_super *super, unsigned int first,
		  const char *refused, bool *stays);

#endif /* DSFS_SLOTS_H */
