// SPDX-License-Identifier: GPL-2.0
/*
 * The target.  Writing goes front to back through a window, so that small
 * files can still be put into the last few MiB without going back on disk.
 *
 * A file has no name until it is whole (or a temporary one where the file
 * system cannot do that), so a run that ends in the middle leaves nothing; a
 * device loses its superblocks before anything else is written to it.
 *
 * An update writes behind the image and touches nothing of it until all of that
 * is on the disk; then one superblock, and when that is on the disk the other.
 * Whenever it is cut off, one superblock is good and all that it refers to is
 * there.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "msg.h"
#include "output.h"

#define UNIT		OUTPUT_UNIT
#define RING_ALIGN	65536		/* as much as any disk's blocks */
#define SKIP_MIN	(1024 * 1024)	/* zeros that are left out of a file */

int output_fail(const struct output *out, const char *what)
{
	int ret = -errno;

	msg_error(out->path, "%s: %s", what, strerror(errno));
	return ret;
}

int output_pwrite(const struct output *out, const char *p, size_t bytes,
		  u64 pos)
{
	while (bytes) {
		ssize_t n = pwrite(out->fd, p, bytes, pos);

		if (n < 0 && errno == EINTR)
			continue;
		if (!n)
			errno = ENOSPC;
		if (n <= 0) {
			int ret = -errno;

			msg_error(out->path, "cannot write %zu bytes at %llu: %s",
				  bytes, (unsigned long long)pos,
				  strerror(errno));
			return ret;
		}
		p += n;
		pos += n;
		bytes -= n;
	}
	return 0;
}

static int pread_all(struct output *out, char *p, size_t bytes, u64 pos)
{
	int ret = writer_wait(&out->writer);

	while (!ret && bytes) {
		ssize_t n = pread(out->fd, p, bytes, pos);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			msg_error(out->path, "cannot read back %zu bytes at %llu: %s",
				  bytes, (unsigned long long)pos,
				  n ? strerror(errno) : "end of file");
			return n ? -errno : -EIO;
		}
		p += n;
		pos += n;
		bytes -= n;
	}
	return ret;
}

int output_open(struct output *out, u64 start)
{
	int ret = out->update ? target_open_update(out) :
		  out->device ? target_wipe(out) : target_open_file(out);

	if (ret)
		return ret;
	out->ring = aligned_alloc(RING_ALIGN, OUTPUT_RING);
	out->base = start;
	out->head = start;
	out->high = start;
	ret = out->ring ? writer_start(&out->writer, out) : -ENOMEM;
	if (ret)
		msg_error(NULL, "cannot start writing: %s", strerror(-ret));
	return ret;
}

/* Write the first @bytes of the window; the ring may wrap within them. */
static int flush_some(struct output *out, u64 bytes)
{
	while (bytes) {
		u64 at = out->base % OUTPUT_RING, n = UNIT - at % UNIT;
		int ret;

		if (n > bytes)
			n = bytes;
		ret = writer_put(&out->writer, out->ring + at, n, out->base);
		if (ret)
			return ret;
		out->base += n;
		bytes -= n;
	}
	if (out->high < out->base)
		out->high = out->base;
	return 0;
}

/* Room in the ring for bytes up to @end. */
static int make_room(struct output *out, u64 end)
{
	while (end > out->base + OUTPUT_WINDOW) {
		u64 unit = UNIT - out->base % UNIT;
		int ret;

		if (unit > out->head - out->base)
			unit = out->head - out->base;
		ret = flush_some(out, unit);
		if (ret)
			return ret;
	}
	return 0;
}

/* Zeros up to @pos; many of them become a hole of a new file. */
static int skip_to(struct output *out, u64 pos)
{
	int ret;

	if (out->head >= out->zeros && pos >= out->head + SKIP_MIN &&
	    out->high <= out->head) {
		ret = flush_some(out, out->head - out->base);
		/* the ring's place of @pos may be that of what is in flight */
		if (!ret)
			ret = writer_wait(&out->writer);
		if (ret)
			return ret;
		out->base = pos;
		out->head = pos;
		return 0;
	}
	while (out->head < pos) {
		u64 n = pos - out->head;
		u64 at = out->head % OUTPUT_RING;

		if (n > OUTPUT_RING - at)
			n = OUTPUT_RING - at;
		if (n > UNIT)
			n = UNIT;
		ret = make_room(out, out->head + n);
		if (ret)
			return ret;
		memset(out->ring + at, 0, n);
		out->head += n;
	}
	return 0;
}

/* Where a piece at @pos may go without leaving @limit; splits at the wrap. */
static u64 ring_piece(u64 pos, u64 bytes)
{
	u64 left = OUTPUT_RING - pos % OUTPUT_RING;

	if (bytes > UNIT)
		bytes = UNIT;
	return bytes < left ? bytes : left;
}

