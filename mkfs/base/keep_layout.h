/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layout that a generation takes over from the base image.
 */
#ifndef MKFS_KEEP_LAYOUT_H
#define MKFS_KEEP_LAYOUT_H

#include "../tree/spool.h"

struct mkfs;

/**
 * base_keep_layout - copy places, holes and checksums of files that keep their content
 * @chunks: CHUNKSUMS, appended to
 * @extents: EXTENTS, appended to
 *
 * Called after the data phase.  Messages are written.  Return: 0 or -errno.
 */
int base_keep_layout(struct mkfs *mkfs, struct spool *chunks, struct spool *extents);

#endif /* MKFS_KEEP_LAYOUT_H */
