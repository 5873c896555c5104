/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layout that a generation takes over from the base image.
 */
#ifndef MKFS_KEEP_LAYOUT_H
#define MKFS_KEEP_LAYOUT_H

#include "../tree/spool.h"

struct array;
struct base;
struct params;
struct tree;

/**
 * base_keep_layout - copy places, holes and checksums of files that keep their content
 * @chunks: CHUNKSUMS, appended to
 * @extents: EXTENTS, appended to
 * @places: struct place_of, of all contents: in the base image, if they are in it; to be freed
 *
 * Called after the data phase.  A file that has a place already keeps it.  Messages are
 * written.  Return: 0 or -errno.
 */
int base_keep_layout(struct base *base, struct tree *t, const struct params *params,
		     struct spool *chunks, struct spool *extents, struct array *places);

#endif /* MKFS_KEEP_LAYOUT_H */
