// SPDX-License-Identifier: GPL-2.0
/*
 * access - read one file in one way, with the advice that programs give.
 *
 * For scripts that count requests to the device, or that check which calls wait.  Random
 * offsets are the same in each run.
 * The ways are in the table below, which is printed when none of them is asked for.
 *
 * Prints the number of bytes that were read; EAGAIN if a read would have waited; after
 * dontcache, pageout and resident how many of the last 64 of the first COUNT pages are in the
 * cache, or EOPNOTSUPP.
 */
#include <pthread.h>

#include "ring.h"
#include "ways.h"

#define PIECE	131072
#define PAGE	4096
#define HEADER	152
#define MIB	(1UL << 20)

static const char *path;
static int fd, advice;		/* of the way */
static uint64_t size, count = 20;
static char *buf;

static void advise(void)
{
	int ret = advice ? posix_fadvise(fd, 0, 0, advice) : 0;

	if (ret)
		t_die(path, strerror(ret));
}

static uint64_t must_read(size_t len, uint64_t pos)
{
	ssize_t n = pread(fd, buf, len, pos);

	if (n < 0)
		t_die(path, strerror(errno));
	return n;
}

static uint64_t by_advice(void)
{
	advise();
	return 0;
}

/* As the user of that number: the file was opened before. */
static uint64_t by_willneedby(void)
{
	if (setuid(count))
		t_die(path, "setuid");
	advise();
	return 0;
}

static uint64_t by_readahead(void)
{
	if (readahead(fd, 0, size))
		t_die(path, strerror(errno));
	return 0;
}

static uint64_t by_seekhole(void)
{
	if (lseek(fd, 0, SEEK_HOLE) < 0)
		t_die(path, strerror(errno));
	return 0;
}

static uint64_t by_seq(void)
{
	uint64_t n, total = 0;

	advise();
	do {
		n = must_read(PIECE, total);
		total += n;
	} while (n);
	return total;
}

static volatile const char *map(void)
{
	void *p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED || madvise(p, size, advice))
		t_die(path, strerror(errno));
	return p;
}

static uint64_t by_madvise(void)
{
	map();
	return 0;
}

static uint64_t by_faults(void)
{
	volatile const char *p = map();
	uint64_t i, seed = 12345;

	for (i = 0; i < count; i++)
		(void)p[t_random(&seed) % size];
	return count * PAGE;
}

static uint64_t by_readfaults(void)
{
	must_read(HEADER, 0);
	return by_faults();
}

static uint64_t by_pages(void)
{
	uint64_t i, total = 0;

	advise();
	for (i = 0; i < count; i++)
		total += must_read(PAGE, i * PAGE);
	return total;
}

static uint64_t touch_pages(uint64_t pages)
{
	volatile const char *p = map();
	uint64_t i;

	for (i = 0; i < pages && i * PAGE < size; i++)
		(void)p[i * PAGE];
	return i * PAGE;
}

static uint64_t by_pagefaults(void)
{
	return touch_pages(count);
}

static uint64_t by_map(void)
{
	return touch_pages(UINT64_MAX);
}

static uint64_t by_mapstride(void)
{
	volatile const char *p = map();
	uint64_t at, total = 0;

	for (at = 0; at < size; at += at % MIB == MIB - PAGE ? 3 * MIB + PAGE : PAGE) {
		(void)p[at];
		total += PAGE;
	}
	return total;
}

static uint64_t by_mapreads(void)
{
	uint64_t at, total = 0;

	map();
	for (at = size / (MIB / 2) * (MIB / 2); at > 0;) {
		at -= MIB / 2;
		total += must_read(count * PAGE, at);
	}
	return total;
}

static uint64_t by_mapbehind(void)
{
	const uint64_t from = (size - MIB) / MIB * MIB;
	volatile const char *p = map();
	uint64_t at;

	if (madvise((void *)(p + from), size - from, MADV_WILLNEED))
		t_die(path, strerror(errno));
	for (at = from; at < size; at += PAGE)
		(void)p[at];
	return at - from;
}

static pid_t toucher;

static void *touch_first(void *unused)
{
	__atomic_store_n(&toucher, gettid(), __ATOMIC_RELEASE);
	touch_pages(1);
	return unused;
}

