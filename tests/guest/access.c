// SPDX-License-Identifier: GPL-2.0
/*
 * access - read one file in one way, with the advice that programs give.
 *
 * For scripts that count requests to the device, or that check which calls wait.  Random
 * offsets are the same in each run.
 *
 *   willneed    POSIX_FADV_WILLNEED over the file
 *   willneedby  POSIX_FADV_WILLNEED over the file, by the user COUNT
 *   readahead   the same as willneed by readahead(2); madvise: by MADV_WILLNEED of a mapping
 *   seekhole    SEEK_HOLE: reads the file's metadata, and no data
 *   seq         128 KiB at a time, to the end
 *   seqadvised  the same after POSIX_FADV_SEQUENTIAL: cp, cat, sha256sum
 *   faults      COUNT pages of a mapping at random
 *   readfaults  the same after a read of 152 bytes by the same descriptor: databases
 *   pages       the first COUNT pages, each by a pread(2), after POSIX_FADV_RANDOM
 *   pagefaults  the same by a mapping, after MADV_RANDOM
 *   map         every page of a mapping, in order; mapseq: after MADV_SEQUENTIAL;
 *               mapwilled: after MADV_WILLNEED of all of it
 *   mapstride   the first MiB of four, and so on, of a mapping
 *   mapreads    COUNT pages at each half MiB, from the last to the first, by reads of a
 *               descriptor that is mapped
 *   mapbehind   the last one or two MiB of a mapping, after MADV_WILLNEED of that
 *   mapfork     a fork, while the first fault of a mapping waits for a tag of the device: the
 *               child prints that it is there
 *   ateof       a read at the end of the file, and one behind it
 *   nowait      a read with RWF_NOWAIT; directnowait: with O_DIRECT;
 *               mapnowait: of a file that is mapped
 *   mapdirectnowait
 *               directnowait with the data in memory, by a mapping, and the metadata not
 *   whole       one read of the whole file
 *   dontcache   the first COUNT pages, 128 KiB at a time, with RWF_DONTCACHE; pages that
 *               cannot be read are left out
 *   pageout     MADV_PAGEOUT: reclaim takes its pages; pageouts: again and again
 *   resident    no read
 *
 * Prints the number of bytes that were read; EAGAIN if a read would have waited; after
 * dontcache, pageout and resident how many of the last 64 of the first COUNT pages are in the
 * cache, or EOPNOTSUPP.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lib.h"

#define PIECE	131072
#define PAGE	4096
#define HEADER	152
#define MIB	(1UL << 20)

#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE	0x80
#endif

static const char *path;
static int fd;
static uint64_t size, count = 20;
static char *buf;

static void advise(int advice)
{
	int ret = posix_fadvise(fd, 0, 0, advice);

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

static uint64_t by_willneed(void)
{
	advise(POSIX_FADV_WILLNEED);
	return 0;
}

/* As the user of that number: the file was opened before. */
static uint64_t by_willneedby(void)
{
	if (setuid(count))
		t_die(path, "setuid");
	advise(POSIX_FADV_WILLNEED);
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

	do {
		n = must_read(PIECE, total);
		total += n;
	} while (n);
	return total;
}

static uint64_t by_seqadvised(void)
{
	advise(POSIX_FADV_SEQUENTIAL);
	return by_seq();
}

static volatile const char *map(int advice)
{
	void *p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED || madvise(p, size, advice))
		t_die(path, strerror(errno));
	return p;
}

static uint64_t by_madvise(void)
{
	map(MADV_WILLNEED);
	return 0;
}

static uint64_t by_faults(void)
{
	volatile const char *p = map(MADV_NORMAL);
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

	advise(POSIX_FADV_RANDOM);
	for (i = 0; i < count; i++)
		total += must_read(PAGE, i * PAGE);
	return total;
}

static uint64_t touch_pages(int advice, uint64_t pages)
{
	volatile const char *p = map(advice);
	uint64_t i;

	for (i = 0; i < pages && i * PAGE < size; i++)
		(void)p[i * PAGE];
	return i * PAGE;
}

