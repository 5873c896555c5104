// SPDX-License-Identifier: GPL-2.0
/*
 * The window of the output.  Bytes are written from the buffer that a reader filled: copying them
 * into a buffer of the writer took a sixth of the time of packing, and the page faults of that
 * buffer some more.  So each block of the window has a pointer to its bytes.  A file of a block or
 * more begins with a block, in the image and in the buffer of the reader, and lends its memory:
 * files that follow each other in both are one piece of a write.  Smaller ones, which share a
 * block, are copied.
 *
 * The image is written front to back, and the window has a few MiB of it, which small files can
 * still be put into without seeking back on the disk.
 */
#include <sys/uio.h>

#include "msg.h"
#include "output.h"

#define UNIT		WRITER_BYTES
#define BLOCK_MASK	((u64)DSFS_BLOCK_SIZE - 1)
#define COMPARE_BYTES	65536
#define SKIP_MIN	(1024 * 1024)	/* zeros that are left out of a file */

int window_init(struct window *w, u64 bytes)
{
	w->blocks = bytes >> DSFS_BLOCK_BITS;
	/* aligned to the logical blocks of any disk */
	w->own = aligned_alloc(65536, bytes);
	w->frames = calloc(w->blocks, sizeof(*w->frames));
	return w->own && w->frames ? 0 : -ENOMEM;
}

void window_free(struct window *w)
{
	free(w->own);
	free(w->frames);
}

static struct frame *frame_of(const struct window *w, u64 block)
{
	return &w->frames[block % w->blocks];
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
	u64 i = block % w->blocks;

	frame_set(w, block, w->own + i * DSFS_BLOCK_SIZE, NULL);
}

/*
 * Give own memory, of undefined content, to all blocks that begin in [@from, @to).  What was
 * borrowed is given back.
 */
static void window_enter(struct window *w, u64 from, u64 to)
{
	for (u64 pos = (from + BLOCK_MASK) & ~BLOCK_MASK; pos < to; pos += DSFS_BLOCK_SIZE)
		frame_own(w, pos >> DSFS_BLOCK_BITS);
}

/*
 * Let blocks use the memory of the lender.
 * @pos: of the first block
 * @p: aligned to a block; the window may write to the rest of the last block
 * @lent: incremented for each block, and decremented by window_enter()
 */
static void window_lend(struct window *w, u64 pos, char *p, size_t bytes, unsigned int *lent)
{
	for (size_t at = 0; at < bytes; at += DSFS_BLOCK_SIZE)
		frame_set(w, (pos + at) >> DSFS_BLOCK_BITS, p + at, lent);
}

/* Copy a borrowed block at @pos into own memory.  Return: whether it was borrowed. */
static bool window_keep(struct window *w, u64 pos)
{
	const u64 block = pos >> DSFS_BLOCK_BITS;
	const struct frame f = *frame_of(w, block);

	if (!f.lent)
		return false;
	frame_own(w, block);
	memcpy(frame_of(w, block)->p, f.p, DSFS_BLOCK_SIZE);
	return true;
}

/* Address of the byte at @pos; *@bytes is set to the contiguous bytes from there. */
static char *window_at(const struct window *w, u64 pos, u64 *bytes)
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

/* Make a list of the memory of @bytes bytes from @pos on.  Return: its length. */
static unsigned int window_pieces(const struct window *w, u64 pos, u64 bytes, struct iovec *iov)
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

/* Wait until the writer is idle. */
static int output_wait(struct output *out)
{
	int ret = writer_wait(&out->writer);

	if (out->written < out->base)
		window_enter(&out->window, out->written & ~BLOCK_MASK, out->base);
	out->written = out->base;
	return ret;
}

/* Write the first @bytes of the window. */
static int flush_some(struct output *out, u64 bytes)
{
	while (bytes) {
		u64 n = UNIT - out->base % UNIT;
		int ret = output_wait(out);
		unsigned int parts;

		if (ret)
			return ret;
		if (n > bytes)
			n = bytes;
		parts = window_pieces(&out->window, out->base, n, out->writer.parts);
		writer_put(&out->writer, parts, n, out->base);
		out->base += n;
		bytes -= n;
	}
	if (out->high < out->base)
		out->high = out->base;
	return 0;
}

/* Make room in the window for bytes up to @end. */
static int make_room(struct output *out, u64 end)
{
	const u64 most = out->window.blocks * DSFS_BLOCK_SIZE / 2;
	int ret = 0;

	while (!ret && end > out->base + most) {
		u64 unit = UNIT - out->base % UNIT;

		if (unit > out->head - out->base)
			unit = out->head - out->base;
		ret = flush_some(out, unit);
	}
	return ret;
}

int output_flush(struct output *out)
{
	u64 end = out->head & ~BLOCK_MASK;	/* the last block may be filled further */
	u64 unit = UNIT - out->base % UNIT;
	int ret;

	if (end > out->base) {
		ret = flush_some(out, end - out->base < unit ? end - out->base : unit);
		return ret ? ret : 1;
	}
	ret = out->written < out->base;
	/* small files may fill the last block after its lender takes the memory back */
	if (!ret && out->head & BLOCK_MASK)
		ret = window_keep(&out->window, out->head);
	return output_wait(out) ?: ret;
}

int output_settle(struct output *out)
{
	return flush_some(out, out->head - out->base) ?: output_wait(out);
}

