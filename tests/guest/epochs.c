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
#include "lib.h"

/* Of the largest read of pil */
#define ROOM_MIN	65536

static struct t_files files;
static uint64_t bytes, in_pages;
static size_t room = ROOM_MIN;
static char *buffers;
static const char *tree, *counted, *pattern = "read";
static uint64_t procs = 1, part, parts = 1;

static uint64_t in_whole_pages(uint64_t size)
{
	return (size + 4095) / 4096 * 4096;
}

static void find_files(const char *list)
{
	struct stat st;
	size_t i;

	t_read_list(&files, tree, list);
	/* One of several parts of the list */
	files.paths += files.count * part / parts;
	files.count = files.count * (part + 1) / parts - files.count * part / parts;
	for (i = 0; i < files.count; i++) {
		if (stat(files.paths[i], &st))
			t_die(files.paths[i], "stat");
		bytes += st.st_size;
		in_pages += in_whole_pages(st.st_size);
		if (in_whole_pages(st.st_size) > room)
			room = in_whole_pages(st.st_size);
	}
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

	for (i = which; i < files.count; i += procs)
		read_file(files.paths[i], buffers + which * room);
}

static void make_buffers(void)
{
	buffers = mmap(NULL, procs * room, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (buffers == MAP_FAILED)
		t_die("memory", "mmap");
	printf("# own %" PRIu64 "\n", t_kib("/proc/self/status", "RssAnon") +
	       t_kib("/proc/self/status", "RssShmem"));
	fflush(stdout);
}

static void epoch(unsigned int number, uint64_t seed)
{
	uint64_t sectors = t_device_counts(counted).sectors;
	unsigned int i;
	int status;
	pid_t pid;

	t_shuffle(&files, seed);
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
	sectors = t_device_counts(counted).sectors - sectors;
	printf("epoch=%u read=%.4f\n", number, sectors * 512.0 / bytes);
	fflush(stdout);
}

/* Locked memory, until only @want bytes are available */
static void eat(uint64_t want)
{
	uint64_t have = t_kib("/proc/meminfo", "MemAvailable"), len;
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
		have = t_kib("/proc/meminfo", "MemAvailable");
		if (have > want + (16 << 20))
			tries = 0;
	}
	printf("available=%" PRIu64 "\n", have);
	fflush(stdout);
	pause();
}

int main(int argc, char **argv)
{
	uint64_t epochs = 5, first = 1, seed = 1, eaten = UINT64_MAX, i;
	const char *list = NULL;
	bool size = false;
	const struct t_option options[] = {
		{ "list", .text = &list }, { "pattern", .text = &pattern },
		{ "procs", .number = &procs }, { "epochs", .number = &epochs },
		{ "first", .number = &first }, { "seed", .number = &seed },
		{ "part", .number = &part }, { "parts", .number = &parts },
		{ "counted", .text = &counted }, { "eat", .number = &eaten },
		{ "size", .flag = &size }, { }
	};

	t_init("epochs");
	tree = *t_options(argc, argv, options, argc == 2 ? 0 : 1,
			  "--list=FILE ... DIR, or --eat=N");
	if (eaten != UINT64_MAX) {
		eat(eaten);
		return 0;
	}
	if (!list || !procs || part >= parts)
		return 2;
	if (!counted)
		counted = tree;
	find_files(list);
	if (size) {
		printf("%" PRIu64 "\n", in_pages);
		return 0;
	}
	make_buffers();
	for (i = first; i < first + epochs; i++)
		epoch(i, seed * 1000 + i);
	return 0;
}
