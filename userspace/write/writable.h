/* SPDX-License-Identifier: GPL-2.0 */
/* An image that is there, open to get another generation behind its end. */
#ifndef DSFS_WRITABLE_H
#define DSFS_WRITABLE_H

#include "dsfs_fs.h"
#include "dsfs_platform.h"

/**
 * struct writable - such an image
 * @path: kept, not copied
 * @fd: locked; -1: it is not open
 * @length: bytes of a file
 * @limit: bytes of a device; 0: it is a file, which can grow
 * @touched: there is something behind the image that no superblock refers to
 */
struct writable {
	const char *path;
	int fd;
	u64 length;
	u64 limit;
	bool touched;
};

/*
 * These write messages.  Return: 0 or -errno.
 */

/**
 * writable_open - open a file or a device that nobody else writes to or has mounted
 * @w: filled in; to be closed in any case
 */
int writable_open(struct writable *w, const char *path);

/** writable_fits - whether a device has room for @bytes at @pos; a file has */
int writable_fits(const struct writable *w, u64 pos, u64 bytes);

/** writable_write - write behind the image */
int writable_write(struct writable *w, const void *p, size_t bytes, u64 pos);

/**
 * writable_commit - bring all that was written onto the disk, and then the superblocks
 * @super: of the new generation
 * @first: the slot that is written first: the one that is not in use
 *
 * Up to the first slot the image is as it was, and a signal stops: -EINTR, without a message.  From
 * there on it has the new generation, and signals have no effect.
 */
int writable_commit(struct writable *w, const struct dsfs_super *super, unsigned int first);

/** writable_close - give a file its old length back, if no superblock was written */
void writable_close(struct writable *w);

#endif /* DSFS_WRITABLE_H */