/* True if the thread that touches sleeps in the function */
static bool sleeps_in(const char *function)
{
	char stack[4096], name[64];
	ssize_t n;
	int proc;

	snprintf(name, sizeof(name), "/proc/self/task/%d/stack",
		 __atomic_load_n(&toucher, __ATOMIC_ACQUIRE));
	proc = open(name, O_RDONLY | O_CLOEXEC);
	if (proc < 0)
		return false;
	n = read(proc, stack, sizeof(stack) - 1);
	close(proc);
	stack[n > 0 ? n : 0] = 0;
	return strstr(stack, function);
}

static uint64_t by_mapfork(void)
{
	pthread_t thread;
	pid_t pid;

	if (pthread_create(&thread, NULL, touch_first, NULL))
		t_die(path, "pthread_create");
	while (!sleeps_in("blk_mq_get_tag"))
		sched_yield();
	pid = fork();
	if (pid < 0)
		t_die(path, "fork");
	if (!pid) {
		printf("forked\n");
		exit(0);
	}
	pthread_join(thread, NULL);
	return PAGE;
}

static uint64_t by_ateof(void)
{
	return must_read(PAGE, size) + must_read(PAGE, size + 3 * PIECE);
}

static uint64_t no_wait(void)
{
	struct iovec iov = { .iov_base = buf, .iov_len = PAGE };
	ssize_t n = preadv2(fd, &iov, 1, 0, RWF_NOWAIT);

	if (n >= 0)
		return n;
	if (errno != EAGAIN)
		t_die(path, strerror(errno));
	printf("EAGAIN\n");
	exit(0);
}

static uint64_t by_directnowait(void)
{
	if (fcntl(fd, F_SETFL, O_DIRECT))
		t_die(path, strerror(errno));
	return no_wait();
}

static uint64_t by_mapnowait(void)
{
	map();
	return no_wait();
}

/* Pages that are mapped stay. */
static uint64_t by_mapdirectnowait(void)
{
	touch_pages(UINT64_MAX);
	/* Takes the mark off at which readahead would go on, which NOWAIT does not pass. */
	must_read(PIECE > size ? PIECE : size, 0);
	t_drop_caches("1");
	return by_directnowait();
}

static uint64_t by_ring(void)
{
	if (!ring_open(1))
		t_die(path, "io_uring_setup");
	ring_queue(fd, buf, PAGE, 0, false, 0);
	ring_submit(1, 0);
	puts("submitted");
	fflush(stdout);
	for (;;)
		pause();
}

static uint64_t by_whole(void)
{
	return must_read(PIECE > size ? PIECE : size, 0);
}

static uint64_t resident(void)
{
	const uint64_t pages = (size + PAGE - 1) / PAGE, last = count < pages ? count : pages;
	volatile const char *p = map();
	unsigned char *vec = t_alloc(pages);
	uint64_t i, n = 0;

	if (mincore((void *)p, size, vec))
		t_die(path, "mincore");
	for (i = last > 64 ? last - 64 : 0; i < last; i++)
		n += vec[i] & 1;
	free(vec);
	return n;
}

static uint64_t by_dontcache(void)
{
	const uint64_t end = count * PAGE;
	struct iovec iov = { .iov_base = buf };
	uint64_t pos;
	ssize_t n;

	for (pos = 0; pos < end; pos += n > 0 ? n : PAGE) {
		iov.iov_len = end - pos < PIECE ? end - pos : PIECE;
		n = preadv2(fd, &iov, 1, pos, RWF_DONTCACHE);
		if (n >= 0 || errno != EOPNOTSUPP)
			continue;
		printf("EOPNOTSUPP\n");
		exit(0);
	}
	return resident();
}

static void page_out(volatile const char *p)
{
	/* It takes those that are mapped. */
	for (uint64_t pos = 0; pos < size; pos += PAGE)
		p[pos];
	if (madvise((void *)p, size, MADV_PAGEOUT))
		t_die(path, "MADV_PAGEOUT");
}

static uint64_t by_pageout(void)
{
	page_out(map());
	return resident();
}

static uint64_t by_pageouts(void)
{
	volatile const char *p = map();

	for (;;)
		page_out(p);
	return 0;
}

