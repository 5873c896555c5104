// SPDX-License-Identifier: GPL-2.0
/*
 * failnth - every operation, with each of its allocations and requests failing.
 *
 * /proc/self/fail-nth makes the N-th call of this task fail, of those that can be
 * made to fail: allocations of slabs and pages, and requests to a device with
 * make-it-fail.  So an operation is done with N = 1, 2, 3 ... until it makes fewer
 * than N such calls.  Each time it starts with nothing cached, and must give the
 * result that it has without faults, or fail with ENOMEM or EIO.  Then it is done
 * once more, without fault and with the caches that the failed one left: it must
 * succeed.
 *
 * The caller chooses one kind of call at a time: the number of page allocations is
 * not the same each time, so that an N of all kinds could miss a request.
 *
 * Calls of other tasks (workers) are not reached that way.  With --interval each
 * K-th call fails, of this task during an operation and of the kernel's workers.
 *
 * The caller checks the kernel log, lockdep and kmemleak as well.
 */
#include <ctype.h>
#include <sys/mount.h>

#include "failnth.h"

#define EXACT		50	/* up to here N grows by one */
#define N_MAX		100000	/* no operation has as many */
#define CASES_MAX	64

const char *fail_dev, *fail_dir, *fail_options = "";

static uint64_t sum;
static int nth_fd, drop_fd, self_fd;
static uint64_t rounds = 20;
static bool all;
static const char *kind = "";

static struct t_case cases[CASES_MAX];

struct tally {
	unsigned int faults;
	unsigned int nomem;
	unsigned int io;
};

int fail_mount(const char *options)
{
	return mount(fail_dev, fail_dir, "dsfs", MS_RDONLY, options) ? errno : 0;
}

/* FNV-1a, of what an operation saw. */
void fail_sum(const void *p, size_t len)
{
	const unsigned char *s = p;

	while (len--)
		sum = (sum ^ *s++) * 0x100000001b3ULL;
}

static void put(int fd, const char *text)
{
	if (pwrite(fd, text, strlen(text), 0) != (ssize_t)strlen(text))
		t_die(text, "write of a setting");
}

/* Pages first: an inode that has some is kept. */
static void forget(void)
{
	put(drop_fd, "3");
}

/* N 0: no fault. */
static int run(const struct fail_op *op, unsigned int n, bool *fired)
{
	char text[16];
	int err;

	sum = 0xcbf29ce484222325ULL;
	snprintf(text, sizeof(text), "%u", n);
	put(nth_fd, text);
	err = op->way ? fail_read() : op->run();
	*fired = false;
	if (!n)
		return err;
	if (pread(nth_fd, text, sizeof(text), 0) <= 0)
		t_die("fail-nth", "read");
	*fired = atoi(text) == 0;
	put(nth_fd, "0");
	return err;
}

static int after(const struct fail_op *op, int err)
{
	return op->after ? op->after(err) : 0;
}

static bool sane(int err, struct tally *tally)
{
	tally->nomem += err == ENOMEM;
	tally->io += err == EIO;
	return !err || err == ENOMEM || err == EIO;
}

/* Without fault, and over what is cached: what came of it has to be @want. */
static bool clean(struct t_case *c, const struct fail_op *op, uint64_t want, const char *when)
{
	bool fired;
	int err = fail_before(op);

	if (!t_check(c, !err, op->arg, "%s: set-up: %s", when, strerror(err)))
		return false;
	err = run(op, 0, &fired);
	t_check(c, !err, op->arg, "%s: %s", when, strerror(err));
	t_check(c, err || sum == want, op->arg, "%s: other bytes", when);
	err = after(op, err);
	return t_check(c, !err, op->arg, "%s: undo: %s", when, strerror(err));
}

/* What came of a run with faults, and that it left nothing behind. */
static bool judge(struct t_case *c, const struct fail_op *op, unsigned int n, int err,
		  uint64_t want, struct tally *tally)
{
	bool good;
	char when[40];

	snprintf(when, sizeof(when), "after fault %u", n);
	good = t_check(c, sane(err, tally), op->arg, "fault %u: %s", n, strerror(err));
	good &= t_check(c, err || sum == want, op->arg, "fault %u: success with other bytes", n);
	err = after(op, err);
	good &= t_check(c, !err, op->arg, "fault %u: undo: %s", n, strerror(err));
	return clean(c, op, want, when) && good;
}

static void each_nth(struct t_case *c, const struct fail_op *op, uint64_t want,
		     struct tally *tally)
{
	unsigned int n;
	bool fired = true;
	int err;

	for (n = 1; fired && n < N_MAX; n += all || n < EXACT ? 1 : 1 + n / 8) {
		forget();
		err = fail_before(op);
		if (!t_check(c, !err, op->arg, "set-up: %s", strerror(err)))
			return;
		err = run(op, n, &fired);
		tally->faults += fired;
		t_check(c, fired || !err, op->arg, "no fault, but %s", strerror(err));
		if (!judge(c, op, n, err, want, tally))
			return;
	}
	t_check(c, n < N_MAX, op->arg, "no end of faults");
}

