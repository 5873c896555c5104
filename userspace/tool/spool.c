// SPDX-License-Identifier: GPL-2.0
/*
 * Spools.  Checksums of chunks and extent records grow with the bytes of a data set, not with its
 * files, so what exceeds a bounded buffer is written to a temporary file.
 */
#include <unistd.h>

#include "array.h"
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

/*
 * Sorting of more records than there is memory for.  What is asked for is only that records of
 * one number come together, so there are no runs to be merged: a record goes to the part of its
 * number, and parts are sorted one by one.  A part is in memory as a whole, which is a 256th of
 * all.
 */

#define PART_MEMORY	65536

/* struct head - what is in front of a record in a part; what is behind it fills up to 8 bytes */
struct head {
	u32 number;
	u32 bytes;
};

/* struct record_at - where a record is in its part */
struct record_at {
	u32 number;
	u64 at;
};

void sorter_init(struct sorter *s, u64 memory)
{
	const u64 each = spool_memory(memory) / SORTER_PARTS;

	s->part_memory = each < PART_MEMORY ? each : PART_MEMORY;
	s->n = 0;
	for (unsigned int i = 0; i < SORTER_PARTS; i++)
		spool_init(&s->parts[i], s->part_memory);
}

void sorter_free(struct sorter *s)
{
	for (unsigned int i = 0; i < SORTER_PARTS; i++)
		spool_free(&s->parts[i]);
}

int sorter_add(struct sorter *s, u32 number, const void *p, u32 bytes, const void *q, u32 more)
{
	struct spool *part = &s->parts[number % SORTER_PARTS];
	const struct head head = { number, bytes + more };
	static const char zeros[8];

	s->n++;
	return spool_add(part, &head, sizeof(head)) ?: spool_add(part, p, bytes) ?:
	       spool_add(part, q, more) ?: spool_add(part, zeros, -head.bytes % 8);
}

static int place_cmp(const void *a, const void *b)
{
	const struct record_at *x = a, *y = b;

	return array_order(x->number, y->number) ?: array_order(x->at, y->at);
}

/* Find the records of a part. */
static int list_part(const char *p, u64 len, struct array *places)
{
	const struct head *head;
	int ret = 0;

	for (u64 at = 0; !ret && at < len; at += sizeof(*head) + head->bytes + -head->bytes % 8) {
		head = (const struct head *)(p + at);
		ret = array_append(places, &(struct record_at){ head->number, at + sizeof(*head) });
	}
	return ret;
}

/* The part is freed: its file needs room, too. */
static int sort_part(struct spool *part, size_t memory, int (*fn)(void *ctx, void *p), void *ctx)
{
	struct array places = { .size = sizeof(struct record_at) };
	const u64 len = part->len;
	char *p = memory_alloc(len + 1);
	int ret = p ? spool_read(part, 0, p, len) : -ENOMEM;

	spool_free(part);
	spool_init(part, memory);
	ret = ret ?: list_part(p, len, &places);
	if (!ret)
		array_sort(&places, place_cmp);
	for (size_t i = 0; !ret && i < places.n; i++)
		ret = fn(ctx, p + ((struct record_at *)places.p)[i].at);
	array_free(&places);
	memory_free(p);
	return ret;
}

int sorter_each(struct sorter *s, int (*fn)(void *ctx, void *p), void *ctx)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < SORTER_PARTS; i++)
		ret = sort_part(&s->parts[i], s->part_memory, fn, ctx);
	s->n = 0;
	return ret;
}
