// SPDX-License-Identifier: GPL-2.0
/*
 * yields [--check] CALL PATH - one long call, and whether it reschedules.
 *
 *   fiemap FILE	count the extents of FILE
 *   readdir DIR	read all names of DIR
 *
 * Prints the result of the call.  With --check a thread of the highest priority competes for
 * the same processor: a third thread, on another processor, wakes it again whenever it has
 * run.  The call must reschedule often.  A kernel without preemption does so where the call
 * invites it, and otherwise once before the call and once after it.  A short call may end
 * before the host has run the third thread, so it is repeated until it has rescheduled often.
 */
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "lib.h"

#define BUFFER		(64 << 20)
#define TURNS		10
#define CALLS		200

static atomic_bool ended, had;
static sem_t wanted;

static int fiemap(int fd, void *buf)
{
	struct fiemap *m = buf;

	memset(m, 0, sizeof(*m));
	m->fm_length = FIEMAP_MAX_OFFSET;
	return ioctl(fd, FS_IOC_FIEMAP, m) ? -1 : (int)m->fm_mapped_extents;
}

static int names(int fd, void *buf)
{
	return lseek(fd, 0, SEEK_SET) ? -1 : syscall(SYS_getdents64, fd, buf, BUFFER);
}

static const struct call {
	const char *name;
	int (*fn)(int fd, void *buf);
} calls[] = { { "fiemap", fiemap }, { "readdir", names } };

static void *want_processor(void *arg)
{
	while (!ended) {
		sem_wait(&wanted);
		had = true;
	}
	return arg;
}

static void *wake(void *arg)
{
	while (!ended) {
		had = false;
		sem_post(&wanted);
		while (!had && !ended)
			;
	}
	sem_post(&wanted);
	return arg;
}

/* A thread on one processor; @first: that goes before all others */
static pthread_t start(void *(*fn)(void *), int cpu, bool first)
{
	const struct sched_param prio = { .sched_priority = first };
	pthread_attr_t attr;
	pthread_t thread;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(one), &one);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, first ? SCHED_FIFO : SCHED_OTHER);
	pthread_attr_setschedparam(&attr, &prio);
	errno = pthread_create(&thread, &attr, fn, NULL);
	if (errno)
		t_die("thread", "pthread_create");
	return thread;
}

/* How often this thread had to leave the processor */
static long given_way(void)
{
	struct rusage ru;

	if (getrusage(RUSAGE_THREAD, &ru))
		t_die("getrusage", "getrusage");
	return ru.ru_nivcsw;
}

static int check(const struct call *call, int fd, void *buf, const char *path)
{
	struct t_case c = { .name = call->name }, *all[] = { &c };
	pthread_t first, waker;
	cpu_set_t one;
	int ret, i = 0;
	long turns;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		t_die("processor 0", "sched_setaffinity");
	sem_init(&wanted, 0, 0);
	first = start(want_processor, 0, true);
	waker = start(wake, 1, false);
	do {
		turns = given_way();
		ret = call->fn(fd, buf);
		turns = given_way() - turns;
	} while (ret > 0 && turns < TURNS && ++i < CALLS);
	ended = true;
	pthread_join(waker, NULL);
	pthread_join(first, NULL);
	printf("# yields: %s: %ld turns in call %d\n", call->name, turns, i + 1);
	t_check(&c, ret > 0, path, "%s", strerror(errno));
	t_check(&c, turns >= TURNS, path, "%ld turns", turns);
	return t_report(all, 1);
}

int main(int argc, char **argv)
{
	bool checks = argc > 1 && !strcmp(argv[1], "--check");
	void *buf;
	int fd, ret;
	size_t i;

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
		ret = calls[i].fn(fd, buf);
		printf("%d\n", ret);
		return ret < 0;
	}
	return 2;
}
