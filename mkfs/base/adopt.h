/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a generation takes over from the base image.
 */
#ifndef MKFS_ADOPT_H
#define MKFS_ADOPT_H

#include "../tree/spool.h"

struct mkfs;

/**
 * base_adopt - give the files that stay what the image has of their contents
 * @chunks: CHUNKSUMS
 * @extents: EXTENTS
 *
 * Behind the data phase.  Messages are written.  Return: 0 or -errno.
 */
int base_adopt(struct mkfs *mkfs, struct spool *chunks, struct spool *extents);

#endif /* MKFS_ADOPT_H */
