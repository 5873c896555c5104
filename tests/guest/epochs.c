// SPDX-License-Identifier: GPL-2.0
/*
 * epochs - how much of a set its device reads in each of several shuffled epochs.
 *
 * Every epoch reads each file of a list once, in an order of its own, by several
 * processes.  The bytes that the block device counted meanwhile, over those of the set,
 * are the part that was not cached.  With --eat the program locks memory instead, until
 * it is killed: all but the given number of bytes that are available, so that the room
 * for a cache is known.
 *
 * The readers' buffers are one piece of memory that is allocated before the first epoch,
 * so that the job does not grow after the cache has filled the rest: buffers of malloc()
 * may or may not become huge pages.  "# own" is the memory of the job.
 *
 * Patterns: read (open, fstat, one read), pil (4,096, 61,440, then 65,536 bytes), mmap,
 * direct (as read, with O_DIRECT: an NFS client that keeps nothing itself).  With --counted
 * the device is that of another directory.
 */
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib.h"

/* Of the largest read of pil */
#define ROOM_MIN	65536

static char **files;
static size_t count;
static uint64_t bytes, in_pages;
static size_t room = ROOM_MIN;
static char *buffers;
static const char *tree, *counted, *pattern = "read";
static unsigned int procs = 1, part, parts = 1;

static uint64_t in_whole_pages(uint64_t size)
{
	return (size + 4095) / 4096 * 4096;
}

static void read_list(const char *list)
{
	char line[4096], path[8192];
	size_t i, slots = 0;
	struct stat st;
	FILE *f = fopen(list, "r");

	if (!f)
		t_die(list, "open");
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		snprintf(path, sizeof(path), "%s/%s", tree, line);
		if (count == slots) {
			slots = slots * 2 + 1024;
			files = realloc(files, slots * sizeof(*files));
			if (!files)
				t_die("memory", "realloc");
		}
		files[count] = strdup(path);
		if (!files[count++])
			t_die("memory", "strdup");
	}
	fclose(f);
	/* One of several parts of the list */
	files += count * part / parts;
	count = count * (part + 1) / parts - count * part / parts;
	for (i = 0; i < count; i++) {
		if (stat(files[i], &st))
			t_die(files[i], "stat");
		bytes += st.st_size;
		in_pages += in_whole_pages(st.st_size);
		if (in_whole_pages(st.st_size) > room)
			room = in_whole_pages(st.st_size);
	}
}

static void shuffle(uint64_t seed)
{
	size_t i, j;
	char *tmp;

	for (i = count; i > 1; i--) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		j = (seed >> 33) % i;
		tmp = files[i - 1];
		files[i - 1] = files[j];
		files[j] = tmp;
	}
}

static uint64_t device_bytes(void)
{
	uint64_t reads, merges, sectors;
	char path[64];
	struct stat st;
	FILE *f;

	if (stat(counted, &st))
		t_die(counted, "stat");
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(st.st_dev),
		 minor(st.st_dev));
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (fscanf(f, "%" SCNu64 " %" SCNu64 " %" SCNu64, &reads, &merges, &sectors) != 3)
		t_die(path, "read");
	fclose(f);
	return sectors * 512;
}

static uint64_t available(void)
{
	char line[128];
	uint64_t kib = 0;
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib << 10;
}

static volatile unsigned char sink;

static void read_mapped(int fd, const char *path, size_t size)
{
	unsigned char *p;
	size_t i;

	p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		t_die(path, "mmap");
	for (i = 0; i < size; i += 4096)
		sink += p[i];
	munmap(p, size);
}

static void read_file(const char *path, char *buf)
{
	const size_t sizes[] = { 4096, 61440, 65536 };
	const int pil = !strcmp(pattern, "pil");
	struct stat st;
	unsigned int i = 0;
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | (strcmp(pattern, "direct") ? 0 : O_DIRECT));
	if (fd < 0 || fstat(fd, &st))
		t_die(path, "open");
	if (!strcmp(pattern, "mmap")) {
		read_mapped(fd, path, st.st_size);
	} else {
		do {
			n = read(fd, buf, pil ? sizes[i] : room);
			if (n < 0)
				t_die(path, "read");
			i += i < 2;
		} while (n > 0 && pil);
	}
	close(fd);
}

