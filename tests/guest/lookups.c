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
 * lookups --once DIR FILES COUNT: the first pass alone, without output, for scripts that count
 * requests to the device.
 *
 * All names are looked up once before that, and RCU gets two seconds to free what
 * was dropped: otherwise both would be counted.
 *
 * Exits 1 if a name that is there is not found, or one that is not is.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static const char *dir;
static uint64_t files, count;

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* One pass; what is looked for is printed before the clock starts. */
static uint64_t pass(const char *suffix, int want)
{
	uint64_t spent = 0, from, at;
	struct stat st;
	char path[256];
	int got;

	for (uint64_t i = 0; i < count; i++) {
		at = mix(i) % files;
		snprintf(path, sizeof(path), "%s/n%08u_%07llu.JPEG%s", dir,
			 (unsigned int)(at % 1000), (unsigned long long)at, suffix);
		from = now();
		got = stat(path, &st) ? errno : 0;
		spent += now() - from;
		if (got != want || (!got && st.st_size != 8)) {
			fprintf(stderr, "lookups: %s: error %d, size %lld\n", path, got,
				got ? -1LL : (long long)st.st_size);
			exit(1);
		}
	}
	return spent / count;
}

static void drop(void)
{
	struct timespec two = { .tv_sec = 2 };
	FILE *f = fopen("/proc/sys/vm/drop_caches", "w");

	if (!f || fputs("2", f) < 0 || fclose(f)) {
		perror("lookups: drop_caches");
		exit(1);
	}
	nanosleep(&two, NULL);
}

int main(int argc, char **argv)
{
	uint64_t cold, cached, miss;

	const bool once = argc == 5 && !strcmp(argv[1], "--once");

	if (argc != 4 + once) {
		fputs("usage: lookups [--once] DIR FILES COUNT\n", stderr);
		return 2;
	}
	argv += once;
	dir = argv[1];
	files = strtoull(argv[2], NULL, 10);
	count = strtoull(argv[3], NULL, 10);
	if (!files || !count)
		return 2;
	pass("", 0);
	if (once)
		return 0;
	drop();
	cold = pass("", 0);
	cached = pass("", 0);
	miss = pass(".not", ENOENT);
	printf("cold=%llu cached=%llu miss=%llu\n", (unsigned long long)cold,
	       (unsigned long long)cached, (unsigned long long)miss);
	return 0;
}
