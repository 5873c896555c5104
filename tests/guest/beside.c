// SPDX-License-Identifier: GPL-2.0
/*
 * beside data|meta PATH OTHER - how long a task waits for others who hold what it needs and
 * get no processor time: whose quota (cpu.max) is used up, who run only when nobody else
 * does (SCHED_IDLE), or who are killed.
 *
 * data: reads of the file PATH, cold, beside readers of OTHER, which may be PATH; meta: stat of
 * PATH, beside those who ask for OTHER.  To be run with -icount, so that milliseconds are counts.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib.h"

#define GROUP		"/sys/fs/cgroup/beside"
#define HOLDERS		2
#define READS		40
#define KILLS		5

T_CASE(throttled, "beside tasks whose quota is used up")
T_CASE(idle, "beside tasks that run when nobody else does")
T_CASE(killed, "beside tasks that are killed")

static char buf[4 << 20];
static bool meta;
static const char *own, *other;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* Milliseconds of one cold read */
static double once(const char *path)
{
	struct stat st;
	double begin;
	int fd;

	if (meta) {
		t_write("/proc/sys/vm/drop_caches", "3");
		begin = now();
		if (stat(path, &st))
			t_die(path, "stat");
		return now() - begin;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		t_die(path, "open");
	begin = now();
	if (read(fd, buf, sizeof(buf)) <= 0)
		t_die(path, "read");
	begin = now() - begin;
	close(fd);
	return begin;
}

/* A task that goes with this one, also if this one has gone before it asked for that */
static pid_t child(void)
{
	pid_t parent = getpid(), pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(0);
	}
	return pid;
}

/* The same work, with nothing in common */
static void elsewhere(void)
{
	for (;;)
		once("/proc/self/exe");
}

static void hold_throttled(void)
{
	t_write(GROUP "/cgroup.procs", "0");
	for (;;)
		once(other);
}

static void hold_idle(void)
{
	const struct sched_param none = {};

	sched_setscheduler(0, SCHED_IDLE, &none);
	for (;;)
		once(other);
}

static void hold_killed(void)
{
	pid_t pid;
	int i;

	for (i = 1;; i = i % 17 + 1) {
		pid = child();
		while (!pid)
			once(other);
		usleep(i * 500);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

static double mean(void)
{
	double sum = 0;
	int i;

	for (i = 0; i < READS; i++) {
		sum += once(own);
		usleep(5000);
	}
	return sum / READS;
}

/* The longest that a reader lives after its fatal signal */
static double longest_life(void)
{
	double begin, most = 0;
	pid_t pid;
	int i;

	for (i = 1; i <= KILLS; i++) {
		pid = child();
		while (!pid)
			once(own);
		usleep(i * 1700);
		begin = now();
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		begin = now() - begin;
		most = begin > most ? begin : most;
	}
	return most;
}

static void start(pid_t *pid, int n, void (*does)(void))
{
	while (n--) {
		pid[n] = child();
		if (!pid[n])
			does();
	}
	usleep(20000);
}

static void stop(pid_t *pid, int n)
{
	t_write(GROUP "/cpu.max", "max");
	while (n--) {
		kill(pid[n], SIGKILL);
		waitpid(pid[n], NULL, 0);
	}
}

static void beside(struct t_case *c, void (*hold)(void), double by_itself)
{
	pid_t pid[HOLDERS];
	double took, life;

	start(pid, HOLDERS, hold);
	took = mean();
	life = longest_life();
	printf("# beside: %s: %.2f ms, %.2f without them, a killed one lives %.1f\n", c->name,
	       took, by_itself, life);
	t_check(c, took <= 3 * by_itself, own, "%.2f ms, %.2f without them", took, by_itself);
	t_check(c, life <= 250, own, "lives %.1f ms after it was killed", life);
	stop(pid, HOLDERS);
}

int main(int argc, char **argv)
{
	pid_t busy[HOLDERS];
	double alone;

	t_init("beside");
	if (argc != 4)
		return 2;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	meta = !strcmp(argv[1], "meta");
	own = argv[2];
	other = argv[3];
	once(own);
	alone = mean();
	t_write(GROUP "/cpu.max", "5000 500000");
	beside(&throttled, hold_throttled, alone);
	/* Each of the others has its share of the processor. */
	start(busy, HOLDERS, elsewhere);
	alone = mean();
	stop(busy, HOLDERS);
	beside(&killed, hold_killed, alone);
	start(busy, 1, elsewhere);
	beside(&idle, hold_idle, mean());
	stop(busy, 1);
	/* The children of those killed keep the file system busy until they are gone. */
	while (wait(NULL) > 0)
		;
	return t_report_all();
}
