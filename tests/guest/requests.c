// SPDX-License-Identifier: GPL-2.0
/*
 * requests - how many requests to the device a shuffled pass over files takes.
 *
 * Drops all caches, reads every file of a tree (or those of a list, or every
 * n-th, or the first n of the shuffled) once in an order shuffled by a seed, as
 * a loader does, and prints what the block device counted meanwhile.  Counts depend only
 * on kernel, file system and device, so they can be compared where seconds cannot.  A
 * tree in memory has no device, and no counts.
 *
 * Patterns:
 *   whole   open, fstat, one read of the whole file, close
 *   pil     reads of 4,096, 61,440, then 65,536 bytes: torchvision with PIL
 *   imread  a peek of 32 bytes, back to 0, reads of 4,096 bytes: OpenCV's imread
 *   mmap    a mapping, each page of it in order
 *   part    64 reads of 4,096 bytes at places all over the file
 *   stat    lstat alone
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "lib.h"

#define ROOM	(4 << 20)
#define PARTS	64

struct counts {
	uint64_t reads, merges, sectors;
};

static char **files;
static size_t count, room;
static uint64_t bytes;
static char *buf;
static const char *tree;

static void add_file(const char *path)
{
	if (count == room) {
		room = room * 2 + 64;
		files = realloc(files, room * sizeof(*files));
		if (!files)
			t_die("memory", "realloc");
	}
	files[count] = strdup(path);
	if (!files[count++])
		t_die("memory", "strdup");
}

static void visit(const struct t_object *o)
{
	char path[4096];

	if (!S_ISREG(o->st.st_mode))
		return;
	snprintf(path, sizeof(path), "%s%s", tree, o->path);
	add_file(path);
}

static void read_list(const char *list)
{
	char line[4096], path[8192];
	FILE *f = fopen(list, "r");

	if (!f)
		t_die(list, "open");
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		snprintf(path, sizeof(path), "%s/%s", tree, line);
		add_file(path);
	}
	fclose(f);
}

static void keep_every(size_t n)
{
	size_t i, kept = 0;

	for (i = 0; i < count; i++) {
		if (i % n == 0)
			files[kept++] = files[i];
		else
			free(files[i]);
	}
	count = kept;
}

/* A generator of our own: the same numbers everywhere. */
static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

/* Fisher-Yates */
static void shuffle(uint64_t seed)
{
	size_t i, j;
	char *tmp;

	for (i = count; i > 1; i--) {
		j = next_random(&seed) % i;
		tmp = files[i - 1];
		files[i - 1] = files[j];
		files[j] = tmp;
	}
}

/* Every line of /sys/dev/block/MAJOR:MINOR/stat begins with reads. */
static void get_counts(const struct stat *st, struct counts *c)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(st->st_dev),
		 minor(st->st_dev));
	f = fopen(path, "r");
	if (!f && !major(st->st_dev)) {
		memset(c, 0, sizeof(*c));
		return;
	}
	if (!f || fscanf(f, "%" SCNu64 " %" SCNu64 " %" SCNu64, &c->reads, &c->merges,
			 &c->sectors) != 3)
		t_die(path, "read");
	fclose(f);
}

static void print_queue(const struct stat *st, const char *name)
{
	char path[96], value[32] = "-";
	FILE *f;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/queue/%s", major(st->st_dev),
		 minor(st->st_dev), name);
	f = fopen(path, "r");
	if (f) {
		if (fgets(value, sizeof(value), f))
			value[strcspn(value, "\n")] = 0;
		fclose(f);
	}
	printf(" %s=%s", name, value);
}

static void drop_caches(void)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY);

	sync();
	if (fd < 0 || write(fd, "3", 1) != 1)
		t_die("/proc/sys/vm/drop_caches", "write");
	close(fd);
}

static size_t step(int fd, size_t len)
{
	ssize_t n = read(fd, buf, len);

	if (n < 0)
		t_die("read", strerror(errno));
	return n;
}

static void by_whole(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		t_die("fstat", strerror(errno));
	if (st.st_size > ROOM)
		st.st_size = ROOM;
	bytes += step(fd, st.st_size);
}

static void by_pil(int fd)
{
	size_t len = 4096, n;

	do {
		n = step(fd, len);
		bytes += n;
		len = len == 4096 ? 61440 : 65536;
	} while (n);
}

static void by_imread(int fd)
{
	size_t n;

	step(fd, 32);
	lseek(fd, 0, SEEK_SET);
	do {
		n = step(fd, 4096);
		bytes += n;
	} while (n);
}

static void by_mmap(int fd)
{
	volatile const char *p;
	struct stat st;
	off_t i;

	if (fstat(fd, &st))
		t_die("fstat", strerror(errno));
	if (!st.st_size)
		return;
	p = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		t_die("mmap", strerror(errno));
	for (i = 0; i < st.st_size; i += 4096)
		(void)p[i];
	munmap((void *)p, st.st_size);
	bytes += st.st_size;
}

