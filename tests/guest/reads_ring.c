// SPDX-License-Identifier: GPL-2.0
/*
 * Reads by io_uring, with bare system calls: a library could hide what the
 * kernel does.  Besides right bytes they prove that reads of cached pages
 * complete inside the call that submits them (FMODE_NOWAIT), which is what
 * asynchronous readers choose io_uring for.
 */
#include "reads.h"
#include "ring.h"

#define STEP	36864	/* no power of two: requests cross folios */
#define ROOM	(1 << 18)

static unsigned char *buf;

static bool have_ring(struct t_case *c)
{
	if (!ring_open(RING_ENTRIES)) {
		c->skip = "no io_uring here";
		return false;
	}
	if (!buf && posix_memalign((void **)&buf, PAGE, RING_ENTRIES * ROOM))
		t_die("memory", "posix_memalign");
	return true;
}

static void queue(int fd, int slot, uint64_t pos, size_t len, bool fixed)
{
	unsigned char *p = buf + (size_t)slot * ROOM;

	memset(p, CANARY, len);
	ring_queue(fd, p, len, pos, fixed, slot);
}

/* The whole file, RING_ENTRIES requests in flight; the last ones reach behind its end. */
static void ring_read(struct t_case *c, const struct reads_file *f, int fd, bool fixed,
		      const char *what)
{
	uint64_t pos[RING_ENTRIES], next = 0;
	struct io_uring_cqe cqe;
	int i, n;

	while (next <= f->size) {
		for (n = 0; n < RING_ENTRIES && next <= f->size; n++, next += STEP) {
			pos[n] = next;
			queue(fd, n, next, STEP, fixed);
		}
		ring_submit(n, n);
		for (i = 0; i < n; i++) {
			while (!ring_reap(&cqe))
				ring_submit(0, 1);
			errno = cqe.res < 0 ? -cqe.res : 0;
			reads_compare(c, f, buf + cqe.user_data * ROOM, pos[cqe.user_data],
				      cqe.res, STEP, what);
		}
	}
}

static void ring_all(struct t_case *c, const struct reads_file *f, bool fixed)
{
	int fd = openat(f->dir, f->name, O_RDONLY | O_DIRECT | O_CLOEXEC);

	reads_drop(f);
	ring_read(c, f, f->fd, fixed, "uncached");
	ring_read(c, f, f->fd, fixed, "cached");
	if (fd < 0)
		return;
	reads_drop(f);
	ring_read(c, f, fd, fixed, "O_DIRECT");
	close(fd);
}

static void ring_plain(struct t_case *c, const struct reads_file *f)
{
	if (have_ring(c))
		ring_all(c, f, false);
}

/* The kernel copies into pages that it knows, past any check of an address. */
static void ring_fixed(struct t_case *c, const struct reads_file *f)
{
	static bool registered;

	if (!have_ring(c))
		return;
	registered = registered || ring_register(buf, RING_ENTRIES * ROOM);
	if (registered)
		ring_all(c, f, true);
	else
		c->skip = "buffers can't be registered";
}

static void ring_inline(struct t_case *c, const struct reads_file *f)
{
	size_t len = f->size < 65536 ? f->size : 65536;
	struct io_uring_cqe cqe;
	bool at_once;

	if (!len || !have_ring(c))
		return;
	if (pread(f->fd, buf, len, 0) != (ssize_t)len)
		t_failed(c, f->path, "pread fails");
	queue(f->fd, 0, 0, len, false);
	ring_submit(1, 0);
	at_once = ring_reap(&cqe);
	t_check(c, at_once, f->path, "a cached read did not complete at once");
	while (!at_once && !ring_reap(&cqe))
		ring_submit(0, 1);
	errno = cqe.res < 0 ? -cqe.res : 0;
	reads_compare(c, f, buf, 0, cqe.res, len, "cached");
}

struct reads_check reads_ring[] = {
	{ { .name = "io_uring" }, .run = ring_plain },
	{ { .name = "io_uring into fixed buffers" }, .run = ring_fixed },
	{ { .name = "io_uring completes cached reads at once" }, .run = ring_inline },
	{ }
};
