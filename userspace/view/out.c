// SPDX-License-Identifier: GPL-2.0
/*
 * Output from front to end, in large writes.  A view is written at three places at once: inodes,
 * attributes, and blocks.  The file has its length before, so what is left out is zero.  The first
 * block has the superblock with a checksum over what else is there, so it is kept up to the end.
 */
#include "io.h"
#include "maker.h"

#define ROOM	((size_t)256 << 10)

int out_init(struct out *o, int fd, u8 *first, u64 at)
{
	*o = (struct out){ .fd = fd, .first = first, .at = at, .buf = malloc(ROOM) };
	return o->buf ? 0 : -ENOMEM;
}

static void flush(struct out *o)
{
	errno = 0;
	if (!o->failed && io_pwrite(o->fd, o->buf, o->n, o->at - o->n) != o->n)
		o->failed = errno ? errno : EIO;
	o->n = 0;
}

void out_seek(struct out *o, u64 at)
{
	/* no zeros over what others write, which has as many bytes at least */
	if (at < EROFS_BLOCK || at < o->at || at - o->at >= 1 << EROFS_NID_BITS ||
	    at - o->at + o->n > ROOM) {
		flush(o);
	} else {
		memset(o->buf + o->n, 0, at - o->at);
		o->n += at - o->at;
	}
	o->at = at;
}

void out_put(struct out *o, const void *p, size_t bytes)
{
	const u8 *from = p;
	size_t n;

	for (; bytes; bytes -= n, from += n) {
		n = bytes;
		if (o->first && o->at < EROFS_BLOCK) {
			n = n < EROFS_BLOCK - o->at ? n : EROFS_BLOCK - o->at;
			memcpy(o->first + o->at, from, n);
		} else {
			if (o->n == ROOM)
				flush(o);
			n = n < ROOM - o->n ? n : ROOM - o->n;
			memcpy(o->buf + o->n, from, n);
			o->n += n;
		}
		o->at += n;
	}
}

int out_end(struct out *o)
{
	if (o->n)
		flush(o);
	free(o->buf);
	o->buf = NULL;
	return -o->failed;
}
