// SPDX-License-Identifier: GPL-2.0
/*
 * beside WAY PATH OTHER - how long a task waits for others who hold what it needs and
 * get no processor time: whose quota (cpu.max) is used up, who run only when nobody else
 * does (SCHED_IDLE), or who are killed.
 *
 * data: reads of the file PATH, cold, beside readers of OTHER, which may be PATH; maps: the same
 * by a fault each; meta: stat of PATH, beside those who ask for names beside OTHER.  To be run with
 * -icount, so that milliseconds are counts.
 */
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib.h"

#define GROUP		"/sys/fs/cgroup/beside"
#define HOLDERS		2
#define READS		40
#define KILLS		5
/*
 * A holder that is stopped between the VFS's lock of a folio and ->readahead keeps who wants it for
 * a period of its quota, whatever the file system: in one of five tries here, where a page that is
 * allocated is searched for poison.  What each try shows is ours.
 */
#define TRIES		5
/*
 * Microseconds between reads: many periods of a quota, in each of which a holder is stopped once;
 * and what holders who are not stopped need for some accesses
 */
#define PERIODS		100000
#define PAUSE		5000

T_CASE(throttled, "beside tasks whose quota is used up")
T_CASE(idle, "beside tasks that run when nobody else does")
T_CASE(killed, "beside tasks that are killed")

/* Milliseconds of one cold access */
typedef double access_fn(const char *path);
typedef void hold_fn(access_fn *access, const char *path);

static char buf[4 << 20];
/* A task is in the access, not on its way to a cold one: whom fadvise(2) lets wait is mm's */
static int nobody;
static volatile int *inside = &nobody;
/* Where it says that it enters the next one */
static int door = -1;
static access_fn *once, *other_once;
static const char *own, *other;
/* The same work, with nothing in common */
static const char elsewhere[] = "/proc/self/exe";

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static double enter(void)
{
	*inside = 1;
	if (door >= 0 && write(door, "", 1) != 1)
		t_die("pipe", "write");
	return now();
}

static double leave(double began)
{
	began = now() - began;
	*inside = 0;
	return began;
}

/*
 * Of our own file one of the files "1" to "40" beside it, in turn: beside tasks that are killed a
 * drop of all caches leaves the name that was looked up last, and its stat waits for nobody.
 */
static double by_stat(const char *path)
{
	static unsigned int n;
	char name[PATH_MAX];
	struct stat st;
	double begin;

	snprintf(name, sizeof(name), "%s", path);
	if (path == own)
		sprintf(strrchr(name, '/'), "/%u", n++ % 40 + 1);
	t_write("/proc/sys/vm/drop_caches", "3");
	begin = enter();
	if (stat(name, &st))
		t_die(name, "stat");
	return leave(begin);
}

/*
 * A name beside the file, each time another one, of metadata that is read again.  Inodes stay: one
 * that a task is dropping when its quota is used up keeps others waiting in the VFS.
 */
static double by_new_name(const char *path)
{
	static unsigned int n;
	char name[PATH_MAX];
	struct stat st;

	t_write("/proc/sys/vm/drop_caches", "1");
	snprintf(name, sizeof(name), "%s-%d-%u", path, (int)getpid(), n++);
	if (!stat(name, &st))
		t_die(name, "is there");
	return 0;
}

static int open_cold(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		t_die(path, "open");
	return fd;
}

static double by_read(const char *path)
{
	int fd = open_cold(path);
	double begin = enter();

	if (read(fd, buf, sizeof(buf)) <= 0)
		t_die(path, "read");
	begin = leave(begin);
	close(fd);
	return begin;
}

/* One fault, and the mapping is gone: pages that are mapped cannot be dropped for the next. */
static double by_fault(const char *path)
{
	int fd = open_cold(path);
	volatile char *p = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
	double begin = enter();

	if (p == MAP_FAILED)
		t_die(path, "mmap");
	(void)p[0];
	begin = leave(begin);
	munmap((void *)p, 1);
	close(fd);
	return begin;
}

static const struct {
	const char *name;
	access_fn *once;
	access_fn *other_once;
} ways[] = {
	{ "data", by_read, by_read },
	{ "maps", by_fault, by_fault },
	{ "meta", by_stat, by_new_name },
};

