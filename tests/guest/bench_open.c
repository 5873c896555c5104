// SPDX-License-Identifier: GPL-2.0
/*
 * bench_open - what it costs to open a cached file, read it and close it.
 *
 * Each pass does that for all files of a directory.  A pass is short, so that a tick of the
 * kernel's timer falls into few of the passes and does not change the median.  For a machine
 * whose clock counts instructions.
 */
#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib.h"
#include "bench.h"

#define FILES_MAX	256
#define PASSES_MAX	999

static char *names[FILES_MAX];
static size_t files;
static char buf[65536];

static void find_files(const char *path)
{
	struct dirent *e;
	DIR *dir = opendir(path);

	if (!dir || chdir(path))
		t_die(path, "open");
	while ((e = readdir(dir)) && files < FILES_MAX) {
		if (e->d_type != DT_REG)
			continue;
		names[files] = strdup(e->d_name);
		if (!names[files++])
			t_die("memory", "strdup");
	}
	closedir(dir);
	if (!files)
		t_die(path, "no files");
}

static double pass(void)
{
	uint64_t start = bench_now();
	size_t i;
	int fd;

	for (i = 0; i < files; i++) {
		fd = open(names[i], O_RDONLY | O_CLOEXEC);
		if (fd < 0 || read(fd, buf, sizeof(buf)) <= 0)
			t_die(names[i], "read");
		close(fd);
	}
	return (double)(bench_now() - start) / files;
}

static const struct option options[] = {
	{ "passes", required_argument, NULL, 'p' },
	{ }
};

int main(int argc, char **argv)
{
	unsigned long passes = 301, i;
	double per[PASSES_MAX];
	int c;

	t_init("bench_open");
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'p')
			passes = strtoul(optarg, NULL, 0);
		else
			optind = argc;
	}
	if (optind != argc - 1 || !passes || passes > PASSES_MAX) {
		fprintf(stderr, "usage: bench_open [--passes=N] DIR\n");
		return 2;
	}
	find_files(argv[optind]);
	mlockall(MCL_CURRENT | MCL_FUTURE);
	pass();
	for (i = 0; i < passes; i++)
		per[i] = pass();
	bench_sort(per, passes);
	printf("per_file=%.1f min=%.1f max=%.1f files=%zu passes=%lu\n", per[passes / 2],
	       per[0], per[passes - 1], files, passes);
	return 0;
}
