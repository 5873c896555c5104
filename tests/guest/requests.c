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
 *   stat    lstat alone
 */
#include <sys/sysmacros.h>

#include "bench.h"

#define ROOM	(4 << 20)

static struct t_files files;
static uint64_t bytes;
static char *buf;
static const char *tree;

static void visit(const struct t_object *o)
{
	char path[4096];

	if (!S_ISREG(o->st.st_mode))
		return;
	snprintf(path, sizeof(path), "%s%s", tree, o->path);
	t_add_file(&files, path);
}

static void keep_every(size_t n)
{
	size_t i, kept = 0;

	for (i = 0; i < files.count; i += n)
		files.paths[kept++] = files.paths[i];
	files.count = kept;
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

static size_t step(int fd, size_t len)
{
	ssize_t n = read(fd, buf, len);

	if (n < 0)
		t_die("read", strerror(errno));
	bytes += n;
	return n;
}

static void by_whole(int fd, off_t size)
{
	step(fd, size < ROOM ? size : ROOM);
}

static void by_pil(int fd, off_t size)
{
	size_t len;

	(void)size;
	for (len = 4096; step(fd, len);)
		len = len == 4096 ? 61440 : 65536;
}

static void by_imread(int fd, off_t size)
{
	(void)size;
	step(fd, 32);
	bytes -= lseek(fd, 0, SEEK_CUR);
	lseek(fd, 0, SEEK_SET);
	while (step(fd, 4096))
		;
}

static void by_mmap(int fd, off_t size)
{
	volatile const char *p;
	off_t i;

	if (!size)
		return;
	p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		t_die("mmap", strerror(errno));
	for (i = 0; i < size; i += 4096)
		(void)p[i];
	munmap((void *)p, size);
	bytes += size;
}

static const struct pattern {
	const char *name;
	void (*read)(int fd, off_t size);
} patterns[] = {
	{ "whole", by_whole }, { "pil", by_pil }, { "imread", by_imread },
	{ "mmap", by_mmap }, { "stat", NULL },
};

static void pass(const struct pattern *p)
{
	struct stat st;
	size_t i;
	int fd;

	for (i = 0; i < files.count; i++) {
		if (!p->read) {
			if (lstat(files.paths[i], &st))
				t_die(files.paths[i], "lstat");
			continue;
		}
		fd = open(files.paths[i], O_RDONLY | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &st))
			t_die(files.paths[i], "open");
		p->read(fd, st.st_size);
		close(fd);
	}
}

static void measure(const struct pattern *p, bool warm)
{
	struct t_counts a, b;
	struct stat st;
	double start;

	/* Of the root, which no mount is without: a file could cost a request. */
	if (lstat(tree, &st))
		t_die(tree, "lstat");
	bytes = 0;
	if (!warm)
		t_drop_caches("3");
	a = t_device_counts(tree);
	start = bench_now();
	pass(p);
	start = (bench_now() - start) / 1e9;
	b = t_device_counts(tree);
	printf("pattern=%s cache=%s files=%zu bytes=%" PRIu64 " requests=%" PRIu64
	       " requests_per_file=%.3f sectors_per_file=%.1f seconds=%.6f files_per_second=%.0f",
	       p->name, warm ? "warm" : "cold", files.count, bytes, b.requests - a.requests,
	       (double)(b.requests - a.requests) / files.count,
	       (double)(b.sectors - a.sectors) / files.count, start, files.count / start);
	print_queue(&st, "max_sectors_kb");
	print_queue(&st, "read_ahead_kb");
	printf("\n");
}

static const struct pattern *find_pattern(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(patterns); i++) {
		if (!strcmp(patterns[i].name, name))
			return patterns + i;
	}
	fprintf(stderr, "requests: --pattern=%s: not whole, pil, imread, mmap or stat\n",
		name);
	exit(2);
}

static void find_files(const char *list)
{
	struct t_walk w = { .root = tree, .visit = visit };

	if (list)
		t_read_list(&files, tree, list);
	else
		t_walk(&w);
	if (!files.count)
		t_die(tree, "no files");
}

static const char usage[] =
	"[--pattern=whole|pil|imread|mmap|stat] [--every=N] [--first=N]\n"
	"                [--warm] [--seed=N] [--list=FILE] DIR\n"
	"  --list=FILE    only these files, their names relative to DIR\n"
	"  --every=N      only every n-th file\n"
	"  --first=N      end after as many files\n"
	"  --warm         a second pass over what the first one cached";

int main(int argc, char **argv)
{
	const char *list = NULL, *pattern = "whole";
	uint64_t every = 1, first = UINT64_MAX, seed = 1;
	bool warm = false;
	const struct t_option options[] = {
		{ "pattern", .text = &pattern }, { "seed", .number = &seed },
		{ "every", .number = &every }, { "first", .number = &first },
		{ "list", .text = &list }, { "warm", .flag = &warm }, { }
	};
	const struct pattern *p;

	t_init("requests");
	tree = *t_options(argc, argv, options, 1, usage);
	p = find_pattern(pattern);
	if (!every || !first)
		t_usage(usage);
	buf = t_alloc(ROOM);
	/* Its pages are of this program, not of the files. */
	memset(buf, 1, ROOM);
	find_files(list);
	keep_every(every);
	t_shuffle(&files, seed);
	if (first < files.count)
		files.count = first;
	measure(p, false);
	if (warm)
		measure(p, true);
	return 0;
}
