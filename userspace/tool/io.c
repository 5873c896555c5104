// SPDX-License-Identifier: GPL-2.0
/*
 * pread(2) and pwrite(2) may do less than they were asked for.  Whoever wants all bytes of a
 * range would have a loop around each call.
 */
#include <unistd.h>

#include "io.h"

size_t io_pread(int fd, void *p, size_t bytes, u64 pos)
{
	size_t done = 0;
	ssize_t n;

	while (done < bytes) {
		n = pread(fd, (char *)p + done, bytes - done, pos + done);
		if (n < 0 && errno == EINTR)
			continue;
		if (!n)
			errno = 0;
		if (n <= 0)
			break;
		done += n;
	}
	return done;
}

size_t io_pwrite(int fd, const void *p, size_t bytes, u64 pos)
{
	size_t done = 0;
	ssize_t n;

	while (done < bytes) {
		n = pwrite(fd, (const char *)p + done, bytes - done, pos + done);
		if (n < 0 && errno == EINTR)
			continue;
		if (!n)
			errno = ENOSPC;
		if (n <= 0)
			break;
		done += n;
	}
	return done;
}

int io_fwrite(FILE *out, const void *data, u64 bytes)
{
	static const char zeros[65536];
	size_t n;

	/* a stream that fails need not set it */
	errno = 0;
	for (; bytes; bytes -= n) {
		n = data || bytes < sizeof(zeros) ? bytes : sizeof(zeros);
		if (fwrite(data ? data : zeros, 1, n, out) != n)
			return errno ? -errno : -EIO;
	}
	return 0;
}
