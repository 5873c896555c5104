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

#include "../base/base.h"
#include "../source/manifest.h"
#include "stream.h"

#define FILE_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

/**
 * struct input - where a file's bytes come from
 * @fd: -1: they are made up, as a manifest says
 * @base: where in @fd they begin
 * @origin: the file of a manifest that @fd is; NULL: it is the file itself
 */
struct input {
	int fd;
	u64 base;
	const struct origin *origin;
};

static void bad(struct item *it, const char *why, int err)
{
	it->why = why;
	it->err = err;
}

static int open_name(int dirfd, const struct node *n)
{
	int flags = FILE_FLAGS | O_NOFOLLOW;
	int fd = openat(dirfd, node_name(n), flags | O_NOATIME);

	if (fd < 0 && errno == EPERM)	/* not its owner */
		fd = openat(dirfd, node_name(n), flags);
	return fd < 0 ? -errno : fd;
}

/* A directory that moved or was shut costs no file that others lead to. */
static int open_other_name(struct reader *r, const struct node *n)
{
	struct dirfd_cache *cache = &r->s->src->dirs;
	const struct hlink *l = n->flags & NODE_LINK ? n->u.link->next : NULL;
	int fd = -ENOENT;

	for (; l && fd < 0; l = l->next) {
		int dirfd = dirfd_get(cache, l->dir);

		if (dirfd < 0)
			continue;
		fd = open_name(dirfd, l->first);
		dirfd_put(cache, l->dir);
	}
	return fd;
}

static int open_file(struct reader *r, int dirfd, struct item *it)
{
	int fd = dirfd < 0 ? dirfd : open_name(dirfd, it->node);
	int other = fd < 0 ? open_other_name(r, it->node) : -1;

	if (other >= 0)
		return other;
	if (dirfd < 0)
		bad(it, "cannot open its directory", fd);
	else if (fd == -ENOENT)
		bad(it, "vanished during the run", 0);
	else if (fd < 0)
		bad(it, "cannot open", fd);
	return fd;
}

/* A manifest's contents often come from one file: it stays open. */
static int open_origin(struct reader *r, const struct origin *o, struct item *it)
{
	if (r->origin == o)
		return r->fd;
	reader_end(r);
	r->fd = openat(r->s->src->dirs.slots[0].fd, o->path, FILE_FLAGS);
	if (r->fd < 0)
		bad(it, "cannot open", -errno);
	else
		r->origin = o;
	return r->fd;
}

static bool open_input(struct reader *r, int dirfd, struct item *it,
		       struct input *in)
{
	const struct part *part;

	*in = (struct input){ .fd = -1 };
	if (it->node->flags & (NODE_ZERO | NODE_PATTERN))
		return true;
	if (!r->s->src->manifest) {
		in->fd = open_file(r, dirfd, it);
		return in->fd >= 0;
	}
	part = node_data(it->node)->part;
	in->origin = part->origin;
	in->base = part->offset;
	in->fd = open_origin(r, part->origin, it);
	return in->fd >= 0;
}

static void close_input(struct input *in)
{
	if (in->fd >= 0 && !in->origin)
		close(in->fd);
}

/* After reading: was it still the file that was scanned? */
static bool check_file(const struct input *in, struct item *it)
{
	const struct node *n = it->node;
	u64 size = in->origin ? in->origin->size : n->size;
	struct stat st;

	if (in->fd < 0)
		return true;
	if (fstat(in->fd, &st)) {
		bad(it, "cannot read attributes", -errno);
		return false;
	}
	if (!S_ISREG(st.st_mode))
		bad(it, "was replaced during the run", 0);
	else if (st.st_size < size)
		bad(it, "shrank during the run", 0);
	else if (st.st_size > size)
		bad(it, "grew during the run", 0);
	else if (scan_check(&st) != n->check)
		bad(it, "changed during the run", 0);
	return !it->why;
}

/* @bytes bytes of the file from @pos on, or a reason why not. */
static bool read_at(const struct input *in, struct item *it, char *p,
		    size_t bytes, u64 pos)
{
	const struct node *n = it->node;
	size_t done = 0;

	if (n->flags & NODE_ZERO)
		memset(p, 0, bytes);
	else if (n->flags & NODE_PATTERN)
		fill_pattern(p, bytes, node_data(it->node)->seed, pos);
	else
		pos += in->base;
	while (in->fd >= 0 && done < bytes) {
		ssize_t got = pread(in->fd, p + done, bytes - done, pos + done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			bad(it, got ? "cannot read" : "shrank during the run",
			    got ? -errno : 0);
			return false;
		}
		done += got;
	}
	return true;
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
	unsigned int bits = s->src->params.chunk_bits;

	it->hash = stream_hash(s, 0, buf, it->stored);
	it->first_sum = job->nsums;
	for (u64 at = 0; bits && at < it->stored; at += 1ULL << bits) {
		u64 n = it->stored - at;
		u32 sum;

		if (n > 1ULL << bits)
			n = 1ULL << bits;
		sum = dsfs_crc32c(0, buf + at, n);
		it->hash = stream_hash_sum(s, it->hash, sum);
		job->sums[job->nsums++] = sum;
	}
	it->sums = job->nsums - it->first_sum;
}

/* The inode of the image that the item may be the same as; 0: none. */
static u32 old_inode(struct reader *r, const struct item *it)
{
	struct base *base = r->s->src->base;
	u32 ino = base ? base_old(base, it->dir, it->node) : 0;

	if (ino && !r->past)
		r->past = image_source(&base->img, 1);
	return r->past ? ino : 0;
}

