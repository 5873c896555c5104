/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How names fill name blocks: decided in one place, used by the plan (sizes),
 * the index (places) and the writer (bytes).
 */
#ifndef MKFS_NAMES_H
#define MKFS_NAMES_H

#include "../tree/tree.h"

/**
 * names_fill - how many names go into the block that begins with @from
 * @bytes: set to the bytes of the block in use
 *
 * Greedy: as many as 4096 bytes hold.
 */
u32 names_fill(const struct dir *dir, u32 from, u32 *bytes);

/**
 * struct names_place - where a directory's names are
 * @at: of the first block in NAMES
 * @most: names in the fullest block
 */
struct names_place {
	u64 at;
	u32 blocks;
	u32 most;
};

/**
 * names_place - place a directory's name blocks
 * @pos: end of NAMES so far, moved on
 */
void names_place(const struct dir *dir, u64 *pos, struct names_place *place);

/* Names in a directory's fullest block. */
u32 names_most(const struct dir *dir);

/* Write the block of @count names from @from on: @bytes, all of them set. */
void names_write(const struct dir *dir, u32 from, u32 count, u32 bytes,
		 void *block);

#endif /* MKFS_NAMES_H */
