// SPDX-License-Identifier: GPL-2.0
/*
 * Reading files, and all computing over their bytes: checksums, the hash that
 * deduplication goes by, and the search for holes.  It happens here, in as
 * many threads as there are, while the bytes are in this CPU's cache.
 *
 * A file must be the one that was scanned and must not have changed since:
 * its size is in the plan, and half of an old content with half of a new one
 * must not end in an image.  One fstat() behind the read tells.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "stream.h"

#define FILE_FLAGS (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

static void bad(struct item *it, const char *why, int err)
{
	it->why = why;
	it->err = err;
}

static int open_file(int dirfd, struct item *it)
{
	const char *name = node_name(it->node);
	int fd = openat(dirfd, name, FILE_FLAGS | O_NOATIME);

	if (fd < 0 && errno == EPERM)	/* not its owner */
		fd = openat(dirfd, name, FILE_FLAGS);
	if (fd < 0 && errno == ENOENT)
		bad(it, "vanished during the run", 0);
	else if (fd < 0)
		bad(it, "cannot open", -errno);
	return fd;
}

/* After reading: was it still the file that was scanned? */
static bool check_file(int fd, struct item *it)
{
	const struct node *n = it->node;
	struct stat st;

	if (fstat(fd, &st)) {
		bad(it, "cannot read attributes", -errno);
		return false;
	}
	if (!S_ISREG(st.st_mode))
		bad(it, "was replaced during the run", 0);
	else if (st.st_size < n->size)
		bad(it, "shrank during the run", 0);
	else if (st.st_size > n->size)
		bad(it, "grew during the run", 0);
	else if (scan_check(&st) != n->check)
		bad(it, "changed during the run", 0);
	return !it->why;
}

/* @bytes bytes at the file's position; fewer only at its end. */
static ssize_t read_full(int fd, char *p, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t n = read(fd, p + done, bytes - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		done += n;
	}
	return done;
}

/* A small file's size is read in one call that asks for a byte more. */
static bool read_small(int fd, struct item *it, char *buf)
{
	u64 size = it->node->size;
	ssize_t n;

	do {
		n = read(fd, buf, size + 1);
	} while (n < 0 && errno == EINTR);
	if (n >= 0 && n < size) {
		ssize_t more = read_full(fd, buf + n, size + 1 - n);

		n = more < 0 ? more : n + more;
	} else if (n < 0) {
		n = -errno;
	}
	if (n < 0)
		bad(it, "cannot read", n);
	else if (n < size)
		bad(it, "shrank during the run", 0);
	else if (n > size)
		bad(it, "grew during the run", 0);
	return !it->why;
}

/* Stored bytes are moved to the front of the same buffer. */
struct squeeze {
	char *to;
};

static int squeeze_emit(void *ctx, const char *p, u64 bytes)
{
	struct squeeze *sq = ctx;

	if (p)
		memmove(sq->to, p, bytes);
	else
		memset(sq->to, 0, bytes);
	sq->to += bytes;
	return 0;
}

/* What the holes filter found goes to the item. */
static void take_holes(struct item *it, struct holes *h)
{
	it->stored = h->stored;
	it->sparse = h->sparse;
	if (!h->sparse)
		return;
	it->segments = (struct dsfs_segment *)h->segments.p;
	it->nsegments = h->segments.n;
	h->segments.p = NULL;
}

static void squeeze_small(struct item *it, char *buf)
{
	struct squeeze sq = { buf };
	struct holes h;
	int ret;

	holes_init(&h, squeeze_emit, &sq);
	ret = holes_data(&h, buf, it->node->size);
	if (!ret)
		ret = holes_end(&h);
	if (ret)
		bad(it, "out of memory", ret);
	else
		take_holes(it, &h);
	holes_free(&h);
}

static void sum_small(const struct stream *s, struct job *job, struct item *it,
		      const char *buf)
{
	unsigned int bits = s->src->o->chunk_bits;

	it->hash = stream_hash(0, buf, it->stored);
	it->first_sum = job->nsums;
	for (u64 at = 0; bits && at < it->stored; at += 1ULL << bits) {
		u64 n = it->stored - at;

		if (n > 1ULL << bits)
			n = 1ULL << bits;
		job->sums[job->nsums++] = dsfs_crc32c(0, buf + at, n);
	}
	it->sums = job->nsums - it->first_sum;
}

static void run_small(struct stream *s, struct job *job, struct item *it,
		      int dirfd)
{
	char *buf = job->buf + it->off;
	int fd = open_file(dirfd, it);

	if (fd < 0)
		return;
	if (read_small(fd, it, buf) && check_file(fd, it)) {
		it->stored = it->node->size;
		if (it->stored >= HOLE_MIN && holes_any(buf, it->stored))
			squeeze_small(it, buf);
		if (!it->why)
			sum_small(s, job, it, buf);
	}
	close(fd);
}

/* A large file on its way through pieces. */
struct large {
	struct stream *s;
	struct job *job;
	struct piece *piece;
	char *buf;
	u64 hash;
	u64 chunk_left;
	u32 sum;
};

