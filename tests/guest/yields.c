// SPDX-License-Identifier: GPL-2.0
/*
 * yields [--check] CALL PATH - one call that walks much.
 *
 *   fiemap FILE	count the pieces of FILE
 *   readdir DIR	all names of DIR
 *
 * With --check a second thread, which goes before any other, wants the processor every
 * fifth of a millisecond: it has to get it while the call runs.  A kernel that does not
 * preempt itself gives it where it is asked to alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib.h"

#define BUFFER		(64 << 20)
#define PERIOD_NS	200000
#define LONG_ENOUGH	25		/* periods */

static atomic_bool calling, ended;
static atomic_int turns;

static int fiemap(int fd, void *buf)
{
	struct fiemap *m = buf;

	memset(m, 0, sizeof(*m));
	m->fm_length = FIEMAP_MAX_OFFSET;
	return ioctl(fd, FS_IOC_FIEMAP, m) ? -1 : (int)m->fm_mapped_extents;
}

static int names(int fd, void *buf)
{
	return syscall(SYS_getdents64, fd, buf, BUFFER);
}

static const struct call {
	const char *name;
	int (*fn)(int fd, void *buf);
} calls[] = { { "fiemap", fiemap }, { "readdir", names } };

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void *want_processor(void *arg)
{
	const struct timespec period = { .tv_nsec = PERIOD_NS };

	while (!ended) {
		nanosleep(&period, NULL);
		if (calling)
			turns++;
	}
	return arg;
}

static void start(pthread_t *thread)
{
	const struct sched_param first = { .sched_priority = 1 };
	pthread_attr_t attr;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		t_die("processor 0", "sched_setaffinity");
	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
	pthread_attr_setschedparam(&attr, &first);
	errno = pthread_create(thread, &attr, want_processor, NULL);
	if (errno)
		t_die("thread", "pthread_create");
}

static int check(const struct call *call, int fd, void *buf, const char *path)
{
	struct t_case c = { .name = call->name }, *all[] = { &c };
	uint64_t spent;
	pthread_t thread;
	int ret, got;

	start(&thread);
	spent = now();
	turns = 0;
	calling = true;
	ret = call->fn(fd, buf);
	calling = false;
	got = turns;
	spent = (now() - spent) / PERIOD_NS;
	ended = true;
	pthread_join(thread, NULL);
	printf("# yields: %s: %d turns in %llu periods\n", call->name, got,
	       (unsigned long long)spent);
	t_check(&c, ret > 0, path, "%s", strerror(errno));
	if (spent < LONG_ENOUGH)
		c.skip = "too short to tell";
	else
		t_check(&c, got >= 2, path, "%d turns in %llu periods", got,
			(unsigned long long)spent);
	return t_report(all, 1);
}

int main(int argc, char **argv)
{
	bool checks = argc > 1 && !strcmp(argv[1], "--check");
	void *buf;
	size_t i;
	int fd;

	t_init("yields");
	argv += checks;
	if (argc - checks != 3) {
		fputs("usage: yields [--check] fiemap|readdir PATH\n", stderr);
		return 2;
	}
	fd = open(argv[2], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		t_die(argv[2], "open");
	/* A fault on it would be a place to give way. */
	buf = t_alloc(BUFFER);
	memset(buf, 1, BUFFER);
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		if (strcmp(argv[1], calls[i].name))
			continue;
		if (checks)
			return check(calls + i, fd, buf, argv[2]);
		return calls[i].fn(fd, buf) < 0;
	}
	return 2;
}