static const struct way {
	const char *name;
	uint64_t (*run)(void);
	int advice;
	const char *what;
} ways[] = {
	{ "willneed", by_advice, POSIX_FADV_WILLNEED, "POSIX_FADV_WILLNEED over the file" },
	{ "willneedby", by_willneedby, POSIX_FADV_WILLNEED, "the same, by the user COUNT" },
	{ "readahead", by_readahead, 0, "the same by readahead(2)" },
	{ "madvise", by_madvise, MADV_WILLNEED, "the same of a mapping" },
	{ "seekhole", by_seekhole, 0, "SEEK_HOLE: reads the file's metadata, and no data" },
	{ "seq", by_seq, POSIX_FADV_NORMAL, "128 KiB at a time, to the end" },
	{ "seqadvised", by_seq, POSIX_FADV_SEQUENTIAL,
	  "the same after POSIX_FADV_SEQUENTIAL: cp, cat, sha256sum" },
	{ "faults", by_faults, MADV_NORMAL, "COUNT pages of a mapping at random" },
	{ "readfaults", by_readfaults, MADV_NORMAL,
	  "the same after a read of 152 bytes by the same descriptor: databases" },
	{ "pages", by_pages, POSIX_FADV_RANDOM,
	  "the first COUNT pages, each by a pread(2), after POSIX_FADV_RANDOM" },
	{ "pagefaults", by_pagefaults, MADV_RANDOM, "the same by a mapping, after MADV_RANDOM" },
	{ "map", by_map, MADV_NORMAL, "every page of a mapping, in order" },
	{ "mapseq", by_map, MADV_SEQUENTIAL, "the same after MADV_SEQUENTIAL" },
	{ "mapwilled", by_map, MADV_WILLNEED, "the same after MADV_WILLNEED of all of it" },
	{ "mapstride", by_mapstride, MADV_NORMAL,
	  "the first MiB of four, and so on, of a mapping" },
	{ "mapreads", by_mapreads, MADV_NORMAL, "COUNT pages at each half MiB, from the last to "
	  "the first, by reads of a descriptor that is mapped" },
	{ "mapbehind", by_mapbehind, MADV_NORMAL,
	  "the last one or two MiB of a mapping, after MADV_WILLNEED of that" },
	{ "mapfork", by_mapfork, MADV_NORMAL, "a fork, while the first fault of a mapping waits "
	  "for a tag of the device: the child prints that it is there" },
	{ "ateof", by_ateof, 0, "a read at the end of the file, and one behind it" },
	{ "nowait", no_wait, 0, "a read with RWF_NOWAIT" },
	{ "directnowait", by_directnowait, 0, "the same with O_DIRECT" },
	{ "mapnowait", by_mapnowait, MADV_NORMAL, "RWF_NOWAIT of a file that is mapped" },
	{ "mapdirectnowait", by_mapdirectnowait, MADV_NORMAL,
	  "directnowait with the data in memory, by a mapping, and the metadata not" },
	{ "ring", by_ring, 0, "a read submitted to io_uring, and nothing more: to be killed" },
	{ "whole", by_whole, 0, "one read of the whole file" },
	{ "dontcache", by_dontcache, MADV_RANDOM, "the first COUNT pages, 128 KiB at a time, with "
	  "RWF_DONTCACHE; pages that cannot be read are left out" },
	{ "pageout", by_pageout, MADV_NORMAL, "MADV_PAGEOUT: reclaim takes its pages" },
	{ "pageouts", by_pageouts, MADV_NORMAL, "the same again and again" },
	{ "resident", resident, MADV_RANDOM, "no read" },
};

int main(int argc, char **argv)
{
	const struct way *way = ways, *const end = ways + ARRAY_SIZE(ways);
	struct stat st;

	t_init("access");
	while (way < end && (argc < 3 || strcmp(argv[1], way->name)))
		way++;
	if (way == end) {
		for (way = ways; way < end; way++)
			fprintf(stderr, "%-16s%s\n", way->name, way->what);
		t_usage("WAY FILE [COUNT]");
	}
	path = argv[2];
	if (argc > 3)
		count = strtoull(argv[3], NULL, 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		t_die(path, strerror(errno));
	size = st.st_size;
	advice = way->advice;
	/* On a page: O_DIRECT wants that. */
	if (posix_memalign((void **)&buf, PAGE, size > PIECE ? size : PIECE))
		t_die(path, "memory");
	printf("%llu\n", (unsigned long long)way->run());
	return 0;
}
