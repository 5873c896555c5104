/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of an image that is still in memory, block by block.
 */
#ifndef MKFS_WINDOW_H
#define MKFS_WINDOW_H

#include <stdbool.h>
#include <sys/uio.h>

#include "dsfs_platform.h"
#include "dsfs_fs.h"

#define WINDOW_BYTES	(16 << 20)	/* a power of two */
#define WINDOW_BLOCKS	(WINDOW_BYTES / DSFS_BLOCK_SIZE)

/**
 * struct frame - where a block's bytes are
 * @lent: who lent the memory counts its blocks here; NULL: it is the window's own
 */
struct frame {
	char *p;
	unsigned int *lent;
};

/**
 * struct window - blocks by their number in the image modulo WINDOW_BLOCKS
 * @own: memory for each of them that nobody lends any to
 */
struct window {
	char *own;
	struct frame *frames;
};

int window_init(struct window *w);
void window_free(struct window *w);

/**
 * window_enter - get own memory for all blocks that begin in [@from, @to)
 *
 * What they hold is undefined.
 */
void window_enter(struct window *w, u64 from, u64 to);

/**
 * window_lend - let blocks lie where their bytes are
 * @pos: of the first block
 * @p: aligned as a block; the last block's rest is the window's, too
 * @lent: is increased for each block, and decreased by window_leave()
 */
void window_lend(struct window *w, u64 pos, char *p, size_t bytes,
		 unsigned int *lent);

/* Nobody needs the blocks any more that [@from, @to) has a part of. */
void window_leave(struct window *w, u64 from, u64 to);

/* Copy the block at @pos into own memory; whether it was lent. */
bool window_keep(struct window *w, u64 pos);

/* Where the byte at @pos is; *@bytes becomes what follows it without a break. */
char *window_at(const struct window *w, u64 pos, u64 *bytes);

/* The pieces of @bytes bytes from @pos on; returns how many. */
unsigned int window_pieces(const struct window *w, u64 pos, u64 bytes,
			   struct iovec *iov);

#endif /* MKFS_WINDOW_H */
