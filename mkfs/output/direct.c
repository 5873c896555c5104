// SPDX-License-Identifier: GPL-2.0
/*
 * Direct access to the target, past the window.  A write holds off signals: one that ends
 * the run would give a file its old length back while it is extended.
 */
#include <unistd.h>

#include "msg.h"
#include "output.h"

int output_fail(const struct output *out, const char *what)
{
	int ret = -errno;

	msg_error(out->path, "%s: %s", what, msg_why(errno));
	return ret;
}

/* Write; called between signals_write_begin() and signals_write_end(). */
static int pwrite_all(const struct output *out, const char *p, size_t bytes, u64 pos)
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
				  bytes, pos, strerror(errno));
			return ret;
		}
		p += n;
		pos += n;
		bytes -= n;
	}
	return 0;
}

int output_pwrite(const struct output *out, const char *p, size_t bytes, u64 pos)
{
	int ret;

	signals_write_begin();
	ret = pwrite_all(out, p, bytes, pos);
	signals_write_end();
	return ret;
}

int output_pread(const struct output *out, char *p, size_t bytes, u64 pos)
{
	while (bytes) {
		ssize_t n = pread(out->fd, p, bytes, pos);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			msg_error(out->path, "cannot read back %zu bytes at byte %llu: %s",
				  bytes, pos, n ? strerror(errno) : "end of file");
			return n ? -errno : -EIO;
		}
		p += n;
		pos += n;
		bytes -= n;
	}
	return 0;
}

int output_sync(const struct output *out)
{
	return fsync(out->fd) ? output_fail(out, "cannot write") : 0;
}

bool output_fits(const struct output *out, u64 pos, u64 bytes)
{
	if (!out->limit || pos + bytes <= out->limit)
		return true;
	msg_error(out->path, "device too small: %llu bytes: no room for %llu bytes at byte %llu",
		  out->limit, bytes, pos);
	return false;
}

int output_pad(const struct output *out, u64 from, u64 to)
{
	static const char zeros[DSFS_BLOCK_SIZE];

	/* a file has zeros behind its end; writing them would take shared blocks apart */
	if (from == to || from >= output_end(out))
		return 0;
	return output_fits(out, from, to - from) ?
	       output_pwrite(out, zeros, to - from, from) : -ENOSPC;
}
