/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Distribution of names to name blocks.  The plan uses it for sizes, the index for
 * places and the writer for bytes.
 */
#ifndef MKFS_NAMES_H
#define MKFS_NAMES_H

#include "../tree/tree.h"

/**
 * names_fill - number of names in the block that begins with @from
 * @bytes: set to the bytes of the block in use
 *
 * As many as fit into 4096 bytes.
 */
u32 names_fill(const struct dir *dir, u32 from, u32 *bytes);

/**
 * struct names_place - place of the names of a directory
 * @at: offset of the first block in NAMES
 * @most: names in the fullest block
 */
struct names_place {
	u64 at;
	u32 blocks;
	u32 most;
};

/**
 * names_place - place a directory's name blocks
 * @pos: end of NAMES, advanced
 */
void names_place(const struct dir *dir, u64 *pos, struct names_place *place);

/* Make the block of @count names from @from on; all @bytes are set. */
void names_write(const struct dir *dir, u32 from, u32 count, u32 bytes, void *block);

#endif /* MKFS_NAMES_H */
