// SPDX-License-Identifier: GPL-2.0
/*
 * Spools.  Checksums of chunks and extent records grow with the bytes of a data set, not with its
 * files, so what exceeds a bounded buffer is written to a temporary file.
 */
#include <stdlib.h>
#include <unistd.h>

#include "io.h"
#include "memory.h"
#include "msg.h"
#include "spool.h"
#include "tempfile.h"

#define SPOOL_MIN	1024

void spool_init(struct spool *s, size_t memory)
{
	*s = (struct spool){ .memory = memory, .fd = -1 };
}

void spool_free(struct spool *s)
{
	memory_free(s->buf);
	if (s->fd >= 0)
		close(s->fd);
}

static int spool_fail(const char *what, int ret)
{
	if (ret != -ENOMEM)
		msg_error(tempfile_dir(), "cannot %s a temporary file: %s", what, msg_why(-ret));
	return ret;
}

static int spool_file(struct spool *s)
{
	s->fd = tempfile_open();
	return s->fd < 0 ? s->fd : 0;
}

static int spool_flush(struct spool *s)
{
	const size_t n = s->len - s->flushed;
	int ret = s->fd < 0 ? spool_file(s) : 0;

	if (!ret && io_pwrite(s->fd, s->buf, n, s->flushed) < n)
		ret = -errno;
	if (ret)
		return spool_fail("write", ret);
	s->flushed = s->len;
	return 0;
}

static int spool_room(struct spool *s, size_t bytes)
{
	size_t have = s->len - s->flushed, cap = s->cap ? s->cap : SPOOL_MIN;
	char *more;

	if (have + bytes > s->memory) {
		int ret = spool_flush(s);

		if (ret)
			return ret;
		have = 0;
	}
	while (cap < have + bytes)
		cap *= 2;
	if (cap == s->cap)
		return 0;
	more = memory_resize(s->buf, cap);
	if (!more)
		return -ENOMEM;
	s->buf = more;
	s->cap = cap;
	return 0;
}

int spool_add(struct spool *s, const void *p, size_t bytes)
{
	int ret = bytes ? spool_room(s, bytes) : 0;

	if (ret || !bytes)
		return ret;
	memcpy(s->buf + (s->len - s->flushed), p, bytes);
	s->len += bytes;
	return 0;
}

void spool_cut(struct spool *s, u64 len)
{
	s->len = len;
	if (s->flushed > len)
		s->flushed = len;
}

int spool_read(struct spool *s, u64 off, void *p, size_t bytes)
{
	const u64 left = off < s->flushed ? s->flushed - off : 0;
	const size_t n = bytes < left ? bytes : left;

	if (io_pread(s->fd, p, n, off) < n)
		return spool_fail("read", errno ? -errno : -EIO);
	if (n < bytes)
		memcpy((char *)p + n, s->buf + (off + n - s->flushed), bytes - n);
	return 0;
}