/* An update, and a file whose size is that of before: is it the same? */
static bool same_small(struct reader *r, struct item *it, const char *buf)
{
	u32 ino = old_inode(r, it);
	struct same same;

	if (!ino)
		return false;
	same_begin(&same, r->s->src->base, r->past, ino);
	same_data(&same, buf, it->stored);
	return same_end(&same, it->sparse, it->segments, it->nsegments);
}

static void run_small(struct reader *r, struct job *job, struct item *it,
		      int dirfd)
{
	char *buf = job->buf + it->off;
	struct input in;

	if (!open_input(r, dirfd, it, &in))
		return;
	if (read_at(&in, it, buf, it->node->size, 0) && check_file(&in, it)) {
		it->stored = it->node->size;
		if (it->stored >= HOLE_MIN && holes_any(buf, it->stored))
			squeeze_small(it, buf);
		if (!it->why)
			sum_small(r->s, job, it, buf);
		if (!it->why)
			it->kept = same_small(r, it, buf);
	}
	close_input(&in);
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
	unsigned int bits = l->s->src->params.chunk_bits;
	struct piece *p = l->piece;

	l->hash = stream_hash(l->s, l->hash, l->buf, p->bytes);
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
		l->hash = stream_hash_sum(l->s, l->hash, l->sum);
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

/* Whether the file's own holes are worth asking for. */
static bool has_holes(const struct input *in, u64 size)
{
	struct stat st;

	if (in->fd < 0 || in->base || (in->origin && in->origin->size != size))
		return false;
	posix_fadvise(in->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return !fstat(in->fd, &st) && st.st_blocks < size / 512;
}

static int read_large(struct reader *r, const struct input *in,
		      struct item *it, struct holes *h)
{
	u64 size = it->node->size, pos = 0, end = size;
	bool seek = has_holes(in, size);
	int ret = 0;

	if (it->node->flags & NODE_ZERO) {
		ret = holes_zeros(h, size);
		pos = size;
	}
	for (bool first = true; !ret && pos < size; first = false) {
		u64 from = pos, want;

		if (seek && (first || pos >= end)) {
			end = next_data(in->fd, size, &pos);
			if (pos > from)
				ret = holes_zeros(h, pos - from);
			continue;
		}
		want = end - pos < STAGING_BYTES ? end - pos : STAGING_BYTES;
		if (!read_at(in, it, r->staging, want, pos))
			return -1;
		ret = holes_data(h, r->staging, want);
		pos += want;
	}
	return ret ? ret : holes_end(h);
}

/*
 * A large file is written while it is read, so it is read once more, before, if
 * it may be the same.
 */
static void same_large(struct reader *r, const struct input *in, struct item *it)
{
	u32 ino = old_inode(r, it);
	struct same same;
	struct holes h;
	int ret;

	if (!ino)
		return;
	same_begin(&same, r->s->src->base, r->past, ino);
	holes_init(&h, same_data, &same);
	ret = same.differs ? -ECANCELED : read_large(r, in, it, &h);
	if (!ret && check_file(in, it))
		it->kept = same_end(&same, h.sparse,
				    (struct dsfs_segment *)h.segments.p,
				    h.segments.n);
	holes_free(&h);
}

static void run_large(struct reader *r, struct job *job, int dirfd)
{
	struct large l = { .s = r->s, .job = job };
	struct item *it = &job->items[0];
	struct input in = { .fd = -1 };
	struct holes h;
	int ret;

	holes_init(&h, large_emit, &l);
	l.chunk_left = 1ULL << r->s->src->params.chunk_bits;
	l.piece = stream_piece_get(r->s, job, &l.buf);
	if (l.piece)
		l.piece->bytes = 0;
	if (l.piece && open_input(r, dirfd, it, &in)) {
		same_large(r, &in, it);
		ret = it->kept || it->why ? 0 : read_large(r, &in, it, &h);
		if (it->kept) {
			sum_piece(&l, true);
		} else if (!ret && !it->why && check_file(&in, it)) {
			sum_piece(&l, true);
			it->hash = l.hash;
			take_holes(it, &h);
		} else if (ret && !it->why) {
			bad(it, "out of memory", ret);
		}
		close_input(&in);
	}
	if (l.piece) {
		l.piece->last = true;
		stream_piece_put(r->s, job);
	}
	holes_free(&h);
}

/* Files of a directory, which is opened for them. */
static int enter_dir(struct dirfd_cache *cache, struct dir *dir,
		     struct dir *last, int last_fd)
{
	if (dir == last)
		return last_fd;
	if (last_fd >= 0)
		dirfd_put(cache, last);
	return dir ? dirfd_get(cache, dir) : -1;
}

void reader_run(struct reader *r, struct job *job)
{
	struct dirfd_cache *cache = &r->s->src->dirs;
	bool manifest = r->s->src->manifest;
	struct dir *dir = NULL;
	int fd = -1;

	for (unsigned int i = 0; i < job->nitems; i++) {
		struct item *it = &job->items[i];

		if (!manifest) {
			fd = enter_dir(cache, it->dir, dir, fd);
			dir = it->dir;
		}
		if (job->large)
			run_large(r, job, fd);
		else
			run_small(r, job, it, fd);
	}
	enter_dir(cache, NULL, dir, fd);
}

void reader_end(struct reader *r)
{
	if (r->origin)
		close(r->fd);
	r->origin = NULL;
}
