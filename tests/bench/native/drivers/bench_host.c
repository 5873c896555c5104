// SPDX-License-Identifier: GPL-2.0
/*
 * The host's side of the benchmark's drivers: a file of the host as memory, and the
 * processor time that the host has given to this kernel.
 *
 * Why the host's clock: the kernel's own counts ticks.  The host counts what its
 * scheduler gave, so that other work there disturbs little.
 */
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "bench_host.h"

void *bench_host_map(const char *path, unsigned long long *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *map = MAP_FAILED;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st)) {
		*size = st.st_size;
		map = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	}
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

unsigned long long bench_host_cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}