static uint64_t by_pagefaults(void)
{
	return touch_pages(MADV_RANDOM, count);
}

static uint64_t by_map(void)
{
	return touch_pages(MADV_NORMAL, UINT64_MAX);
}

static uint64_t by_mapseq(void)
{
	return touch_pages(MADV_SEQUENTIAL, UINT64_MAX);
}

static uint64_t by_mapwilled(void)
{
	return touch_pages(MADV_WILLNEED, UINT64_MAX);
}

static uint64_t by_mapstride(void)
{
	volatile const char *p = map(MADV_NORMAL);
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

	map(MADV_NORMAL);
	for (at = size / (MIB / 2) * (MIB / 2); at > 0;) {
		at -= MIB / 2;
		total += must_read(count * PAGE, at);
	}
	return total;
}

static uint64_t by_mapbehind(void)
{
	const uint64_t from = (size - MIB) / MIB * MIB;
	volatile const char *p = map(MADV_NORMAL);
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
	touch_pages(MADV_NORMAL, 1);
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
	map(MADV_NORMAL);
	return no_wait();
}

/* Pages that are mapped stay. */
static uint64_t by_mapdirectnowait(void)
{
	touch_pages(MADV_NORMAL, UINT64_MAX);
	/* Takes the mark off at which readahead would go on, which NOWAIT does not pass. */
	must_read(PIECE > size ? PIECE : size, 0);
	t_drop_caches("1");
	return by_directnowait();
}

static uint64_t by_whole(void)
{
	return must_read(PIECE > size ? PIECE : size, 0);
}

static uint64_t resident(void)
{
	const uint64_t pages = (size + PAGE - 1) / PAGE, last = count < pages ? count : pages;
	volatile const char *p = map(MADV_RANDOM);
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
	page_out(map(MADV_NORMAL));
	return resident();
}

static uint64_t by_pageouts(void)
{
	volatile const char *p = map(MADV_NORMAL);

	for (;;)
		page_out(p);
	return 0;
}

static const struct way {
	const char *name;
	uint64_t (*run)(void);
} ways[] = {
	{ "willneed", by_willneed },
	{ "willneedby", by_willneedby }, { "readahead", by_readahead },
	{ "madvise", by_madvise }, { "seekhole", by_seekhole }, { "seq", by_seq },
	{ "seqadvised", by_seqadvised }, { "faults", by_faults },
	{ "readfaults", by_readfaults }, { "pages", by_pages },
	{ "pagefaults", by_pagefaults }, { "map", by_map }, { "mapseq", by_mapseq },
	{ "mapwilled", by_mapwilled }, { "mapstride", by_mapstride },
	{ "mapreads", by_mapreads }, { "mapbehind", by_mapbehind }, { "mapfork", by_mapfork },
	{ "ateof", by_ateof },
	{ "nowait", no_wait }, { "directnowait", by_directnowait },
	{ "mapnowait", by_mapnowait }, { "mapdirectnowait", by_mapdirectnowait },
	{ "whole", by_whole }, { "dontcache", by_dontcache },
	{ "pageout", by_pageout }, { "pageouts", by_pageouts }, { "resident", resident },
};

int main(int argc, char **argv)
{
	struct stat st;
	size_t i;

	t_init("access");
	if (argc < 3) {
		fprintf(stderr, "usage: access WAY FILE [COUNT]\n");
		return 2;
	}
	path = argv[2];
	if (argc > 3)
		count = strtoull(argv[3], NULL, 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		t_die(path, strerror(errno));
	size = st.st_size;
	/* On a page: O_DIRECT wants that. */
	if (posix_memalign((void **)&buf, PAGE, size > PIECE ? size : PIECE))
		t_die(path, "memory");
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		if (strcmp(argv[1], ways[i].name))
			continue;
		printf("%llu\n", (unsigned long long)ways[i].run());
		return 0;
	}
	fprintf(stderr, "access: %s: no such way\n", argv[1]);
	return 2;
}
