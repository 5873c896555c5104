// SPDX-License-Identifier: GPL-2.0
/*
 * bench_ring - what a random read of 4 KiB that is cached costs by io_uring.
 *
 * io_uring gives the reads of a file system without FMODE_NOWAIT to worker
 * threads; their number is printed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib.h"
#include "bench.h"
#include "ring.h"

#define DEPTH_MAX	256
#define READ		4096
#define ROUNDS		5

static unsigned int depth = 32;
static unsigned long reads = 20000;
static uint64_t blocks, seed = 1;
static char *buf;

static uint64_t next_block(void)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % blocks;
}

/* The slots of what is done are filled again: as many reads are always on. */
static unsigned int reap(unsigned int *slots)
{
	struct io_uring_cqe cqe;
	unsigned int n = 0;

	while (ring_reap(&cqe)) {
		if (cqe.res != READ) {
			errno = cqe.res < 0 ? -cqe.res : 0;
			t_die("io_uring", "read");
		}
		slots[n++] = cqe.user_data;
	}
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
			ring_queue(fd, buf + (size_t)slots[submit] * READ, READ,
				   next_block() * READ, false, slots[submit]);
		ring_submit(submit, 1);
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
	if (!ring_open(depth))
		t_die("io_uring", "ring");
	measure(open_cached(argv[optind]));
	return 0;
}
