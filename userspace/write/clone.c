// SPDX-License-Identifier: GPL-2.0
/*
 * A file that becomes a part of the target as it is.  Where the file system lets files
 * share blocks (XFS, Btrfs), nothing is copied; else the kernel copies if it can, so that
 * the bytes do not pass through here; else they are read and written.  And blocks of the target
 * that are given back.
 */
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "io.h"
#include "msg.h"
#include "output.h"

#define COPY_BYTES	1048576

static bool share(const struct output *out, u64 pos, int fd, u64 bytes)
{
	struct file_clone_range range = { .src_fd = fd, .dest_offset = pos };
	bool done;

	/* a length that is no multiple of a block is allowed as "up to the end" alone */
	if (!(bytes & (DSFS_BLOCK_SIZE - 1)))
		range.src_length = bytes;
	signals_write_begin();
	done = !ioctl(out->fd, FICLONERANGE, &range);
	signals_write_end();
	return done;
}

/* As far as the kernel copies.  Return: bytes. */
static u64 copy_in_kernel(const struct output *out, u64 pos, int fd, u64 bytes)
{
	u64 done = 0;
	ssize_t n = 1;

	while (n > 0 && done < bytes) {
		loff_t from = done, to = pos + done;
		u64 left = bytes - done;

		signals_write_begin();
		n = copy_file_range(fd, &from, out->fd, &to, left < 1 << 30 ? left : 1 << 30, 0);
		signals_write_end();
		if (n > 0)
			done += n;
	}
	return done;
}

static int copy_here(const struct output *out, u64 pos, int fd, const char *path, u64 from,
		     u64 bytes)
{
	char *buf = malloc(COPY_BYTES);
	int ret = buf ? 0 : no_memory();

	while (!ret && from < bytes) {
		const size_t want = bytes - from < COPY_BYTES ? bytes - from : COPY_BYTES;
		const size_t n = io_pread(fd, buf, want, from);

		if (n != want)
			ret = msg_fail(errno ? -errno : -EIO, path, "cannot read at byte %llu: %s",
				       from + n, errno ? strerror(errno) : "end of file");
		else
			ret = output_pwrite(out, buf, n, pos + from);
		from += n;
	}
	free(buf);
	return ret;
}

int output_clone(const struct output *out, u64 pos, int fd, const char *path, u64 bytes,
		 u64 *shared)
{
	if (!output_fits(out, pos, bytes))
		return -ENOSPC;
	if (share(out, pos, fd, bytes)) {
		*shared += bytes;
		return 0;
	}
	return copy_here(out, pos, fd, path, copy_in_kernel(out, pos, fd, bytes), bytes);
}

void output_discard(const struct output *out, u64 pos, u64 bytes)
{
	const u64 mask = DSFS_BLOCK_SIZE - 1, end = (pos + bytes) & ~mask;
	u64 range[2] = { (pos + mask) & ~mask };

	if (end <= range[0])
		return;
	range[1] = end - range[0];
	if (out->limit)
		ioctl(out->fd, BLKDISCARD, range);
	else
		fallocate(out->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, range[0], range[1]);
}
