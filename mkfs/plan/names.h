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
 * As many as fit into 4096 bytes; into the first block, up to the next 4 KiB boundary after
 * @dir->names.
 */
u32 names_fill(const struct dir *dir, u32 from, u32 *bytes);

/**
 * struct names_place - the name blocks of a directory
 * @most: names in the fullest block
 */
struct names_place {
	u32 blocks;
	u32 most;
};

/**
 * names_measure - name blocks of a directory that begins at @dir->names
 * @place: set; no blocks if the first one has no room for a name
 *
 * Return: where the last one ends in NAMES.
 */
u64 names_measure(const struct dir *dir, struct names_place *place);

/**
 * names_place - place a directory's name blocks: @dir->names and @dir->name_blocks
 * @pos: end of NAMES, advanced
 */
void names_place(struct dir *dir, u64 *pos, struct names_place *place);

/* Make the block of @count names from @from on; all @bytes are set. */
void names_write(const struct dir *dir, u32 from, u32 count, u32 bytes, void *block);

#endif /* MKFS_NAMES_H */
