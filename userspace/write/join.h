/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts become one image.  Their data stays where it is: what is written is metadata of all their
 * names behind the last part, and superblocks in front of the first one.
 */
#ifndef DSFS_JOIN_H
#define DSFS_JOIN_H

#include "change.h"
#include "format.h"
#include "meta.h"

/**
 * struct join_part - a part
 * @start, @end: the range that its superblock says
 * @share, @shares: it has this share of as many; 0: of a whole source
 */
struct join_part {
	const char *name;
	u64 start;
	u64 end;
	u32 share;
	u32 shares;
};

/**
 * struct join_image - the image that is made
 * @loaded: of @tree.loaded
 * @first, @geo: the part that is given first, and its superblock
 * @roots: struct node, of the tree of each part
 * @stored: bytes that their files store
 */
struct join_image {
	struct output out;
	struct tree tree;
	struct overflow loaded;
	const char *first;
	struct dsfs_geo geo;
	struct array parts;
	struct array roots;
	struct draft draft;
	struct meta meta;
	u64 stored;
};

/* These write messages.  Return: 0 or -errno. */

/**
 * joined_open - open and lock the target; joined_end() in any case
 * @memory: bytes that the run has; 0: half of what there is
 * @force: it may be an image
 */
int joined_open(struct join_image *j, const char *target, u64 memory, bool force);
/** joined_make - unite parts, of which there is at least one, and write the image of them all */
int joined_make(struct join_image *j, char *const *parts, const struct change *c);
/** joined_end - @ret: what they returned */
void joined_end(struct join_image *j, int ret);

#endif /* DSFS_JOIN_H */
