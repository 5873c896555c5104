/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The digest of a source, of which no image is made: dsfs digest.
 */
#ifndef MKFS_DIGEST_H
#define MKFS_DIGEST_H

#include "../source/source.h"
#include "../../userspace/walk/digest.h"

/**
 * struct contents - SHA-256 of the contents of a tree's files
 * @sums: DSFS_DIGEST_BYTES each; node_data()->start is the number of a file's own, which is 0
 *	for all that are empty
 */
struct contents {
	struct source *src;
	struct array sums;
};

/* contents.c.  Messages are written.  Return: 0 or -errno. */
int contents_init(struct contents *c, struct source *src);
void contents_free(struct contents *c);

/**
 * contents_read - sum all files of a tree that is listed
 *
 * With --allow=unreadable what cannot be read is left out: tree_prune().  Messages are
 * written.  Return: 0 or -errno.
 */
int contents_read(struct contents *c);

/* The same of a source that is read once, which is listed meanwhile */
int contents_feed(struct contents *c);

/**
 * digest_tree - the digest of a tree in its order, whose files are summed
 * @kind: DSFS_DIGEST_*
 *
 * Messages are written.  Return: 0 or -errno.
 */
int digest_tree(const struct contents *c, const struct tree *t, u8 kind,
		struct digest_result *result);

#endif /* MKFS_DIGEST_H */
