/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a generation takes over from the base image.
 */
#ifndef MKFS_KEEP_LAYOUT_H
#define MKFS_KEEP_LAYOUT_H

#include "../tree/spool.h"

struct mkfs;

/**
 * base_keep_layout - give the files that stay what the image has of their contents
 * @chunks: CHUNKSUMS
 * @extents: EXTENTS
 *
 * Behind the data phase.  Messages are written.  Return: 0 or -errno.
 */
int base_keep_layout(struct mkfs *mkfs, struct spool *chunks, struct spool *extents);

#endif /* MKFS_KEEP_LAYOUT_H */