int output_write(struct output *out, u64 pos, const void *p, size_t bytes)
{
	const char *from = p;
	int ret;

	if (out->limit && pos + bytes > out->limit) {
		msg_error(out->path, "device too small: %llu bytes: no room for %zu bytes at %llu",
			  (unsigned long long)out->limit, bytes,
			  (unsigned long long)pos);
		return -ENOSPC;
	}
	if (pos < out->base) {		/* a gap that has left the window */
		u64 n = out->base - pos < bytes ? out->base - pos : bytes;

		ret = writer_wait(&out->writer);
		if (!ret)
			ret = output_pwrite(out, from, n, pos);
		if (ret)
			return ret;
		from += n;
		pos += n;
		bytes -= n;
	}
	ret = pos > out->head ? skip_to(out, pos) : 0;
	while (!ret && bytes) {
		u64 n = ring_piece(pos, bytes);

		ret = make_room(out, pos + n);
		if (ret)
			break;
		memcpy(out->ring + pos % OUTPUT_RING, from, n);
		from += n;
		pos += n;
		bytes -= n;
		if (pos > out->head)
			out->head = pos;
	}
	return ret;
}

void output_cut(struct output *out, u64 pos)
{
	/* an error shows at the next write */
	if (pos < out->base)
		writer_wait(&out->writer);
	if (pos < out->head)
		out->head = pos;
	if (pos < out->base)
		out->base = pos;
}

int output_compare(struct output *out, u64 pos, const void *p, size_t bytes)
{
	const char *with = p;
	char buf[65536];
	int ret;

	while (bytes) {
		u64 n = ring_piece(pos, bytes);
		const char *have = out->ring + pos % OUTPUT_RING;

		if (pos < out->base) {
			if (n > out->base - pos)
				n = out->base - pos;
			if (n > sizeof(buf))
				n = sizeof(buf);
			ret = pread_all(out, buf, n, pos);
			if (ret)
				return ret;
			have = buf;
		}
		if (memcmp(have, with, n))
			return 0;
		with += n;
		pos += n;
		bytes -= n;
	}
	return 1;
}

int output_compare_ranges(struct output *out, u64 a, u64 b, u64 bytes)
{
	char buf[65536];
	int ret = 1;

	while (ret == 1 && bytes) {
		u64 n = bytes < sizeof(buf) ? bytes : sizeof(buf);

		if (b < out->base) {
			if (n > out->base - b)
				n = out->base - b;
			ret = pread_all(out, buf, n, b);
			if (ret)
				return ret;
		} else {
			n = ring_piece(b, n);
			memcpy(buf, out->ring + b % OUTPUT_RING, n);
		}
		ret = output_compare(out, a, buf, n);
		a += n;
		b += n;
		bytes -= n;
	}
	return ret;
}

static int sync_target(const struct output *out)
{
	return fsync(out->fd) ? output_fail(out, "cannot write") : 0;
}

static int write_slots(struct output *out, const void *const slots[2])
{
	unsigned int first = out->update ? out->first_slot : 0;
	int ret = 0;

	for (unsigned int i = 0; !ret && i < DSFS_SB_SLOTS; i++) {
		unsigned int slot = first ^ i;

		ret = output_pwrite(out, slots[slot], DSFS_SB_SIZE,
				    DSFS_SB_POS(slot));
		/* a new image is not there before it is whole, one slot or two */
		if (!ret && (out->update || i))
			ret = sync_target(out);
	}
	return ret;
}

int output_finish(struct output *out, const void *const slots[2], u64 bytes)
{
	int ret = flush_some(out, out->head - out->base);

	if (!ret)
		ret = writer_wait(&out->writer);
	if (!ret && !out->device && bytes > out->length &&
	    ftruncate(out->fd, bytes))
		ret = output_fail(out, "cannot set the length");
	if (!ret)
		ret = sync_target(out);
	if (ret)
		return ret;
	if (out->update) {
		/* from here on what was added may be what the image consists of */
		signals_unguard();
		out->committed = true;
	}
	ret = write_slots(out, slots);
	if (!ret && !out->device && !out->update) {
		ret = target_name(out);
		/* whole, and under its name: nothing can fail any more */
		if (!ret)
			target_sync_parent(out);
	}
	return ret;
}

void output_abort(struct output *out)
{
	char zero[DSFS_SB_SIZE] = { 0 };

	writer_end(&out->writer);
	if (out->update) {
		if (!out->device && !out->committed && out->ring &&
		    ftruncate(out->fd, out->length))
			msg_warn(out->path, "cannot set the length: %s",
				 strerror(errno));
		signals_unguard();
		return;
	}
	if (out->device && out->ring) {
		/* a superblock may have been written before the error came */
		for (unsigned int i = 0; i < DSFS_SB_SLOTS; i++)
			output_pwrite(out, zero, sizeof(zero), DSFS_SB_POS(i));
		fsync(out->fd);
	}
	if (out->temp) {
		unlink(out->temp);
		signals_unguard();
	}
}

void output_free(struct output *out)
{
	writer_end(&out->writer);
	if (out->fd >= 0)
		close(out->fd);
	free(out->ring);
	free(out->path);
	free(out->temp);
}
