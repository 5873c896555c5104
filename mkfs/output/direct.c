// SPDX-License-Identifier: GPL-2.0
/*
 * Direct access to the target, past the window.  A write holds off signals: one that ends
 * the run would give a file its old length back while it is extended.
 */
#include <unistd.h>

#include "io.h"
#include "msg.h"
#include "output.h"

int output_fail(const struct output *out, const char *what)
{
	int ret = -errno;

	msg_error(out->path, "%s: %s", what, msg_why(errno));
	return ret;
}

int output_pwrite(const struct output *out, const char *p, size_t bytes, u64 pos)
{
	size_t done;
	int ret;

	signals_write_begin();
	done = io_pwrite(out->fd, p, bytes, pos);
	ret = done < bytes ? -errno : 0;
	if (ret)
		msg_error(out->path, "cannot write %zu bytes at byte %llu: %s", bytes - done,
			  pos + done, strerror(-ret));
	signals_write_end();
	return ret;
}

int output_pread(const struct output *out, char *p, size_t bytes, u64 pos)
{
	const size_t done = io_pread(out->fd, p, bytes, pos);
	const int err = errno;

	if (done == bytes)
		return 0;
	msg_error(out->path, "cannot read back %zu bytes at byte %llu: %s", bytes - done,
		  pos + done, err ? strerror(err) : "end of file");
	return err ? -err : -EIO;
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
