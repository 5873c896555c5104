// SPDX-License-Identifier: GPL-2.0
/*
 * The window of the output.  Bytes are written from the buffer that a reader filled: copying them
 * into a buffer of the writer took a sixth of the time of packing, and the page faults of that
 * buffer some more.  So each block of the window has a pointer to its bytes.  A file of a block or
 * more begins with a block, in the image and in the buffer of the reader, and lends its memory:
 * files that follow each other in both are one piece of a write.  Smaller ones, which share a
 * block, are copied.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "window.h"

#define BLOCK_MASK	((u64)DSFS_BLOCK_SIZE - 1)

int window_init(struct window *w)
{
	/* aligned to the logical blocks of any disk */
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
	for (u64 pos = (from + BLOCK_MASK) & ~BLOCK_MASK; pos < to; pos += DSFS_BLOCK_SIZE)
		frame_own(w, pos >> DSFS_BLOCK_BITS);
}

void window_lend(struct window *w, u64 pos, char *p, size_t bytes, unsigned int *lent)
{
	for (size_t at = 0; at < bytes; at += DSFS_BLOCK_SIZE)
		frame_set(w, (pos + at) >> DSFS_BLOCK_BITS, p + at, lent);
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
	while (n < *bytes && frame_of(w, ++block)->p == p + (pos & BLOCK_MASK) + n)
		n += DSFS_BLOCK_SIZE;
	if (n < *bytes)
		*bytes = n;
	return p + (pos & BLOCK_MASK);
}

unsigned int window_pieces(const struct window *w, u64 pos, u64 bytes, struct iovec *iov)
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
