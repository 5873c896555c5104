// SPDX-License-Identifier: GPL-2.0
/*
 * lookups - what it costs to find a name in a large directory.
 *
 * lookups DIR FILES COUNT: stat COUNT names, chosen at random, of a directory
 * that has FILES files named as tests/bench/scale names them, after names and
 * inodes were dropped; then the same names again; then as many that are not
 * there.  Prints nanoseconds each, which are instructions in a guest that counts
 * time so (run --icount):
 *
 *   cold=N cached=N miss=N
 *
 * --once in front: one pass over what a new mount has, without output, for who counts requests.
 *
 * All names are looked up once before that, and RCU gets two seconds to free what
 * was dropped: otherwise both would be counted.
 *
 * Exits 1 if a name that is there is not found, or one that is not is.
 */
#include "bench.h"

static const char *dir;
static uint64_t files, count;

/* One pass; what is looked for is printed before the clock starts. */
static uint64_t pass(const char *suffix, int want)
{
	uint64_t spent = 0, from, at;
	struct stat st;
	char path[256];
	int got;

	for (uint64_t i = 0; i < count; i++) {
		at = t_mix(i) % files;
		snprintf(path, sizeof(path), "%s/n%08u_%07llu.JPEG%s", dir,
			 (unsigned int)(at % 1000), (unsigned long long)at, suffix);
		from = bench_now();
		got = stat(path, &st) ? errno : 0;
		spent += bench_now() - from;
		if (got != want || (!got && st.st_size != 8)) {
			fprintf(stderr, "lookups: %s: error %d, size %lld\n", path, got,
				got ? -1LL : (long long)st.st_size);
			exit(1);
		}
	}
	return spent / count;
}

int main(int argc, char **argv)
{
	bool once = argc == 5 && !strcmp(argv[1], "--once");
	uint64_t cold, cached, miss;

	t_init("lookups");
	argv += once;
	if (argc - once != 4)
		t_usage("[--once] DIR FILES COUNT");
	dir = argv[1];
	files = strtoull(argv[2], NULL, 10);
	count = strtoull(argv[3], NULL, 10);
	if (!files || !count)
		return 2;
	pass("", 0);
	if (once)
		return 0;
	t_drop_caches("2");
	sleep(2);
	cold = pass("", 0);
	cached = pass("", 0);
	miss = pass(".not", ENOENT);
	printf("cold=%llu cached=%llu miss=%llu\n", (unsigned long long)cold,
	       (unsigned long long)cached, (unsigned long long)miss);
	return 0;
}
