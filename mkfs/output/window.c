// SPDX-License-Identifier: GPL-2.0
/*
 * What a reader read is written from where it lies: copying it into one buffer
 * for the writer was a sixth of the time of packing, and touching that buffer for
 * the first time some more.  So each block of the window says where its bytes are.
 * A file of some size begins with a block, in the image as in the reader's buffer,
 * and lends its memory; what shares blocks with others is copied.
 */
#include <stdlib.h>
#include <string.h>

#include "window.h"

#define BLOCK_MASK	((u64)DSFS_BLOCK_SIZE - 1)

int window_init(struct window *w)
{
	/* as much as any disk's blocks */
	w->own = aligned_alloc(65536, WINDOW_BYTES);
	w->frames = calloc(WINDOW_BLOCKS, sizeof(*w->frames));
	return w->own && w->frames ? 0 : -ENOMEM;
}

void window_free(struct window *w)
{
	free(w->own);
	free(w->frames);
}

static struct frame *frame_of(const struct window *w, u64 block)
{
	return &w->frames[block % WINDOW_BLOCKS];
}

static void frame_set(struct window *w, u64 block, char *p, unsigned int *lent)
{
	struct frame *f = frame_of(w, block);

	if (f->lent)
		--*f->lent;
	if (lent)
		++*lent;
	*f = (struct frame){ p, lent };
}

static void frame_own(struct window *w, u64 block)
{
	u64 i = block % WINDOW_BLOCKS;

	frame_set(w, block, w->own + i * DSFS_BLOCK_SIZE, NULL);
}

void window_enter(struct window *w, u64 from, u64 to)
{
	for (u64 pos = (from + BLOCK_MASK) & ~BLOCK_MASK; pos < to;
	     pos += DSFS_BLOCK_SIZE)
		frame_own(w, pos >> DSFS_BLOCK_BITS);
}

void window_lend(struct window *w, u64 pos, char *p, size_t bytes,
		 unsigned int *lent)
{
	for (size_t at = 0; at < bytes; at += DSFS_BLOCK_SIZE)
		frame_set(w, (pos + at) >> DSFS_BLOCK_BITS, p + at, lent);
}

void window_leave(struct window *w, u64 from, u64 to)
{
	for (u64 pos = from & ~BLOCK_MASK; pos < to; pos += DSFS_BLOCK_SIZE)
		frame_own(w, pos >> DSFS_BLOCK_BITS);
}

bool window_keep(struct window *w, u64 pos)
{
	const u64 block = pos >> DSFS_BLOCK_BITS;
	const struct frame f = *frame_of(w, block);

	if (!f.lent)
		return false;
	frame_own(w, block);
	memcpy(frame_of(w, block)->p, f.p, DSFS_BLOCK_SIZE);
	return true;
}

char *window_at(const struct window *w, u64 pos, u64 *bytes)
{
	u64 block = pos >> DSFS_BLOCK_BITS, n = DSFS_BLOCK_SIZE;
	char *p = frame_of(w, block)->p;

	n -= pos & BLOCK_MASK;
	while (n < *bytes && frame_of(w, ++block)->p ==
			     p + (pos & BLOCK_MASK) + n)
		n += DSFS_BLOCK_SIZE;
	if (n < *bytes)
		*bytes = n;
	return p + (pos & BLOCK_MASK);
}

unsigned int window_pieces(const struct window *w, u64 pos, u64 bytes,
			   struct iovec *iov)
{
	unsigned int n = 0;

	while (bytes) {
		u64 part = bytes;

		iov[n].iov_base = window_at(w, pos, &part);
		iov[n++].iov_len = part;
		pos += part;
		bytes -= part;
	}
	return n;
}
