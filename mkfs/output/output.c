// SPDX-License-Identifier: GPL-2.0
/*
 * The target.  It is written front to back through a window of a few MiB, which
 * small files can still be put into without seeking back on the disk.
 *
 * A file has no name until it is complete, or a temporary one where the file
 * system has no unnamed files, so an interrupted run leaves nothing.  A device
 * loses its superblocks before anything else is written.
 *
 * An update writes behind the image and changes nothing of it until the new
 * data is on the disk.  Then it writes one superblock and, when that is on the
 * disk, the other.  After a loss of power at any time, one superblock is valid
 * and all that it refers to is there.  Signals end the run in front of the first
 * superblock, and not behind it.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "bootsector.h"
#include "msg.h"
#include "output.h"

#define UNIT		OUTPUT_UNIT
#define BLOCK_MASK	((u64)DSFS_BLOCK_SIZE - 1)
#define SKIP_MIN	(1024 * 1024)	/* zeros that are left out of a file */

int output_fail(const struct output *out, const char *what)
{
	int ret = -errno;

	msg_error(out->path, "%s: %s", what, msg_why(errno));
	return ret;
}

/* Write; called between signals_write_begin() and signals_write_end(). */
static int pwrite_all(const struct output *out, const char *p, size_t bytes,
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

			msg_error(out->path, "cannot write %zu bytes at byte %llu: %s",
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

int output_pwrite(const struct output *out, const char *p, size_t bytes,
		  u64 pos)
{
	int ret;

	signals_write_begin();
	ret = pwrite_all(out, p, bytes, pos);
	signals_write_end();
	return ret;
}

/* Wait until the writer is idle. */
static int output_wait(struct output *out)
{
	int ret = writer_wait(&out->writer);

	if (out->written < out->base)
		window_leave(&out->window, out->written, out->base);
	out->written = out->base;
	return ret;
}

static int pread_all(struct output *out, char *p, size_t bytes, u64 pos)
{
	int ret = output_wait(out);

	while (!ret && bytes) {
		ssize_t n = pread(out->fd, p, bytes, pos);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			msg_error(out->path, "cannot read back %zu bytes at byte %llu: %s",
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
	out->open = true;
	out->written = start;
	out->base = start;
	out->head = start;
	out->high = start;
	ret = window_init(&out->window);
	if (!ret)
		ret = writer_start(&out->writer, out);
	if (ret)
		msg_error(NULL, "cannot start writing: %s", strerror(-ret));
	return ret;
}

/* Write the first @bytes of the window. */
static int flush_some(struct output *out, u64 bytes)
{
	while (bytes) {
		u64 n = UNIT - out->base % UNIT;
		int ret = output_wait(out);

		if (ret)
			return ret;
		if (n > bytes)
			n = bytes;
		writer_put(&out->writer,
			   window_pieces(&out->window, out->base, n,
					 out->writer.parts), n, out->base);
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

int output_flush(struct output *out)
{
	u64 end = out->head & ~BLOCK_MASK;	/* the last block may be filled further */
	u64 unit = UNIT - out->base % UNIT;
	int ret;

	if (end > out->base) {
		ret = flush_some(out, end - out->base < unit ? end - out->base :
							       unit);
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
	int ret = flush_some(out, out->head - out->base);

	return ret ? ret : output_wait(out);
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

	if (out->head >= out->zeros && pos >= out->head + SKIP_MIN &&
	    out->high <= out->head) {
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

bool output_fits(const struct output *out, u64 pos, u64 bytes)
{
	if (!out->limit || pos + bytes <= out->limit)
		return true;
	msg_error(out->path, "device too small: %llu bytes: no room for %llu bytes at byte %llu",
		  (unsigned long long)out->limit, (unsigned long long)bytes,
		  (unsigned long long)pos);
	return false;
}

u64 output_end(const struct output *out)
{
	return out->limit ? out->limit : out->length;
}

int output_pad(const struct output *out, u64 from, u64 to)
{
	static const char zeros[DSFS_BLOCK_SIZE];

	/* a new file has zeros there; writing them would take shared blocks apart */
	if (from == to || (!out->device && !out->update))
		return 0;
	return output_fits(out, from, to - from) ?
	       output_pwrite(out, zeros, to - from, from) : -ENOSPC;
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

		ret = output_wait(out);
		if (!ret)
			ret = output_pwrite(out, from, n, pos);
		if (ret)
			return ret;
		from += n;
		pos += n;
		bytes -= n;
	}
	ret = pos > out->head ? skip_to(out, pos) : 0;
	return ret ? ret : copy_in(out, pos, from, bytes);
}

/* What is on the disk already becomes a hole where the target can do that. */
static bool punch(struct output *out, u64 pos, u64 bytes)
{
	bool done;

	if (pos + bytes > out->base || output_wait(out))
		return false;
	signals_write_begin();
	done = !fallocate(out->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, pos, bytes);
	signals_write_end();
	return done;
}

int output_zero(struct output *out, u64 pos, u64 bytes)
{
	static const char zeros[65536];
	int ret = 0;
	u64 n;

	if (punch(out, pos, bytes))
		return 0;
	for (; !ret && bytes; bytes -= n, pos += n) {
		n = bytes < sizeof(zeros) ? bytes : sizeof(zeros);
		ret = output_write(out, pos, zeros, n);
	}
	return ret;
}

int output_lend(struct output *out, u64 pos, char *p, size_t bytes,
		unsigned int *lent)
{
	int ret;

	if (bytes < OUTPUT_LEND_MIN || bytes > UNIT || pos < out->head ||
	    (pos | (uintptr_t)p) & BLOCK_MASK)
		return output_write(out, pos, p, bytes);
	if (!output_fits(out, pos, bytes))
		return -ENOSPC;
	ret = skip_to(out, pos);
	if (!ret)
		ret = make_room(out, pos + bytes);
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

int output_compare(struct output *out, u64 pos, const void *p, size_t bytes)
{
	const char *with = p;
	char buf[65536];
	int ret;

	while (bytes) {
		const char *have;
		u64 n = bytes;

		if (pos < out->base) {
			if (n > out->base - pos)
				n = out->base - pos;
			if (n > sizeof(buf))
				n = sizeof(buf);
			ret = pread_all(out, buf, n, pos);
			if (ret)
				return ret;
			have = buf;
		} else {
			have = window_at(&out->window, pos, &n);
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
			const char *p = window_at(&out->window, b, &n);

			memcpy(buf, p, n);
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

/* Extend a file. */
static int set_length(const struct output *out, u64 bytes)
{
	int ret = 0;

	signals_write_begin();
	if (ftruncate(out->fd, bytes))
		ret = output_fail(out, "cannot set the length");
	signals_write_end();
	return ret;
}

/* It comes with the superblocks: what was not finished must not look like a disk. */
static int write_bootsector(const struct output *out)
{
	u8 sector[BOOTSECTOR_BYTES];

	if (!out->boot_signature)
		return 0;
	bootsector_fill(sector);
	return output_pwrite(out, (const char *)sector, sizeof(sector), 0);
}

static int write_slot(const struct output *out, const void *slot, unsigned int n)
{
	return output_pwrite(out, slot, DSFS_SB_SIZE, DSFS_SB_POS(n));
}

/* Both have to be on the disk, in any order: the target is no image yet. */
static int write_new(struct output *out, const void *const slots[2])
{
	int ret;

	if (out->device)
		signals_ignore();
	ret = write_bootsector(out);
	for (unsigned int i = 0; !ret && i < DSFS_SB_SLOTS; i++)
		ret = write_slot(out, slots[i], i);
	return ret ? ret : sync_target(out);
}

static int replace_slot(const struct output *out, const void *slot, unsigned int n)
{
	int ret = write_slot(out, slot, n);

	return ret ? ret : sync_target(out);
}

/*
 * The first superblock could not be written, or nobody knows whether it was: give its slot
 * the bytes of before.  If that fails, too, all that the new generation refers to has to stay.
 */
static void restore_slot(struct output *out, const void *old, unsigned int n)
{
	out->committed = replace_slot(out, old, n);
	if (!out->committed)
		msg_error(out->path, out->in_place ? "there is no image" :
			  "is as it was: nothing of the update is in it");
	else
		msg_error(out->path,
			  "superblock slot %u may be damaged: the other one is as it was: run fsck.dsfs",
			  n);
}

static int write_update(struct output *out, const void *const slots[2])
{
	const unsigned int first = out->first_slot, second = !first;
	char old[DSFS_SB_SIZE];
	int ret = pread_all(out, old, sizeof(old), DSFS_SB_POS(first));

	if (ret)
		return ret;
	signals_ignore();
	ret = write_bootsector(out);
	if (ret)
		return ret;
	ret = replace_slot(out, slots[first], first);
	if (ret) {
		restore_slot(out, old, first);
		return ret;
	}
	out->committed = true;
	ret = replace_slot(out, slots[second], second);
	if (ret)
		msg_error(out->path,
			  "has the new tree, but superblock slot %u may be damaged: the next update writes both",
			  second);
	return ret;
}

int output_finish(struct output *out, const void *const slots[2], u64 bytes)
{
	int ret = output_settle(out);

	if (!ret && !out->device && bytes > out->length)
		ret = set_length(out, bytes);
	if (!ret && out->replace)
		keep_attrs(out);
	if (!ret)
		ret = sync_target(out);
	if (!ret)
		ret = (out->update ? write_update : write_new)(out, slots);
	if (!ret && !out->device && !out->update)
		ret = target_name(out);
	return ret;
}

/* A superblock may have been written before the error. */
static void abort_device(const struct output *out)
{
	static const char zero[DSFS_SB_SIZE];
	int ret = 0;

	for (unsigned int i = 0; i < DSFS_SB_SLOTS; i++)
		ret |= write_slot(out, zero, i);
	if (out->boot_signature)
		ret |= output_pwrite(out, zero, BOOTSECTOR_BYTES, 0);
	if (sync_target(out) || ret)
		msg_error(out->path,
			  "superblocks of the new image may be on it: run wipefs before it is used");
}

/* An update that no superblock refers to. */
static void abort_update(const struct output *out)
{
	static const char zero[BOOTSECTOR_BYTES];

	/* a program that finds one would not take the target for empty */
	if (out->boot_signature)
		output_pwrite(out, zero, sizeof(zero), 0);
	if (!out->device && ftruncate(out->fd, out->length))
		msg_warn(out->path, "cannot set the length: %s: unused bytes are behind the image",
			 strerror(errno));
}

void output_abort(struct output *out)
{
	writer_end(&out->writer);
	if (out->update) {
		if (out->open && !out->committed)
			abort_update(out);
		signals_unguard();
		return;
	}
	if (out->device && out->open) {
		abort_device(out);
		out->open = false;
	}
	if (out->temp) {
		if (unlink(out->temp))
			msg_warn(out->temp, "cannot be removed: %s", strerror(errno));
		signals_unguard();
		free(out->temp);
		out->temp = NULL;
	}
}

void output_free(struct output *out)
{
	writer_end(&out->writer);
	if (out->fd >= 0)
		close(out->fd);
	window_free(&out->window);
	free(out->path);
	free(out->temp);
}
