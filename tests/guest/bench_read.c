// SPDX-License-Identifier: GPL-2.0
/*
 * bench_read - how long the sequential cold read of a file takes.
 *
 * Where the clock counts instructions (tests/vm/run --icount) and the device
 * has no latency, nanoseconds are instructions, those of the kernel's threads
 * included: nothing else runs, and nobody waits.  Prints the median of the
 * passes and their range.
 */
#include "bench.h"

#define PASSES_MAX	99

static char buf[131072];

static uint64_t read_all(const char *path, uint64_t *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t start;
	ssize_t n;

	if (fd < 0)
		t_die(path, "open");
	*bytes = 0;
	start = bench_now();
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		*bytes += n;
	start = bench_now() - start;
	if (n < 0)
		t_die(path, "read");
	close(fd);
	return start;
}

int main(int argc, char **argv)
{
	uint64_t passes = 3, bytes = 0, i;
	double per[PASSES_MAX];
	const struct t_option options[] = { { "passes", .number = &passes }, { } };
	const char *path;

	t_init("bench_read");
	path = *t_options(argc, argv, options, 1, "[--passes=N] FILE");
	if (!passes || passes > PASSES_MAX)
		return 2;
	memset(buf, 1, sizeof(buf));
	mlockall(MCL_CURRENT | MCL_FUTURE);
	for (i = 0; i < passes; i++) {
		t_drop_caches("3");
		per[i] = (double)read_all(path, &bytes) / bytes;
	}
	bench_sort(per, passes);
	printf("per_byte=%.4f min=%.4f max=%.4f mb_s=%.1f bytes=%llu passes=%llu\n",
	       per[passes / 2], per[0], per[passes - 1], 1000 / per[passes / 2],
	       (unsigned long long)bytes, (unsigned long long)passes);
	return 0;
}
