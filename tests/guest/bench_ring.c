// SPDX-License-Identifier: GPL-2.0
/*
 * bench_ring - what a random read of 4 KiB that is cached costs by io_uring.
 *
 * A file system that cannot say "not without waiting" has its reads done by
 * worker threads; their number is printed.  Bare system calls: a library would
 * add instructions of its own.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/io_uring.h>

#include "lib.h"
#include "bench.h"

#define DEPTH_MAX	256
#define READ		4096
#define ROUNDS		5

static unsigned int depth = 32;
static unsigned long reads = 20000;
static uint64_t blocks, seed = 1;
static char *buf;

static struct {
	int fd;
	unsigned int *sq_tail, *sq_mask, *sq_array;
	unsigned int *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
} ring;

static void *map(size_t len, off_t what)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring.fd, what);

	if (p == MAP_FAILED)
		t_die("io_uring", "mmap");
	return p;
}

static void ring_open(void)
{
	struct io_uring_params p = { };
	char *sq, *cq;

	ring.fd = syscall(SYS_io_uring_setup, depth, &p);
	if (ring.fd < 0)
		t_die("io_uring_setup", "ring");
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
}

static uint64_t next_block(void)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % blocks;
}

static void queue(int fd, unsigned int slot)
{
	unsigned int tail = *ring.sq_tail, i = tail & *ring.sq_mask;
	struct io_uring_sqe *sqe = ring.sqes + i;

	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = IORING_OP_READ;
	sqe->fd = fd;
	sqe->addr = (uintptr_t)(buf + (size_t)slot * READ);
	sqe->len = READ;
	sqe->off = next_block() * READ;
	sqe->user_data = slot;
	ring.sq_array[i] = i;
	__atomic_store_n(ring.sq_tail, tail + 1, __ATOMIC_RELEASE);
}

/* The slots of what is done are filled again: as many reads are always on. */
static unsigned int reap(unsigned int *slots)
{
	unsigned int head = *ring.cq_head, n = 0;

	while (head != __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE)) {
		struct io_uring_cqe *cqe = ring.cqes + (head++ & *ring.cq_mask);

		if (cqe->res != READ) {
			errno = cqe->res < 0 ? -cqe->res : 0;
			t_die("io_uring", "read");
		}
		slots[n++] = cqe->user_data;
	}
	__atomic_store_n(ring.cq_head, head, __ATOMIC_RELEASE);
	return n;
}

static uint64_t pass(int fd, unsigned long count)
{
	unsigned int slots[DEPTH_MAX], free = depth, i, submit;
	unsigned long queued = 0, done = 0;
	uint64_t start = bench_now();

	for (i = 0; i < depth; i++)
		slots[i] = i;
	while (done < count) {
		for (submit = 0; submit < free && queued < count; submit++, queued++)
			queue(fd, slots[submit]);
		if (syscall(SYS_io_uring_enter, ring.fd, submit, 1, IORING_ENTER_GETEVENTS,
			    NULL, 0) < 0)
			t_die("io_uring_enter", "submit");
		free = reap(slots);
		done += free;
	}
	return bench_now() - start;
}

static unsigned int workers(void)
{
	char path[300], comm[32];
	unsigned int count = 0;
	struct dirent *de;
	DIR *d = opendir("/proc/self/task");
	FILE *f;

	if (!d)
		t_die("/proc/self/task", "open");
	while ((de = readdir(d))) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", de->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fgets(comm, sizeof(comm), f) && !strncmp(comm, "iou-wrk", 7))
			count++;
		fclose(f);
	}
	closedir(d);
	return count;
}

static int open_cached(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st))
		t_die(path, "open");
	blocks = st.st_size / READ;
	if (!blocks)
		t_die(path, "too short");
	while ((n = read(fd, buf, depth * READ)) > 0)
		;
	if (n)
		t_die(path, "read");
	return fd;
}

static void measure(int fd)
{
	unsigned int most = 0, now;
	double per[ROUNDS];
	int i;

	pass(fd, reads / 4);
	for (i = 0; i < ROUNDS; i++) {
		PROFILE_START();
		per[i] = (double)pass(fd, reads) / reads;
		PROFILE_STOP();
		now = workers();
		most = now > most ? now : most;
	}
	bench_sort(per, ROUNDS);
	printf("per_read=%.0f min=%.0f max=%.0f workers=%u depth=%u reads=%lu\n", per[ROUNDS / 2],
	       per[0], per[ROUNDS - 1], most, depth, reads);
}

static const struct option options[] = {
	{ "depth", required_argument, NULL, 'd' },
	{ "reads", required_argument, NULL, 'r' },
	{ }
};

int main(int argc, char **argv)
{
	int c;

	t_init("bench_ring");
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'd':
			depth = strtoul(optarg, NULL, 0);
			break;
		case 'r':
			reads = strtoul(optarg, NULL, 0);
			break;
		default:
			optind = argc;
		}
	}
	if (optind != argc - 1 || !depth || depth > DEPTH_MAX || !reads) {
		fprintf(stderr, "usage: bench_ring [--depth=N] [--reads=N] FILE\n");
		return 2;
	}
	buf = t_alloc(depth * READ);
	memset(buf, 1, depth * READ);
	ring_open();
	measure(open_cached(argv[optind]));
	return 0;
}
