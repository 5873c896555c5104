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
 *
 * Instead of a tree it can write a tar archive or a manifest for mkfs.dsfs.  Contents
 * are different then: overlapping ranges of one file, DATA, so that millions of files
 * need no space of their own.
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

static void fill(uint64_t index, uint32_t size)
{
	uint32_t i;

	for (i = 0; i < (size + 7) / 8; i++)
		contents[i] = rnd(index + 1000, i);
}

/* --- a tree ------------------------------------------------------------- */

static int root, dir = -1;

static void set_time(int fd, const char *name, uint64_t index)
{
	struct timespec times[2] = { { .tv_sec = FIRST_TIME + index } };

	times[1] = times[0];
	if (futimens(fd, times))
		die(name, "times");
}

static void tree_begin(const char *name)
{
	if (mkdir(name, 0755))
		die(name, "mkdir");
	root = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		die(name, "open");
}

static void tree_enter(const char *name, uint64_t class)
{
	(void)class;
	if (mkdirat(root, name, 0755))
		die(name, "mkdir");
	dir = openat(root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		die(name, "open");
}

static void tree_file(const char *in, const char *name, uint64_t index, uint32_t size)
{
	int fd;

	(void)in;
	fill(index, size);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, contents, size) != size)
		die(name, "write");
	set_time(fd, name, index);
	if (close(fd))
		die(name, "close");
}

static void tree_leave(const char *name, uint64_t class)
{
	set_time(dir, name, class);
	close(dir);
}

static void tree_end(void)
{
	set_time(root, ".", 0);
}

/* --- a tar archive ------------------------------------------------------ */

static void put(const void *p, size_t len)
{
	if (fwrite(p, 1, len, stdout) != len)
		die("stdout", "write");
}

static void tar_header(const char *path, char type, int mode, uint64_t index, uint32_t size)
{
	char h[512] = { 0 };
	unsigned int sum = 0;
	size_t i;

	snprintf(h, 100, "%s", path);
	snprintf(h + 100, 8, "%07o", mode);
	snprintf(h + 108, 8, "%07o", 0);
	snprintf(h + 116, 8, "%07o", 0);
	snprintf(h + 124, 12, "%011o", size);
	snprintf(h + 136, 12, "%011llo", (unsigned long long)(FIRST_TIME + index));
	memset(h + 148, ' ', 8);
	h[156] = type;
	memcpy(h + 257, "ustar\00000", 8);
	for (i = 0; i < sizeof(h); i++)
		sum += (unsigned char)h[i];
	snprintf(h + 148, 8, "%06o", sum);
	put(h, sizeof(h));
}

static void tar_begin(const char *name)
{
	(void)name;
	tar_header("./", '5', 0755, 0, 0);
}

static void tar_enter(const char *name, uint64_t class)
{
	char path[100];

	snprintf(path, sizeof(path), "%s/", name);
	tar_header(path, '5', 0755, class, 0);
}

static void tar_file(const char *in, const char *name, uint64_t index, uint32_t size)
{
	static const char zeros[512];
	char path[100];

	snprintf(path, sizeof(path), "%s/%s", in, name);
	tar_header(path, '0', 0644, index, size);
	fill(index, size);
	put(contents, size);
	put(zeros, -size % 512);
}

static void tar_end(void)
{
	static const char zeros[1024];

	put(zeros, sizeof(zeros));
}

/* --- a manifest --------------------------------------------------------- */

static const char *data = "data";
static uint64_t files = 8000;

/* File n begins at byte n, so no two of the same size, 8 bytes or more, have the same bytes. */
static void manifest_begin(const char *name)
{
	FILE *f = name ? fopen(name, "w") : NULL;
	uint64_t i, word, words = (files + FILE_MAX) / 8;

	if (!name)
		return;
	data = name;
	for (i = 0; f && i < words; i++) {
		word = rnd(1000, i);
		fwrite(&word, sizeof(word), 1, f);
	}
	if (!f || ferror(f) || fclose(f))
		die(name, "write");
}

static void manifest_enter(const char *name, uint64_t class)
{
	printf("{\"path\":\"/%s/\",\"mtime\":%llu}\n", name,
	       (unsigned long long)(FIRST_TIME + class));
}

