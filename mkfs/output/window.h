/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The window: the part of the image that is in memory, block by block.
 */
#ifndef MKFS_WINDOW_H
#define MKFS_WINDOW_H

#include <stdbool.h>

#include "dsfs_platform.h"
#include "dsfs_fs.h"

#define WINDOW_BYTES	(16 << 20)	/* a power of two */
#define WINDOW_BLOCKS	(WINDOW_BYTES / DSFS_BLOCK_SIZE)

struct iovec;

/**
 * struct frame - a block of the window
 * @lent: count of borrowed blocks of the lender; NULL: the memory is the window's own
 */
struct frame {
	char *p;
	unsigned int *lent;
};

/**
 * struct window - blocks by their number in the image modulo WINDOW_BLOCKS
 * @own: memory of the blocks that are not borrowed
 */
struct window {
	char *own;
	struct frame *frames;
};

int window_init(struct window *w);
void window_free(struct window *w);

/**
 * window_enter - give own memory to all blocks that begin in [@from, @to)
 *
 * Its content is undefined.  What was borrowed is given back.
 */
void window_enter(struct window *w, u64 from, u64 to);

/**
 * window_lend - let blocks use the memory of the lender
 * @pos: of the first block
 * @p: aligned to a block; the window may write to the rest of the last block
 * @lent: incremented for each block, and decremented by window_enter()
 */
void window_lend(struct window *w, u64 pos, char *p, size_t bytes, unsigned int *lent);

/* Copy a borrowed block at @pos into own memory.  Return: whether it was borrowed. */
bool window_keep(struct window *w, u64 pos);

/* Address of the byte at @pos; *@bytes is set to the contiguous bytes from there. */
char *window_at(const struct window *w, u64 pos, u64 *bytes);

/* Make a list of the memory of @bytes bytes from @pos on.  Return: its length. */
unsigned int window_pieces(const struct window *w, u64 pos, u64 bytes, struct iovec *iov);

#endif /* MKFS_WINDOW_H */