/* The files of one of the processes */
static void read_share(unsigned int which)
{
	size_t i;

	for (i = which; i < count; i += procs)
		read_file(files[i], buffers + which * room);
}

static void make_buffers(void)
{
	char line[128];
	uint64_t kib, own = 0;
	FILE *f;

	buffers = mmap(NULL, procs * room, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (buffers == MAP_FAILED)
		t_die("memory", "mmap");
	f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "RssAnon: %" SCNu64, &kib) == 1 ||
		    sscanf(line, "RssShmem: %" SCNu64, &kib) == 1)
			own += kib << 10;
	if (f)
		fclose(f);
	printf("# own %" PRIu64 "\n", own);
	fflush(stdout);
}

static void epoch(unsigned int number, uint64_t seed)
{
	uint64_t before = device_bytes();
	unsigned int i;
	int status;
	pid_t pid;

	shuffle(seed);
	for (i = 0; i < procs; i++) {
		pid = fork();
		if (pid < 0)
			t_die("process", "fork");
		if (!pid) {
			read_share(i);
			_exit(0);
		}
	}
	for (i = 0; i < procs; i++)
		if (wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
			t_die("process", "wait");
	printf("epoch=%u read=%.4f\n", number,
	       (double)(device_bytes() - before) / bytes);
	fflush(stdout);
}

/* Locked memory, until only @want bytes are available */
static void eat(uint64_t want)
{
	uint64_t have = available(), len;
	int tries;
	void *p;

	for (tries = 0; tries < 100 && have > want + (1 << 18); tries++) {
		len = (have - want) / 4096 * 4096;
		if (len > (16 << 20))
			len = 16 << 20;
		p = mmap(NULL, len, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_LOCKED, -1, 0);
		if (p == MAP_FAILED)
			t_die("memory", "mmap");
		have = available();
		if (have > want + (16 << 20))
			tries = 0;
	}
	printf("available=%" PRIu64 "\n", have);
	fflush(stdout);
	pause();
}

static uint64_t number(const char *s)
{
	return strtoull(s, NULL, 0);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "list", required_argument, NULL, 'l' },
		{ "pattern", required_argument, NULL, 'p' },
		{ "procs", required_argument, NULL, 'n' },
		{ "epochs", required_argument, NULL, 'e' },
		{ "first", required_argument, NULL, 'f' },
		{ "seed", required_argument, NULL, 's' },
		{ "part", required_argument, NULL, 'k' },
		{ "parts", required_argument, NULL, 'K' },
		{ "counted", required_argument, NULL, 'c' },
		{ "eat", required_argument, NULL, 'm' },
		{ "size", no_argument, NULL, 'z' },
		{ }
	};
	unsigned int epochs = 5, first = 1, i;
	const char *list = NULL;
	uint64_t seed = 1;
	int c, size = 0;

	t_init("epochs");
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'l':
			list = optarg;
			break;
		case 'p':
			pattern = optarg;
			break;
		case 'n':
			procs = number(optarg);
			break;
		case 'e':
			epochs = number(optarg);
			break;
		case 'f':
			first = number(optarg);
			break;
		case 's':
			seed = number(optarg);
			break;
		case 'k':
			part = number(optarg);
			break;
		case 'K':
			parts = number(optarg);
			break;
		case 'c':
			counted = optarg;
			break;
		case 'm':
			eat(number(optarg));
			return 0;
		case 'z':
			size = 1;
			break;
		default:
			return 2;
		}
	}
	if (!list || optind != argc - 1 || !procs || part >= parts)
		return 2;
	tree = argv[optind];
	if (!counted)
		counted = tree;
	read_list(list);
	if (size) {
		printf("%" PRIu64 "\n", in_pages);
		return 0;
	}
	make_buffers();
	for (i = first; i < first + epochs; i++)
		epoch(i, seed * 1000 + i);
	return 0;
}