static void manifest_file(const char *in, const char *name, uint64_t index, uint32_t size)
{
	printf("{\"path\":\"/%s/%s\",\"mtime\":%llu", in, name,
	       (unsigned long long)(FIRST_TIME + index));
	if (size)
		printf(",\"source\":\"%s\",\"offset\":%llu,\"size\":%u", data,
		       (unsigned long long)index, size);
	printf("}\n");
}

/* ------------------------------------------------------------------------ */

static const struct form {
	const char *name;
	void (*begin)(const char *name);
	void (*enter)(const char *name, uint64_t class);
	void (*file)(const char *in, const char *name, uint64_t index, uint32_t size);
	void (*leave)(const char *name, uint64_t class);
	void (*end)(void);
} forms[] = {
	{ "tree", tree_begin, tree_enter, tree_file, tree_leave, tree_end },
	{ "tar", tar_begin, tar_enter, tar_file, NULL, tar_end },
	{ "manifest", manifest_begin, manifest_enter, manifest_file, NULL, NULL },
};

static const struct form *form = forms;

static uint64_t classes = 40;

static const char *class_name(uint64_t class)
{
	static char in[16];

	snprintf(in, sizeof(in), "n%08llu",
		 (unsigned long long)(FIRST_CLASS + class * CLASS_STEP));
	return in;
}

/* File @i, which is of class @i modulo their number. */
static void make_file(uint64_t i)
{
	const char *in = class_name(i % classes);
	char name[64];

	snprintf(name, sizeof(name), "%s_%llu.JPEG", in,
		 (unsigned long long)(i / classes * 16 + rnd(3, i) % 16));
	form->file(in, name, i, draw_size(i));
}

static void make_class(uint64_t class)
{
	form->enter(class_name(class), class);
	for (uint64_t i = class; i < files; i += classes)
		make_file(i);
	if (form->leave)
		form->leave(class_name(class), class);
}

/* Directories, and files in no order: the factor is a prime that is larger than their number. */
static void make_shuffled(uint64_t some)
{
	for (uint64_t class = 0; some == files && class < classes; class++)
		form->enter(class_name(class), class);
	for (uint64_t i = 0; i < some; i++)
		make_file(i * 2654435761ULL % files);
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

static void set_form(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (!strcmp(forms[i].name, name)) {
			form = forms + i;
			return;
		}
	}
	fprintf(stderr, "mkset: --form=%s: not tree, tar or manifest\n", name);
	exit(2);
}

static const struct option options[] = {
	{ "files", required_argument, NULL, 'n' },
	{ "classes", required_argument, NULL, 'c' },
	{ "form", required_argument, NULL, 'f' },
	{ "sizes", required_argument, NULL, 's' },
	{ "only", required_argument, NULL, 'o' },
	{ "shuffled", no_argument, NULL, 'r' },
	{ "help", no_argument, NULL, 'h' },
	{ }
};

static int usage(FILE *f, int status)
{
	fprintf(f, "usage: mkset [--files=8000] [--classes=40] [--sizes=imagenet|LOW-HIGH]\n"
		"             DIR | [--shuffled [--only=FILES]] --form=tar|manifest [DATA]\n");
	return status;
}

int main(int argc, char **argv)
{
	uint64_t only = UINT64_MAX;
	int c, args, shuffled = 0;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'n':
			files = number(optarg, "files", 1000000000);
			break;
		case 'c':
			classes = number(optarg, "classes", 1000000);
			break;
		case 'f':
			set_form(optarg);
			break;
		case 's':
			set_sizes(optarg);
			break;
		case 'o':
			only = number(optarg, "only", 1000000000);
			break;
		case 'r':
			shuffled = 1;
			break;
		default:
			return usage(c == 'h' ? stdout : stderr, c == 'h' ? 0 : 2);
		}
	}
	args = argc - optind;
	if (args > !!form->begin || (form == forms && (!args || shuffled)) || !classes)
		return usage(stderr, 2);
	if (form->begin)
		form->begin(argv[optind]);
	if (shuffled)
		make_shuffled(only < files ? only : files);
	for (uint64_t class = 0; !shuffled && class < classes; class++)
		make_class(class);
	if (form->end)
		form->end();
	if (fflush(stdout))
		die("stdout", "write");
	return 0;
}
