// SPDX-License-Identifier: GPL-2.0
/*
 * bench_read - how long the sequential read of a file takes, cold or cached.
 *
 * Where the clock counts instructions (tests/vm/run --icount) and the device
 * has no latency, nanoseconds are instructions, those of the kernel's threads
 * included: nothing else runs, and nobody waits.  Prints the median of the
 * passes and their range.
 */
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib.h"
#include "bench.h"

#define PASSES_MAX	99

static size_t block = 131072;
static char *buf;

static void drop_caches(void)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY);

	sync();
	if (fd < 0 || write(fd, "3", 1) != 1)
		t_die("/proc/sys/vm/drop_caches", "write");
	close(fd);
}

static uint64_t read_all(const char *path, uint64_t *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t start;
	ssize_t n;

	if (fd < 0)
		t_die(path, "open");
	*bytes = 0;
	PROFILE_START();
	start = bench_now();
	while ((n = read(fd, buf, block)) > 0)
		*bytes += n;
	start = bench_now() - start;
	PROFILE_STOP();
	if (n < 0)
		t_die(path, "read");
	close(fd);
	return start;
}

static const struct option options[] = {
	{ "block", required_argument, NULL, 'b' },
	{ "passes", required_argument, NULL, 'p' },
	{ "cold", no_argument, NULL, 'c' },
	{ }
};

int main(int argc, char **argv)
{
	unsigned long passes = 3, i;
	double per[PASSES_MAX];
	bool cold = false;
	uint64_t bytes;
	int c;

	t_init("bench_read");
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'b':
			block = strtoul(optarg, NULL, 0);
			break;
		case 'p':
			passes = strtoul(optarg, NULL, 0);
			break;
		case 'c':
			cold = true;
			break;
		default:
			optind = argc;
		}
	}
	if (optind != argc - 1 || !block || !passes || passes > PASSES_MAX) {
		fprintf(stderr, "usage: bench_read [--block=N] [--passes=N] [--cold] FILE\n");
		return 2;
	}
	buf = t_alloc(block);
	memset(buf, 1, block);
	mlockall(MCL_CURRENT | MCL_FUTURE);
	if (!cold)
		read_all(argv[optind], &bytes);
	for (i = 0; i < passes; i++) {
		if (cold)
			drop_caches();
		per[i] = (double)read_all(argv[optind], &bytes) / bytes;
	}
	bench_sort(per, passes);
	printf("per_byte=%.4f min=%.4f max=%.4f mb_s=%.1f bytes=%llu passes=%lu\n",
	       per[passes / 2], per[0], per[passes - 1], 1000 / per[passes / 2],
	       (unsigned long long)bytes, passes);
	return 0;
}
