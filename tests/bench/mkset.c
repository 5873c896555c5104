// SPDX-License-Identifier: GPL-2.0
/*
 * mkset - make the tree of a data set, fast.
 *
 * Why not real pictures: a measurement of file systems needs the sizes and the
 * names of a data set, and contents that no file system can make smaller.  A
 * generator of pseudo-random bytes makes a gigabyte of those in a second or
 * two, and millions of empty files as fast as the disk's file system takes
 * them.
 *
 * Names are like ImageNet's, n01440764/n01440764_10026.JPEG.  The same
 * arguments make the same tree, times included.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX	(1 << 20)
#define FIRST_CLASS	1440764
#define CLASS_STEP	7919	/* numbers with gaps, as there */
#define FIRST_TIME	1600000000

static const struct {
	uint32_t from;
	int weight;
} buckets[] = {
	{ 2048, 1 }, { 4096, 2 }, { 8192, 4 }, { 16384, 8 },
	{ 32768, 13 }, { 65536, 38 }, { 131072, 33 }, { 262144, 1 },
};

#define NBUCKETS	((int)(sizeof(buckets) / sizeof(buckets[0])))

static uint64_t contents[FILE_MAX / 8];
static int imagenet = 1;	/* sizes like there, or: */
static uint64_t low, high;

static void die(const char *path, const char *what)
{
	fprintf(stderr, "mkset: %s: %s: %s\n", path, what, strerror(errno));
	exit(1);
}

/* SplitMix64: the n-th number of the stream @seed. */
static uint64_t rnd(uint64_t seed, uint64_t n)
{
	uint64_t x = seed * 0xd1342543de82ef95ULL + n * 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static uint32_t like_imagenet(uint64_t index)
{
	int total = 0, pick, i;

	for (i = 0; i < NBUCKETS; i++)
		total += buckets[i].weight;
	pick = rnd(index, 1) % total;
	for (i = 0; i < NBUCKETS - 1; i++) {
		pick -= buckets[i].weight;
		if (pick < 0)
			break;
	}
	return buckets[i].from + rnd(index, 2) % buckets[i].from;
}

static uint32_t draw_size(uint64_t index)
{
	if (imagenet)
		return like_imagenet(index);
	return low + rnd(index, 2) % (high - low + 1);
}

static void set_time(int fd, const char *name, uint64_t index)
{
	struct timespec times[2] = { { .tv_sec = FIRST_TIME + index } };

	times[1] = times[0];
	if (futimens(fd, times))
		die(name, "times");
}

static void make_file(int dir, const char *name, uint64_t index)
{
	uint32_t size = draw_size(index), i;
	int fd;

	for (i = 0; i < (size + 7) / 8; i++)
		contents[i] = rnd(index + 1000, i);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0 || (size && write(fd, contents, size) != size))
		die(name, "write");
	set_time(fd, name, index);
	if (close(fd))
		die(name, "close");
}

/* The files of a class, which are every @classes-th of all. */
static void make_class(int root, uint64_t class, uint64_t classes, uint64_t files)
{
	int number = FIRST_CLASS + class * CLASS_STEP, dir;
	char name[64];
	uint64_t i, n;

	snprintf(name, sizeof(name), "n%08d", number);
	if (mkdirat(root, name, 0755))
		die(name, "mkdir");
	dir = openat(root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		die(name, "open");
	for (i = class, n = 0; i < files; i += classes, n++) {
		snprintf(name, sizeof(name), "n%08d_%llu.JPEG", number,
			 (unsigned long long)(n * 16 + rnd(3, i) % 16));
		make_file(dir, name, i);
	}
	set_time(dir, name, class);
	close(dir);
}

static uint64_t number(const char *s, const char *what, uint64_t max)
{
	char *end;
	unsigned long long v = strtoull(s, &end, 10);

	if (*s >= '0' && *s <= '9' && !*end && v <= max)
		return v;
	fprintf(stderr, "mkset: --%s=%s: not a number up to %llu\n", what, s,
		(unsigned long long)max);
	exit(2);
}

static void set_sizes(char *s)
{
	char *dash = strchr(s, '-');

	if (!strcmp(s, "imagenet"))
		return;
	imagenet = 0;
	if (dash)
		*dash++ = 0;
	low = number(s, "sizes", FILE_MAX);
	high = number(dash ? dash : s, "sizes", FILE_MAX);
	if (low > high) {
		fprintf(stderr, "mkset: --sizes: not imagenet and not LOW-HIGH\n");
		exit(2);
	}
}

static const struct option options[] = {
	{ "files", required_argument, NULL, 'n' },
	{ "classes", required_argument, NULL, 'c' },
	{ "sizes", required_argument, NULL, 's' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

int main(int argc, char **argv)
{
	uint64_t files = 8000, classes = 40, class;
	int c, root;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'n':
			files = number(optarg, "files", 1000000000);
			break;
		case 'c':
			classes = number(optarg, "classes", 10000);
			break;
		case 's':
			set_sizes(optarg);
			break;
		default:
			fprintf(c == 'h' ? stdout : stderr,
				"usage: mkset [--files=8000] [--classes=40] "
				"[--sizes=imagenet|LOW-HIGH] DIR\n");
			return c == 'h' ? 0 : 2;
		}
	}
	if (optind != argc - 1 || !classes) {
		fprintf(stderr, "mkset: one directory, please: see --help\n");
		return 2;
	}
	if (mkdir(argv[optind], 0755))
		die(argv[optind], "mkdir");
	root = open(argv[optind], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		die(argv[optind], "open");
	for (class = 0; class < classes; class++)
		make_class(root, class, classes, files);
	set_time(root, argv[optind], 0);
	return 0;
}
