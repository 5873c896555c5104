// SPDX-License-Identifier: GPL-2.0
/* Ways to read, see ways.h. */
#include <setjmp.h>
#include <sys/sendfile.h>

#include "ring.h"
#include "ways.h"

ssize_t way_pread(int fd, void *to, size_t len, uint64_t pos)
{
	return pread(fd, to, len, pos);
}

ssize_t way_nowait(int fd, void *to, size_t len, uint64_t pos)
{
	struct iovec v = { to, len };
	ssize_t n = preadv2(fd, &v, 1, pos, RWF_NOWAIT), more;

	if (n < 0 && errno != EAGAIN)
		return n;
	n = n < 0 ? 0 : n;
	more = pread(fd, (char *)to + n, len - n, pos + n);
	return more < 0 ? more : n + more;
}

ssize_t way_dontcache(int fd, void *to, size_t len, uint64_t pos)
{
	struct iovec v = { to, len };

	return preadv2(fd, &v, 1, pos, RWF_DONTCACHE);
}

ssize_t way_willneed(int fd, void *to, size_t len, uint64_t pos)
{
	posix_fadvise(fd, pos, len, POSIX_FADV_WILLNEED);
	return pread(fd, to, len, pos);
}

ssize_t way_readahead(int fd, void *to, size_t len, uint64_t pos)
{
	if (readahead(fd, pos, len))
		return -1;
	return pread(fd, to, len, pos);
}

ssize_t way_random(int fd, void *to, size_t len, uint64_t pos)
{
	ssize_t n;

	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	n = pread(fd, to, len, pos);
	posix_fadvise(fd, 0, 0, POSIX_FADV_NORMAL);
	return n;
}

static sigjmp_buf back;

static void on_sigbus(int sig)
{
	siglongjmp(back, sig);
}

/* False if that is a signal. */
static bool copied(void *to, const char *from, size_t len)
{
	if (sigsetjmp(back, 1))
		return false;
	memcpy(to, from, len);
	return true;
}

/* Are there zeros to the end of the page? */
static bool ends_in_zeros(const char *p, size_t len)
{
	for (; len && !*p; len--)
		p++;
	return !len;
}

static ssize_t mapped(int fd, void *to, size_t len, uint64_t pos, int flags, int advice, int later)
{
	const uint64_t page = sysconf(_SC_PAGESIZE), from = pos / page * page, skip = pos - from;
	const struct sigaction sa = { .sa_handler = on_sigbus };
	size_t room;
	struct stat st;
	int err = 0;
	char *p;

	if (fstat(fd, &st))
		return -1;
	if (pos >= (uint64_t)st.st_size || !len)
		return 0;
	len = len < st.st_size - pos ? len : st.st_size - pos;
	room = (skip + len + page - 1) / page * page;
	p = mmap(NULL, room, PROT_READ, flags, fd, from);
	if (p == MAP_FAILED)
		return -1;
	sigaction(SIGBUS, &sa, NULL);
	if (madvise(p, room, advice))
		err = errno;
	else if (!copied(to, p + skip, len))
		err = EIO;
	else if (later && madvise(p, room, later) && errno != EBUSY)
		err = errno;
	else if (later && !copied(to, p + skip, len))
		err = EIO;
	else if (pos + len == (uint64_t)st.st_size &&
		 !ends_in_zeros(p + skip + len, room - skip - len))
		err = EILSEQ;
	munmap(p, room);
	errno = err;
	return err ? -1 : (ssize_t)len;
}

ssize_t way_mmap(int fd, void *to, size_t len, uint64_t pos)
{
	return mapped(fd, to, len, pos, MAP_SHARED, MADV_NORMAL, 0);
}

ssize_t way_populate(int fd, void *to, size_t len, uint64_t pos)
{
	return mapped(fd, to, len, pos, MAP_SHARED | MAP_POPULATE, MADV_WILLNEED, 0);
}

ssize_t way_mmap_random(int fd, void *to, size_t len, uint64_t pos)
{
	return mapped(fd, to, len, pos, MAP_SHARED, MADV_RANDOM, 0);
}

ssize_t way_mmap_dontneed(int fd, void *to, size_t len, uint64_t pos)
{
	return mapped(fd, to, len, pos, MAP_PRIVATE, MADV_NORMAL, MADV_DONTNEED);
}

ssize_t way_mmap_pageout(int fd, void *to, size_t len, uint64_t pos)
{
	return mapped(fd, to, len, pos, MAP_SHARED, MADV_NORMAL, MADV_PAGEOUT);
}

/* Until there is no more, or as much as was wanted.  What is left in a pipe goes with it. */
ssize_t way_splice(int fd, void *to, size_t len, uint64_t pos)
{
	static int ends[2] = { -1, -1 };
	ssize_t n = 0, in = 0, got = 0;
	off_t at = pos;
	int err;

	if (ends[0] < 0 && pipe2(ends, O_CLOEXEC))
		return -1;
	while (!in && got < (ssize_t)len) {
		n = splice(fd, &at, ends[1], NULL, len - got, 0);
		in = n;
		if (n <= 0)
			break;
		/* An error may come only when the pipe is read. */
		for (; in; in -= n, got += n) {
			n = read(ends[0], (char *)to + got, in);
			if (n <= 0)
				break;
		}
	}
	if (n >= 0 && !in)
		return got;
	err = n < 0 ? errno : EPROTO;
	close(ends[0]);
	close(ends[1]);
	ends[0] = -1;
	errno = err;
	return -1;
}

ssize_t way_sendfile(int fd, void *to, size_t len, uint64_t pos)
{
	static int scratch = -1;
	ssize_t n = 0, got = 0;
	off_t at = pos;

	if (scratch < 0)
		scratch = memfd_create("scratch", MFD_CLOEXEC);
	if (scratch < 0 || ftruncate(scratch, 0) || lseek(scratch, 0, SEEK_SET))
		return -1;
	for (; got < (ssize_t)len; got += n) {
		n = sendfile(scratch, fd, &at, len - got);
		if (n <= 0)
			break;
	}
	return n < 0 ? n : pread(scratch, to, got, 0);
}

ssize_t way_ring(int fd, void *to, size_t len, uint64_t pos)
{
	struct io_uring_cqe cqe;

	if (!ring_open(RING_ENTRIES)) {
		errno = ENOSYS;
		return -1;
	}
	ring_queue(fd, to, len, pos, false, 0);
	ring_submit(1, 1);
	while (!ring_reap(&cqe))
		ring_submit(0, 1);
	if (cqe.res >= 0)
		return cqe.res;
	errno = -cqe.res;
	return -1;
}