/* All workers there are by now. */
static void fail_workers(void)
{
	char path[300], comm[32];
	struct dirent *e;
	DIR *d = opendir("/proc");
	ssize_t n;
	int fd;

	if (!d)
		t_die("/proc", "opendir");
	while ((e = readdir(d))) {
		if (!isdigit(*e->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		fd = open(path, O_RDONLY);
		n = fd < 0 ? 0 : read(fd, comm, sizeof(comm) - 1);
		close(fd);
		if (n < 7 || memcmp(comm, "kworker", 7))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/make-it-fail", e->d_name);
		fd = open(path, O_WRONLY);
		if (fd >= 0)
			put(fd, "1");
		close(fd);
	}
	closedir(d);
}

static void each_round(struct t_case *c, const struct fail_op *op, uint64_t want,
		       struct tally *tally)
{
	unsigned int n;
	bool fired;
	int err;

	fail_workers();
	for (n = 1; n <= rounds; n++) {
		forget();
		err = fail_before(op);
		if (!t_check(c, !err, op->arg, "set-up: %s", strerror(err)))
			return;
		put(self_fd, "1");
		err = run(op, 0, &fired);
		put(self_fd, "0");
		tally->faults += !!err;
		if (!judge(c, op, n, err, want, tally))
			return;
	}
}

static void one_op(struct t_case *c, const struct fail_op *op, unsigned int interval)
{
	struct tally tally = { };
	uint64_t want;
	bool fired;
	int err;

	forget();
	err = fail_before(op);
	if (!err)
		err = run(op, 0, &fired);
	want = sum;
	if (!t_check(c, !err, op->arg, "without fault: %s", strerror(err)))
		return;
	err = after(op, err);
	if (!t_check(c, !err, op->arg, "undo: %s", strerror(err)))
		return;
	if (interval) {
		each_round(c, op, want, &tally);
		printf("# failnth: %s: %llu runs, %u ENOMEM, %u EIO\n", c->name,
		       (unsigned long long)rounds, tally.nomem, tally.io);
		return;
	}
	each_nth(c, op, want, &tally);
	/* The name of a file is memory already. */
	t_check(c, tally.faults || strcmp(kind, "slab"), op->arg, "no fault came");
	printf("# failnth: %s: %u faults, %u ENOMEM, %u EIO\n", c->name, tally.faults, tally.nomem,
	       tally.io);
}

static int open_setting(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		t_die(path, "open");
	return fd;
}

static int run_ops(const struct fail_op *ops, const char *only, unsigned int interval)
{
	struct t_case *told[CASES_MAX];
	const struct fail_op *op;
	bool mounted = false;
	char name[200];
	size_t n = 0;
	int err;

	for (op = ops; op->name; op++) {
		if (only && strcmp(only, op->name))
			continue;
		snprintf(name, sizeof(name), "%s: %s, %s", kind, op->name, fail_options);
		cases[n].name = strdup(name);
		told[n] = &cases[n];
		if (mounted == op->unmounted) {
			err = mounted ? (umount(fail_dir) ? errno : 0) : fail_mount(fail_options);
			if (err)
				t_die(fail_dir, strerror(err));
			mounted = !mounted;
			if (mounted)
				fail_ops_init();
		}
		one_op(&cases[n++], op, interval);
	}
	if (mounted && umount(fail_dir))
		t_die(fail_dir, "umount");
	return t_report(told, n);
}

static const char usage[] =
	"[--kind=KIND] [--options=OPTIONS] [--op=NAME] [--all] [--packed]\n"
	"               [--interval=K [--rounds=N]] DEVICE DIR\n"
	"  --kind=KIND  what fails, for the names of cases; of \"slab\" each operation has some\n"
	"  --all        each N, however many there are\n"
	"  --packed     DEVICE has compressed files";

int main(int argc, char **argv)
{
	const char *only = NULL;
	uint64_t interval = 0;
	bool packed = false;
	const struct t_option options[] = {
		{ "options", .text = &fail_options }, { "interval", .number = &interval },
		{ "rounds", .number = &rounds }, { "op", .text = &only },
		{ "kind", .text = &kind }, { "all", .flag = &all },
		{ "packed", .flag = &packed }, { }
	};

	t_init("failnth");
	argv = t_options(argc, argv, options, 2, usage);
	fail_dev = argv[0];
	fail_dir = argv[1];
	t_strict = true;
	nth_fd = open_setting("/proc/self/fail-nth");
	self_fd = open_setting("/proc/self/make-it-fail");
	drop_fd = open_setting("/proc/sys/vm/drop_caches");
	/* from here on without a word in the log */
	put(drop_fd, "4");
	return run_ops(packed ? fail_packed_ops : fail_ops, only, interval);
}