/* Its folder stays looked up: who wants a name that somebody else looks up waits in the VFS. */
static void pin_folder(const char *path)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s", path);
	if (open(dirname(folder), O_PATH | O_CLOEXEC) < 0)
		t_die(path, "its folder");
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

static void hold_busy(access_fn *access, const char *path)
{
	for (;;)
		access(path);
}

static void hold_throttled(access_fn *access, const char *path)
{
	t_write(GROUP "/cgroup.procs", "0");
	hold_busy(access, path);
}

static void hold_idle(access_fn *access, const char *path)
{
	const struct sched_param none = {};

	sched_setscheduler(0, SCHED_IDLE, &none);
	hold_busy(access, path);
}

static void hold_killed(access_fn *access, const char *path)
{
	pid_t pid;
	int i;

	for (i = 1;; i = i % 17 + 1) {
		pid = child();
		while (!pid)
			access(path);
		usleep(i * 500);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

static double mean(useconds_t pause)
{
	double sum = 0;
	int i;

	for (i = 0; i < READS; i++) {
		sum += once(own);
		usleep(pause);
	}
	return sum / READS;
}

/* The longest that a reader lives after its fatal signal, which comes early or late in an access */
static double longest_life(double access)
{
	static volatile int *shared;
	double begin, most = 0;
	int i, pipes[2];
	pid_t pid;

	if (!shared)
		shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || pipe(pipes))
		t_die("flag", "mmap, pipe");
	for (i = 1; i <= KILLS; i++) {
		*shared = 0;
		pid = child();
		if (!pid) {
			inside = shared;
			door = pipes[1];
		}
		while (!pid)
			once(own);
		do {
			if (read(pipes[0], buf, sizeof(buf)) <= 0)
				t_die("pipe", "read");
			usleep(access * 1000 * i / (KILLS + 1));
		} while (!*shared);
		begin = now();
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		begin = now() - begin;
		most = begin > most ? begin : most;
	}
	close(pipes[0]);
	close(pipes[1]);
	return most;
}

static void start(pid_t *pid, int n, hold_fn *hold, access_fn *access, const char *path)
{
	while (n--) {
		pid[n] = child();
		if (!pid[n])
			hold(access, path);
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

static void beside(struct t_case *c, hold_fn *hold, useconds_t pause, double by_itself)
{
	pid_t pid[HOLDERS];
	double took, life;
	int try = 0;

	start(pid, HOLDERS, hold, other_once, other);
	do {
		took = mean(pause);
		life = longest_life(by_itself);
		printf("# beside: %s: %.2f ms, %.2f without them, a killed one lives %.1f\n",
		       c->name, took, by_itself, life);
	} while (++try < TRIES && (took > 3 * by_itself || life > 100));
	t_check(c, took <= 3 * by_itself, own, "%.2f ms, %.2f without them", took, by_itself);
	t_check(c, life <= 100, own, "lives %.1f ms after it was killed", life);
	stop(pid, HOLDERS);
}

int main(int argc, char **argv)
{
	pid_t busy[HOLDERS];
	unsigned int i;
	double alone;

	t_init("beside");
	for (i = 0; argc == 4 && i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(argv[1], ways[i].name)) {
			once = ways[i].once;
			other_once = ways[i].other_once;
		}
	if (!once)
		return 2;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	own = argv[2];
	other = argv[3];
	pin_folder(own);
	pin_folder(other);
	once(own);
	alone = mean(PAUSE);
	t_write(GROUP "/cpu.max", "5000 500000");
	beside(&throttled, hold_throttled, PERIODS, alone);
	/* Each of the others has its share of the processor. */
	start(busy, HOLDERS, hold_killed, once, elsewhere);
	alone = mean(PAUSE);
	stop(busy, HOLDERS);
	beside(&killed, hold_killed, PAUSE, alone);
	start(busy, 1, hold_busy, once, elsewhere);
	beside(&idle, hold_idle, PAUSE, mean(PAUSE));
	stop(busy, 1);
	/* The children of those killed keep the file system busy until they are gone. */
	while (wait(NULL) > 0)
		;
	return t_report_all();
}
