/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Layout that a generation takes over from the base image.
 */
#ifndef MKFS_KEEP_LAYOUT_H
#define MKFS_KEEP_LAYOUT_H

#include "../tree/spool.h"

struct base;
struct params;
struct tree;

/*
 * Copy places, holes and checksums of files that keep their content, after the data phase:
 * of an update; of archives and what lies in them; of an image that is packed anew, where
 * the files have their new places already.
 * @chunks: CHUNKSUMS, appended to
 * @extents: EXTENTS, appended to
 *
 * Messages are written.  Return: 0 or -errno.
 */
int base_keep_layout(struct base *base, struct tree *t, const struct params *params,
		     struct spool *chunks, struct spool *extents);
int base_keep_archives(struct base *base, struct tree *t, const struct params *params,
		       struct spool *chunks, struct spool *extents);
int base_keep_packed(struct base *base, struct tree *t, const struct params *params,
		     struct spool *chunks, struct spool *extents);

#endif /* MKFS_KEEP_LAYOUT_H */
