// SPDX-License-Identifier: GPL-2.0
/* io_uring for tests, see ring.h. */

#include "ring.h"

static struct {
	int fd;
	unsigned int *sq_tail, *sq_mask, *sq_array;
	unsigned int *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
} ring = { .fd = -1 };

static void *map(size_t len, off_t what)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd, what);

	if (p == MAP_FAILED)
		t_die("io_uring", "mmap");
	return p;
}

bool ring_open(unsigned int entries)
{
	struct io_uring_params p = { };
	char *sq, *cq;

	if (ring.fd >= 0)
		return true;
	ring.fd = syscall(SYS_io_uring_setup, entries, &p);
	if (ring.fd < 0) {
		if (errno != ENOSYS && errno != EPERM)
			t_die("io_uring_setup", "ring");
		return false;
	}
	sq = map(p.sq_off.array + p.sq_entries * sizeof(int), IORING_OFF_SQ_RING);
	cq = map(p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), IORING_OFF_CQ_RING);
	ring.sqes = map(p.sq_entries * sizeof(struct io_uring_sqe), IORING_OFF_SQES);
	ring.sq_tail = (void *)(sq + p.sq_off.tail);
	ring.sq_mask = (void *)(sq + p.sq_off.ring_mask);
	ring.sq_array = (void *)(sq + p.sq_off.array);
	ring.cq_head = (void *)(cq + p.cq_off.head);
	ring.cq_tail = (void *)(cq + p.cq_off.tail);
	ring.cq_mask = (void *)(cq + p.cq_off.ring_mask);
	ring.cqes = (void *)(cq + p.cq_off.cqes);
	return true;
}

bool ring_register(void *buf, size_t len)
{
	struct iovec v = { buf, len };

	return !syscall(SYS_io_uring_register, ring.fd, IORING_REGISTER_BUFFERS, &v, 1);
}

void ring_queue(int fd, void *buf, size_t len, uint64_t pos, bool fixed, uint64_t data)
{
	unsigned int tail = *ring.sq_tail, i = tail & *ring.sq_mask;
	struct io_uring_sqe *sqe = ring.sqes + i;

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = fixed ? IORING_OP_READ_FIXED : IORING_OP_READ;
	sqe->fd = fd;
	sqe->addr = (uintptr_t)buf;
	sqe->len = len;
	sqe->off = pos;
	sqe->user_data = data;
	ring.sq_array[i] = i;
	__atomic_store_n(ring.sq_tail, tail + 1, __ATOMIC_RELEASE);
}

void ring_submit(unsigned int count, unsigned int wait)
{
	if (syscall(SYS_io_uring_enter, ring.fd, count, wait, wait ? IORING_ENTER_GETEVENTS : 0,
		    NULL, 0) < 0 && errno != EINTR)
		t_die("io_uring_enter", "submit");
}

bool ring_reap(struct io_uring_cqe *cqe)
{
	unsigned int head = *ring.cq_head;

	if (head == __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE))
		return false;
	*cqe = ring.cqes[head & *ring.cq_mask];
	__atomic_store_n(ring.cq_head, head + 1, __ATOMIC_RELEASE);
	return true;
}