/* Checksums of a full piece; a chunk may go on into the next. */
static void sum_piece(struct large *l, bool last)
{
	unsigned int bits = l->s->src->o->chunk_bits;
	struct piece *p = l->piece;

	l->hash = stream_hash(l->hash, l->buf, p->bytes);
	p->nsums = 0;
	for (u32 at = 0; bits && at < p->bytes;) {
		u64 n = p->bytes - at;

		if (n > l->chunk_left)
			n = l->chunk_left;
		l->sum = dsfs_crc32c(l->sum, l->buf + at, n);
		at += n;
		l->chunk_left -= n;
		if (l->chunk_left && !(last && at == p->bytes))
			continue;
		p->sums[p->nsums++] = l->sum;
		l->sum = 0;
		l->chunk_left = 1ULL << bits;
	}
	p->last = last;
}

static int large_emit(void *ctx, const char *p, u64 bytes)
{
	struct large *l = ctx;

	while (bytes) {
		u64 n = stream_piece_bytes(l->s) - l->piece->bytes;

		if (!n) {
			/* More follows, so this one is not the last. */
			sum_piece(l, false);
			stream_piece_put(l->s, l->job);
			l->piece = stream_piece_get(l->s, l->job, &l->buf);
			if (!l->piece)
				return -ECANCELED;
			l->piece->bytes = 0;
			continue;
		}
		if (n > bytes)
			n = bytes;
		if (p)
			memcpy(l->buf + l->piece->bytes, p, n);
		else
			memset(l->buf + l->piece->bytes, 0, n);
		p = p ? p + n : NULL;
		l->piece->bytes += n;
		bytes -= n;
	}
	return 0;
}

/* Where data ends that begins at or before @pos; @pos is moved over a hole. */
static u64 next_data(int fd, u64 size, u64 *pos)
{
	off_t data = lseek(fd, *pos, SEEK_DATA), hole;
	const u64 mask = DSFS_BLOCK_SIZE - 1;

	if (data < 0) {
		if (errno == ENXIO)
			*pos = size;
		return size;
	}
	if ((data & ~mask) > *pos)
		*pos = (data & ~mask) < size ? data & ~mask : size;
	hole = lseek(fd, data, SEEK_HOLE);
	if (hole < 0 || hole > size)
		return size;
	hole = (hole + mask) & ~mask;
	return hole < size ? hole : size;
}

static int read_large(struct reader *r, int fd, struct item *it,
		      struct holes *h)
{
	u64 size = it->node->size, pos = 0, end = size;
	struct stat st;
	bool seek = !fstat(fd, &st) && st.st_blocks < size / 512;
	int ret = 0;

	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	for (bool first = true; !ret && pos < size; first = false) {
		u64 from = pos, want;
		ssize_t n;

		if (seek && (first || pos >= end)) {
			end = next_data(fd, size, &pos);
			if (pos > from)
				ret = holes_zeros(h, pos - from);
			if (lseek(fd, pos, SEEK_SET) < 0) {
				bad(it, "cannot seek", -errno);
				return -1;
			}
			continue;
		}
		want = end - pos < STAGING_BYTES ? end - pos : STAGING_BYTES;
		n = read_full(fd, r->staging, want);
		if (n < want) {
			bad(it, n < 0 ? "cannot read" : "shrank during the run",
			    n < 0 ? n : 0);
			return -1;
		}
		ret = holes_data(h, r->staging, n);
		pos += n;
	}
	return ret ? ret : holes_end(h);
}

static void run_large(struct reader *r, struct job *job, int dirfd)
{
	struct large l = { .s = r->s, .job = job };
	struct item *it = &job->items[0];
	int fd = dirfd < 0 ? -1 : open_file(dirfd, it), ret;
	struct holes h;

	holes_init(&h, large_emit, &l);
	l.chunk_left = 1ULL << r->s->src->o->chunk_bits;
	l.piece = stream_piece_get(r->s, job, &l.buf);
	if (fd >= 0 && l.piece) {
		l.piece->bytes = 0;
		ret = read_large(r, fd, it, &h);
		if (!ret && check_file(fd, it)) {
			sum_piece(&l, true);
			it->hash = l.hash;
			take_holes(it, &h);
		} else if (ret && !it->why) {
			bad(it, "out of memory", ret);
		}
	}
	if (l.piece) {
		l.piece->last = true;
		stream_piece_put(r->s, job);
	}
	if (fd >= 0)
		close(fd);
	holes_free(&h);
}

void reader_run(struct reader *r, struct job *job)
{
	struct dirfd_cache *cache = &r->s->src->dirs;
	struct dir *dir = NULL;
	int fd = -1;

	for (unsigned int i = 0; i < job->nitems; i++) {
		struct item *it = &job->items[i];

		if (it->dir != dir) {
			if (fd >= 0)
				dirfd_put(cache, dir);
			dir = it->dir;
			fd = dirfd_get(cache, dir);
		}
		if (fd < 0)
			bad(it, "cannot open its directory", fd);
		if (job->large)
			run_large(r, job, fd);
		else if (fd >= 0)
			run_small(r->s, job, it, fd);
	}
	if (fd >= 0)
		dirfd_put(cache, dir);
}