static void by_part(int fd)
{
	uint64_t seed = 1;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st))
		t_die("fstat", strerror(errno));
	for (int i = 0; i < PARTS && st.st_size >= 4096; i++) {
		n = pread(fd, buf, 4096, next_random(&seed) % (st.st_size / 4096) * 4096);
		if (n < 0)
			t_die("pread", strerror(errno));
		bytes += n;
	}
}

static const struct pattern {
	const char *name;
	void (*read)(int fd);
} patterns[] = {
	{ "whole", by_whole }, { "pil", by_pil }, { "imread", by_imread },
	{ "mmap", by_mmap }, { "part", by_part }, { "stat", NULL },
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void pass(const struct pattern *p)
{
	struct stat st;
	size_t i;
	int fd;

	for (i = 0; i < count; i++) {
		if (!p->read) {
			if (lstat(files[i], &st))
				t_die(files[i], "lstat");
			continue;
		}
		fd = open(files[i], O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			t_die(files[i], "open");
		p->read(fd);
		close(fd);
	}
}

enum cache { COLD, AS_IS, WARM };

static void measure(const struct pattern *p, enum cache cache)
{
	static const char * const names[] = { "cold", "as-is", "warm" };
	struct counts a, b;
	struct stat st;
	double start;

	/* Of the root, which no mount is without: a file could cost a request. */
	if (lstat(tree, &st))
		t_die(tree, "lstat");
	bytes = 0;
	if (cache == COLD)
		drop_caches();
	get_counts(&st, &a);
	PROFILE_START();
	start = now();
	pass(p);
	start = now() - start;
	PROFILE_STOP();
	get_counts(&st, &b);
	printf("pattern=%s cache=%s files=%zu bytes=%" PRIu64 " requests=%" PRIu64
	       " requests_per_file=%.3f sectors_per_file=%.1f seconds=%.6f files_per_second=%.0f",
	       p->name, names[cache], count, bytes, b.reads - a.reads,
	       (double)(b.reads - a.reads) / count, (double)(b.sectors - a.sectors) / count, start,
	       count / start);
	print_queue(&st, "max_sectors_kb");
	print_queue(&st, "read_ahead_kb");
	printf("\n");
}

static const struct option options[] = {
	{ "pattern", required_argument, NULL, 'p' },
	{ "seed", required_argument, NULL, 's' },
	{ "every", required_argument, NULL, 'e' },
	{ "first", required_argument, NULL, 'f' },
	{ "list", required_argument, NULL, 'l' },
	{ "keep-caches", no_argument, NULL, 'k' },
	{ "warm", no_argument, NULL, 'w' },
	{ }
};

static const struct pattern *find_pattern(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(patterns); i++) {
		if (!strcmp(patterns[i].name, name))
			return patterns + i;
	}
	fprintf(stderr, "requests: --pattern=%s: not whole, pil, imread, mmap, part or stat\n",
		name);
	exit(2);
}

static int usage(void)
{
	fprintf(stderr, "usage: requests [--pattern=whole|pil|imread|mmap|part|stat]\n"
		"                [--seed=N] [--every=N] [--first=N] [--keep-caches] [--warm]\n"
		"                [--list=FILE] DIR\n"
		"  --list=FILE    only these files, their names relative to DIR\n"
		"  --every=N      only every n-th file\n"
		"  --first=N      end after as many files\n"
		"  --keep-caches  drop no caches: of a mount that is new\n"
		"  --warm         a second pass over what the first one cached\n");
	return 2;
}

static void find_files(const char *list)
{
	struct t_walk w = { .root = tree, .visit = visit };

	if (list)
		read_list(list);
	else
		t_walk(&w);
	if (!count)
		t_die(tree, "no files");
}

int main(int argc, char **argv)
{
	const struct pattern *p = patterns;
	size_t every = 1, first = SIZE_MAX;
	const char *list = NULL;
	enum cache cache = COLD;
	uint64_t seed = 1;
	bool warm = false;
	int c;

	t_init("requests");
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'p':
			p = find_pattern(optarg);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'e':
			every = strtoull(optarg, NULL, 0);
			break;
		case 'f':
			first = strtoull(optarg, NULL, 0);
			break;
		case 'l':
			list = optarg;
			break;
		case 'k':
			cache = AS_IS;
			break;
		case 'w':
			warm = true;
			break;
		default:
			return usage();
		}
	}
	if (optind != argc - 1 || !every || !first)
		return usage();
	buf = t_alloc(ROOM);
	/* Its pages are of this program, not of the files. */
	memset(buf, 1, ROOM);
	tree = argv[optind];
	find_files(list);
	keep_every(every);
	shuffle(seed);
	if (first < count)
		count = first;
	measure(p, cache);
	if (warm)
		measure(p, WARM);
	return 0;
}