/* Let the window begin at @pos; nothing before it is needed. */
static void move_window(struct output *out, u64 pos)
{
	out->base = pos;
	out->written = pos;
	out->head = pos;
	window_enter(&out->window, pos & ~BLOCK_MASK, pos + 1);
}

/* Write zeros up to @pos; a long range becomes a hole of a new file. */
static int skip_to(struct output *out, u64 pos)
{
	int ret;

	if (out->head >= out->zeros && pos >= out->head + SKIP_MIN && out->high <= out->head) {
		ret = flush_some(out, out->head - out->base);
		/* frames are reused for @pos, and the writer may still read them */
		if (!ret)
			ret = output_wait(out);
		if (!ret)
			move_window(out, pos);
		return ret;
	}
	while (out->head < pos) {
		u64 n = pos - out->head < UNIT ? pos - out->head : UNIT;

		ret = make_room(out, out->head + n);
		if (ret)
			return ret;
		window_enter(&out->window, out->head, out->head + n);
		for (u64 end = out->head + n; out->head < end; out->head += n) {
			char *to;

			n = end - out->head;
			to = window_at(&out->window, out->head, &n);
			memset(to, 0, n);
		}
	}
	return 0;
}

/* Copy bytes that share a block with others, or whose block is in the window. */
static int copy_in(struct output *out, u64 pos, const char *from, size_t bytes)
{
	while (bytes) {
		u64 n = bytes < UNIT ? bytes : UNIT;
		int ret = make_room(out, pos + n);
		char *to;

		if (ret)
			return ret;
		if (pos + n > out->head)
			window_enter(&out->window, out->head, pos + n);
		to = window_at(&out->window, pos, &n);
		memcpy(to, from, n);
		from += n;
		pos += n;
		bytes -= n;
		if (pos > out->head)
			out->head = pos;
	}
	return 0;
}

int output_begin(struct output *out, u64 pos)
{
	const u64 start = (pos + BLOCK_MASK) & ~BLOCK_MASK;

	move_window(out, start);
	out->high = start;
	return output_pad(out, pos, start);
}

int output_write(struct output *out, u64 pos, const void *p, size_t bytes)
{
	const char *from = p;
	int ret;

	if (!output_fits(out, pos, bytes))
		return -ENOSPC;
	if (pos < out->base) {		/* a gap that the window has left behind */
		u64 n = out->base - pos < bytes ? out->base - pos : bytes;

		ret = output_wait(out) ?: output_pwrite(out, from, n, pos);
		if (ret)
			return ret;
		from += n;
		pos += n;
		bytes -= n;
	}
	ret = pos > out->head ? skip_to(out, pos) : 0;
	return ret ? ret : copy_in(out, pos, from, bytes);
}

int output_zero(struct output *out, u64 pos, u64 bytes)
{
	static const char zeros[65536];
	int ret = 0;
	u64 n;

	for (; !ret && bytes; bytes -= n, pos += n) {
		n = bytes < sizeof(zeros) ? bytes : sizeof(zeros);
		ret = output_write(out, pos, zeros, n);
	}
	return ret;
}

int output_lend(struct output *out, u64 pos, char *p, size_t bytes, unsigned int *lent)
{
	int ret;

	if (bytes < OUTPUT_LEND_MIN || bytes > UNIT || pos < out->head ||
	    (pos | (uintptr_t)p) & BLOCK_MASK)
		return output_write(out, pos, p, bytes);
	if (!output_fits(out, pos, bytes))
		return -ENOSPC;
	ret = skip_to(out, pos) ?: make_room(out, pos + bytes);
	if (ret)
		return ret;
	window_lend(&out->window, pos, p, bytes, lent);
	out->head = pos + bytes;
	return 0;
}

void output_cut(struct output *out, u64 pos)
{
	/* the next write returns an error */
	if (pos < out->base) {
		output_wait(out);
		move_window(out, pos);
	}
	if (pos < out->head)
		out->head = pos;
}

/*
 * Look at bytes of the image.
 * @buf: of COMPARE_BYTES, for what the window has left behind
 * @bytes: how many; becomes less if fewer lie together
 * @p: set to them
 */
static int look(struct output *out, u64 pos, char *buf, u64 *bytes, const char **p)
{
	if (pos >= out->base) {
		*p = window_at(&out->window, pos, bytes);
		return 0;
	}
	if (*bytes > out->base - pos)
		*bytes = out->base - pos;
	if (*bytes > COMPARE_BYTES)
		*bytes = COMPARE_BYTES;
	*p = buf;
	return output_wait(out) ?: output_pread(out, buf, *bytes, pos);
}

int output_compare(struct output *out, u64 pos, const void *p, size_t bytes)
{
	char buf[COMPARE_BYTES];
	const char *with = p, *have;

	for (u64 n; bytes; bytes -= n, pos += n, with += n) {
		int ret;

		n = bytes;
		ret = look(out, pos, buf, &n, &have);
		if (ret)
			return ret;
		if (memcmp(have, with, n))
			return 0;
	}
	return 1;
}

int output_compare_ranges(struct output *out, u64 a, u64 b, u64 bytes)
{
	char buf[COMPARE_BYTES];
	const char *p;
	int ret = 1;

	for (u64 n; ret == 1 && bytes; bytes -= n, a += n, b += n) {
		n = bytes;
		ret = look(out, b, buf, &n, &p) ?: output_compare(out, a, p, n);
	}
	return ret;
}
