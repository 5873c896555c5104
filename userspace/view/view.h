/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A view: a small EROFS whose files are ranges of a DSFS image, which is its extra device.
 *
 * Any kernel since 5.16 mounts an image by it.  The folder writes EROFS and reads DSFS by the
 * library; it knows no command line and no mount.
 */
#ifndef DSFS_VIEW_H
#define DSFS_VIEW_H

#include "image.h"

/* Where a view has its magic number, and its UUID: the image's, and the generation */
#define VIEW_MAGIC_AT	1024
#define VIEW_UUID_AT	1072

/**
 * struct view_made - what was made
 * @bytes: of the view
 * @inodes: how many it has
 * @copied: bytes of files that are in it, as they share a block with others'
 */
struct view_made {
	u64 bytes;
	u64 inodes;
	u64 copied;
};

/**
 * view_make - write the view of a generation
 * @src: its metadata
 * @path: of the image, for messages
 * @fd: an empty file
 * @made: filled in
 *
 * Equal metadata gives equal views.
 *
 * Return: 0, or -1 after a message: something is wrong with the image, or EROFS cannot
 * describe it.
 */
int view_make(struct dsfs_source *src, const char *path, int fd, struct view_made *made);

#endif /* DSFS_VIEW_H */
