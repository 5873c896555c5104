// SPDX-License-Identifier: GPL-2.0
/*
 * A file that becomes a part of the target as it is.  Where the file system lets files
 * share blocks (XFS, Btrfs), nothing is copied; else the kernel copies if it can, so that
 * the bytes do not pass through here; else they are read and written.
 */
#include <stdlib.h>
#include <unistd.h>

#include "msg.h"
#include "output.h"
#include "share.h"

#define COPY_BYTES	1048576

static bool share(const struct output *out, u64 pos, int fd, u64 bytes)
{
	bool done;

	signals_write_begin();
	done = share_blocks(out->fd, pos, fd, bytes);
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

static int copy_some(const struct output *out, u64 pos, int fd, const char *path, u64 from,
		     char *buf, size_t *bytes)
{
	ssize_t n = pread(fd, buf, *bytes, from);

	if (n < 0 && errno == EINTR) {
		*bytes = 0;
		return 0;
	}
	if (n <= 0) {
		int ret = n ? -errno : -EIO;

		msg_error(path, "cannot read at byte %llu: %s", (unsigned long long)from,
			  n ? strerror(errno) : "end of file");
		return ret;
	}
	*bytes = n;
	return output_pwrite(out, buf, n, pos);
}

static int copy_here(const struct output *out, u64 pos, int fd, const char *path, u64 from,
		     u64 bytes)
{
	char *buf = malloc(COPY_BYTES);
	int ret = buf ? 0 : -ENOMEM;

	if (ret)
		no_memory();
	while (!ret && from < bytes) {
		size_t n = bytes - from < COPY_BYTES ? bytes - from : COPY_BYTES;

		ret = copy_some(out, pos + from, fd, path, from, buf, &n);
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
