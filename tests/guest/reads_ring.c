// SPDX-License-Identifier: GPL-2.0
/*
 * Reads by io_uring, with bare system calls: a library could hide what the
 * kernel does.  Besides right bytes they prove that reads of cached pages
 * complete inside the call that submits them (FMODE_NOWAIT), which is what
 * asynchronous readers choose io_uring for.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/io_uring.h>

#include "reads.h"

#define ENTRIES	8
#define STEP	36864	/* no power of two: requests cross folios */
#define ROOM	(1 << 18)

static struct {
	int fd;
	unsigned int *sq_tail, *sq_mask, *sq_array;
	unsigned int *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
} ring = { .fd = -1 };

static unsigned char *buf;

static bool ring_open(struct t_case *c)
{
	struct io_uring_params p = { };
	char *sq, *cq;

	if (ring.fd >= 0)
		return true;
	ring.fd = syscall(SYS_io_uring_setup, ENTRIES, &p);
	if (ring.fd < 0) {
		if (errno != ENOSYS && errno != EPERM)
			t_die("io_uring_setup", "ring");
		c->skip = "no io_uring here";
		return false;
	}
	sq = mmap(NULL, p.sq_off.array + p.sq_entries * sizeof(int), PROT_READ | PROT_WRITE,
		  MAP_SHARED, ring.fd, IORING_OFF_SQ_RING);
	cq = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe),
		  PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, IORING_OFF_CQ_RING);
	ring.sqes = mmap(NULL, p.sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE,
			 MAP_SHARED, ring.fd, IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || ring.sqes == MAP_FAILED)
		t_die("io_uring", "mmap");
	ring.sq_tail = (void *)(sq + p.sq_off.tail);
	ring.sq_mask = (void *)(sq + p.sq_off.ring_mask);
	ring.sq_array = (void *)(sq + p.sq_off.array);
	ring.cq_head = (void *)(cq + p.cq_off.head);
	ring.cq_tail = (void *)(cq + p.cq_off.tail);
	ring.cq_mask = (void *)(cq + p.cq_off.ring_mask);
	ring.cqes = (void *)(cq + p.cq_off.cqes);
	if (posix_memalign((void **)&buf, PAGE, ENTRIES * ROOM))
		t_die("memory", "posix_memalign");
	return true;
}

static void queue(int fd, int slot, uint64_t pos, size_t len)
{
	unsigned int tail = *ring.sq_tail, i = tail & *ring.sq_mask;
	struct io_uring_sqe *sqe = ring.sqes + i;

	memset(buf + (size_t)slot * ROOM, CANARY, len);
	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_READ;
	sqe->fd = fd;
	sqe->addr = (uintptr_t)(buf + (size_t)slot * ROOM);
	sqe->len = len;
	sqe->off = pos;
	sqe->user_data = slot;
	ring.sq_array[i] = i;
	__atomic_store_n(ring.sq_tail, tail + 1, __ATOMIC_RELEASE);
}

static void submit(unsigned int count, unsigned int wait)
{
	if (syscall(SYS_io_uring_enter, ring.fd, count, wait, wait ? IORING_ENTER_GETEVENTS : 0,
		    NULL, 0) < 0)
		t_die("io_uring_enter", "submit");
}

static bool reap(struct io_uring_cqe *cqe)
{
	unsigned int head = *ring.cq_head;

	if (head == __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE))
		return false;
	*cqe = ring.cqes[head & *ring.cq_mask];
	__atomic_store_n(ring.cq_head, head + 1, __ATOMIC_RELEASE);
	return true;
}

/* The whole file, ENTRIES requests in flight; the last ones reach behind its end. */
static void ring_read(struct t_case *c, const struct reads_file *f, int fd, const char *what)
{
	uint64_t pos[ENTRIES], next = 0;
	struct io_uring_cqe cqe;
	int i, n;

	while (next <= f->size) {
		for (n = 0; n < ENTRIES && next <= f->size; n++, next += STEP) {
			pos[n] = next;
			queue(fd, n, next, STEP);
		}
		submit(n, n);
		for (i = 0; i < n; i++) {
			while (!reap(&cqe))
				submit(0, 1);
			errno = cqe.res < 0 ? -cqe.res : 0;
			reads_compare(c, f, buf + cqe.user_data * ROOM, pos[cqe.user_data],
				      cqe.res, STEP, what);
		}
	}
}

static void ring_buffered(struct t_case *c, const struct reads_file *f)
{
	if (!ring_open(c))
		return;
	reads_drop(f);
	ring_read(c, f, f->fd, "uncached");
	ring_read(c, f, f->fd, "cached");
}

static void ring_direct(struct t_case *c, const struct reads_file *f)
{
	int fd;

	if (!ring_open(c))
		return;
	fd = openat(f->dir, f->name, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		return;
	reads_drop(f);
	ring_read(c, f, fd, "O_DIRECT");
	close(fd);
}

static void ring_inline(struct t_case *c, const struct reads_file *f)
{
	size_t len = f->size < 65536 ? f->size : 65536;
	struct io_uring_cqe cqe;
	bool at_once;

	if (!len || !ring_open(c))
		return;
	if (pread(f->fd, buf, len, 0) != (ssize_t)len)
		t_failed(c, f->path, "pread fails");
	queue(f->fd, 0, 0, len);
	submit(1, 0);
	at_once = reap(&cqe);
	t_check(c, at_once, f->path, "a cached read did not complete at once");
	while (!at_once && !reap(&cqe))
		submit(0, 1);
	errno = cqe.res < 0 ? -cqe.res : 0;
	reads_compare(c, f, buf, 0, cqe.res, len, "cached");
}

struct reads_check reads_ring[] = {
	{ { .name = "io_uring" }, ring_buffered },
	{ { .name = "io_uring with O_DIRECT" }, ring_direct },
	{ { .name = "io_uring completes cached reads at once" }, ring_inline },
	{ }
};
