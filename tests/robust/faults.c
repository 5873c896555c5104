// SPDX-License-Identifier: GPL-2.0
/*
 * faults - a library for LD_PRELOAD that makes the N-th call of a kind fail.
 *
 * Tests must see what a tool does when a disk is full or memory runs out, for
 * every single call and reproducibly; limits and timers give neither.  So calls
 * into libc are counted here, and one of them is chosen.
 *
 *   FAULT=KIND[,KIND]...:N:ACTION
 *
 * KIND:	write (and all that changes the target), sync, read (contents),
 *		open, attr (stat, xattrs, links), list, alloc, set (owner, mode, times,
 *		xattrs), statx, by which mkfs.dsfs checks its source after all
 *		reads, and names and value, of xattrs
 * N:		number of the call, from 1 on; N+: that and all later ones; 0: all of them
 * ACTION:	kill	SIGKILL, in the middle of a write or before the call
 *		term	SIGTERM, or $FAULT_SIGNAL, to the process, and time for it to
 *			act on it
 *		late	the same after the call
 *		hold	SIGTERM to the process, and the call once all other threads wait;
 *			if ftruncate() is what they do, it returns behind that call
 *		short	half of the bytes
 *		zero	none of them, and no error
 *		eintr	EINTR for every second call (all calls only)
 *		run	run $FAULT_RUN in a shell before the call, and continue
 *		slow	a millisecond before the call, as of a server
 *		NUMBER	fail with that errno
 * FAULT_NAMED=1: no files without a name (O_TMPFILE)
 * FAULT_NUMBERS=1: each look at a file gives another number of its inode
 * FAULT_IN=NAME: calls of the program of that name, which the first one may become
 * FAULT_COUNT=FILE: the number of calls of these kinds is written there at the end
 *
 * Calls on the standard descriptors are not counted, since tests read the messages
 * there.  Of functions that libc has for offsets of 32 and of 64 bits, these are the ones of 64
 * that the tools call.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

enum {
	WRITE = 1, SYNC = 2, READ = 4, OPEN = 8, ATTR = 16, LIST = 32, ALLOC = 64,
	STATX = 128, SET = 256, NAMES = 512, VALUE = 1024,
};

enum action { NONE, KILL, TERM, LATE, HOLD, SHORT, ZERO, INTR, RUN, SLOW, FAIL };

static const char *const kind_names[] = {
	"write", "sync", "read", "open", "attr", "list", "alloc", "statx", "set",
	"names", "value",
};

static int kinds;
static long chosen = -1;
static bool onwards;
static enum action action;
static int error;
static long calls;
static const char *count_file;
static const char *command;
static int signal_sent = SIGTERM;
static bool named;
static bool numbers;
static bool held;

static void give_up(const char *why)
{
	ssize_t n = write(STDERR_FILENO, why, strlen(why));

	(void)n;
	_exit(99);
}

static void set_kinds(const char *spec, size_t len)
{
	for (size_t at = 0; at < len;) {
		size_t n = strcspn(spec + at, ",:"), i;

		for (i = 0; i < sizeof(kind_names) / sizeof(*kind_names); i++)
			if (strlen(kind_names[i]) == n &&
			    !strncmp(spec + at, kind_names[i], n))
				break;
		if (i == sizeof(kind_names) / sizeof(*kind_names))
			give_up("faults: unknown kind\n");
		kinds |= 1 << i;
		at += n + 1;
	}
}

static void set_action(const char *s)
{
	static const char *const names[] = {
		"none", "kill", "term", "late", "hold", "short", "zero", "eintr", "run", "slow",
	};

	for (int i = NONE; i < FAIL; i++) {
		if (!strcmp(s, names[i])) {
			action = i;
			return;
		}
	}
	action = FAIL;
	error = atoi(s);
	if (!error)
		give_up("faults: unknown action\n");
}

__attribute__((constructor))
static void faults_init(void)
{
	const char *spec = getenv("FAULT");
	const char *colon = spec ? strchr(spec, ':') : NULL;
	const char *in = getenv("FAULT_IN");
	char *end;

	if (!spec || (in && strcmp(in, program_invocation_short_name)))
		return;
	if (!colon)
		give_up("faults: FAULT=KIND:N:ACTION\n");
	count_file = getenv("FAULT_COUNT");
	command = getenv("FAULT_RUN");
	named = getenv("FAULT_NAMED");
	numbers = getenv("FAULT_NUMBERS");
	if (getenv("FAULT_SIGNAL"))
		signal_sent = atoi(getenv("FAULT_SIGNAL"));
	set_kinds(spec, colon - spec);
	chosen = strtol(colon + 1, &end, 10);
	onwards = *end == '+';
	end += onwards;
	if (*end != ':')
		give_up("faults: FAULT=KIND:N:ACTION\n");
	set_action(end + 1);
	__atomic_store_n(&calls, 0, __ATOMIC_RELAXED);
	/* children, such as the command's, are left alone */
	unsetenv("FAULT");
	unsetenv("LD_PRELOAD");
}

__attribute__((destructor))
static void faults_end(void)
{
	char text[32];
	int fd, n;

	if (!count_file)
		return;
	n = snprintf(text, sizeof(text), "%ld\n", calls);
	fd = syscall(SYS_openat, AT_FDCWD, count_file,
		     O_WRONLY | O_CREAT | O_TRUNC, 0666);
	if (fd < 0 || syscall(SYS_write, fd, text, n) != n)
		give_up("faults: cannot write FAULT_COUNT\n");
	syscall(SYS_close, fd);
}

/* The signal is taken by a thread of its own; let it do what it wants to. */
static void terminate(void)
{
	struct timespec ts = { .tv_nsec = 20000000 };
	int err = errno;

	kill(getpid(), signal_sent);
	nanosleep(&ts, NULL);
	errno = err;
}

/* What /proc says: S is a thread that waits for something. */
static bool thread_waits(const char *tid)
{
	char path[300], text[256], *at;
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%s/stat", tid);
	fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
	if (fd >= 0) {
		n = syscall(SYS_read, fd, text, sizeof(text) - 1);
		syscall(SYS_close, fd);
	}
	if (n <= 0)
		return true;	/* it has ended */
	text[n] = '\0';
	at = strrchr(text, ')');
	return at && at[1] && strchr("SZX", at[2]);
}

static bool others_wait(void)
{
	pid_t self = syscall(SYS_gettid);
	bool wait = true;
	struct dirent *d;
	DIR *dir = opendir("/proc/self/task");

	if (!dir)
		give_up("faults: no /proc/self/task\n");
	while (wait && (d = readdir(dir)))
		wait = d->d_name[0] == '.' || atoi(d->d_name) == self ||
		       thread_waits(d->d_name);
	closedir(dir);
	return wait;
}

static void pause_shortly(void)
{
	struct timespec ts = { .tv_nsec = 100000 };

	nanosleep(&ts, NULL);
}

/*
 * The signal has been taken, and whatever the process does about it happens before
 * this thread's call, or waits for it.
 */
static void hold(void)
{
	sigset_t set;

	__atomic_store_n(&held, true, __ATOMIC_SEQ_CST);
	kill(getpid(), SIGTERM);
	do {
		pause_shortly();
		sigpending(&set);
	} while (sigismember(&set, SIGTERM) || !others_wait());
}

/* Behind a call: what was done to it. */
static void behind(enum action what)
{
	if (what == KILL)
		raise(SIGKILL);
	if (what == LATE)
		terminate();
	if (what == HOLD)
		__atomic_store_n(&held, false, __ATOMIC_SEQ_CST);
}

/* Whether this call is one to tamper with; kill, term, hold and run are done here. */
static enum action hit(int kind, bool tear)
{
	long n;

	if (!(kinds & kind))
		return NONE;
	n = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	if (chosen && (onwards ? n < chosen : n != chosen))
		return NONE;
	switch (action) {
	case KILL:
		if (tear)
			return KILL;
		raise(SIGKILL);
		break;
	case TERM:
		terminate();
		return NONE;
	case HOLD:
		hold();
		break;
	case RUN:
		if (system(command))
			give_up("faults: FAULT_RUN failed\n");
		return NONE;
	case SLOW:
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		return NONE;
	case INTR:
		return n & 1 ? INTR : NONE;
	case FAIL:
		errno = error;
		break;
	default:
		break;
	}
	return action;
}

static bool fails(int kind)
{
	return hit(kind, false) == FAIL;
}

#define REAL(name) ((typeof(&name))real(#name))

static void *real(const char *name)
{
	void *p = dlsym(RTLD_NEXT, name);

	if (!p)
		give_up("faults: a function is not there\n");
	return p;
}

/* How much of a transfer to do; -1: none, errno is set. */
static ssize_t amount(int kind, int fd, size_t bytes, enum action *what)
{
	*what = fd <= STDERR_FILENO ? NONE : hit(kind, kind == WRITE);
	switch (*what) {
	case KILL:
		return bytes / 2;
	case SHORT:
		return bytes > 1 ? bytes / 2 : bytes;
	case ZERO:
		return 0;
	case INTR:
		errno = EINTR;
		return -1;
	case FAIL:
		return -1;
	default:
		return bytes;
	}
}

#define TRANSFER(name, kind, args, call)				\
ssize_t name args							\
{									\
	enum action what;						\
	ssize_t n = amount(kind, fd, bytes, &what), ret;		\
									\
	if (n < 0)							\
		return n;						\
	bytes = n;							\
	ret = REAL(name) call;						\
	behind(what);							\
	return ret;							\
}

TRANSFER(write, WRITE, (int fd, const void *p, size_t bytes), (fd, p, bytes))
TRANSFER(pwrite64, WRITE, (int fd, const void *p, size_t bytes, off64_t pos),
	 (fd, p, bytes, pos))
/* The first @bytes bytes of @from; returns in how many parts. */
static int cut_parts(struct iovec *to, const struct iovec *from, int n,
		     size_t bytes)
{
	int i;

	for (i = 0; i < n && bytes; i++) {
		to[i] = from[i];
		if (to[i].iov_len > bytes)
			to[i].iov_len = bytes;
		bytes -= to[i].iov_len;
	}
	return i;
}

static size_t sum_parts(const struct iovec *parts, int n)
{
	size_t bytes = 0;

	for (int i = 0; i < n; i++)
		bytes += parts[i].iov_len;
	return bytes;
}

ssize_t pwritev64(int fd, const struct iovec *parts, int n, off64_t pos)
{
	struct iovec some[IOV_MAX];
	enum action what;
	ssize_t bytes = amount(WRITE, fd, sum_parts(parts, n), &what);
	ssize_t ret;

	if (bytes < 0)
		return bytes;
	n = cut_parts(some, parts, n, bytes);
	ret = REAL(pwritev64)(fd, some, n, pos);
	behind(what);
	return ret;
}

TRANSFER(read, READ, (int fd, void *p, size_t bytes), (fd, p, bytes))
TRANSFER(pread64, READ, (int fd, void *p, size_t bytes, off64_t pos),
	 (fd, p, bytes, pos))

#define CALL(type, name, kind, bad, args, call)				\
type name args								\
{									\
	enum action what = hit(kind, false);				\
	type ret;							\
									\
	if (what == FAIL)						\
		return bad;						\
	ret = REAL(name) call;						\
	behind(what);							\
	return ret;							\
}

int ftruncate64(int fd, off64_t len)
{
	enum action what = hit(WRITE, false);
	int ret;

	if (what == FAIL)
		return -1;
	ret = REAL(ftruncate64)(fd, len);
	behind(what);
	while (__atomic_load_n(&held, __ATOMIC_SEQ_CST))
		pause_shortly();
	return ret;
}

CALL(int, linkat, WRITE, -1,
     (int ofd, const char *from, int nfd, const char *to, int flags),
     (ofd, from, nfd, to, flags))
CALL(int, link, WRITE, -1, (const char *from, const char *to), (from, to))
CALL(int, rename, WRITE, -1, (const char *from, const char *to), (from, to))
CALL(int, renameat, WRITE, -1, (int fd, const char *from, int to_fd, const char *to),
     (fd, from, to_fd, to))
CALL(int, renameat2, WRITE, -1,
     (int ofd, const char *from, int nfd, const char *to, unsigned int flags),
     (ofd, from, nfd, to, flags))
CALL(int, unlink, WRITE, -1, (const char *path), (path))
CALL(int, unlinkat, WRITE, -1, (int fd, const char *path, int flags),
     (fd, path, flags))
CALL(int, mkdir, WRITE, -1, (const char *path, mode_t mode), (path, mode))
CALL(int, mkdirat, WRITE, -1, (int fd, const char *path, mode_t mode),
     (fd, path, mode))
CALL(int, symlinkat, WRITE, -1, (const char *to, int fd, const char *path),
     (to, fd, path))
CALL(int, fsync, SYNC, -1, (int fd), (fd))
/* A call that gives the number of an inode, as @ino */
#define LOOK(name, kind, ino, args, call)				\
int name args								\
{									\
	static unsigned int looks;					\
	enum action what = hit(kind, false);				\
	int ret;							\
									\
	if (what == FAIL)						\
		return -1;						\
	ret = REAL(name) call;						\
	if (!ret && numbers)						\
		(ino) += 1000 * __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED);	\
	behind(what);							\
	return ret;							\
}

LOOK(fstat64, ATTR, st->st_ino, (int fd, struct stat64 *st), (fd, st))
LOOK(fstatat64, ATTR, st->st_ino,
     (int fd, const char *path, struct stat64 *st, int flags),
     (fd, path, st, flags))
LOOK(statx, ATTR | STATX, st->stx_ino,
     (int fd, const char *path, int flags, unsigned int mask, struct statx *st),
     (fd, path, flags, mask, st))
CALL(ssize_t, readlinkat, ATTR, -1,
     (int fd, const char *path, char *buf, size_t size), (fd, path, buf, size))
CALL(ssize_t, llistxattr, ATTR | NAMES, -1,
     (const char *path, char *list, size_t size), (path, list, size))
CALL(ssize_t, lgetxattr, ATTR | VALUE, -1,
     (const char *path, const char *name, void *p, size_t size),
     (path, name, p, size))
CALL(ssize_t, flistxattr, ATTR, -1, (int fd, char *list, size_t size), (fd, list, size))
CALL(int, fsetxattr, SET, -1,
     (int fd, const char *name, const void *p, size_t size, int flags),
     (fd, name, p, size, flags))
CALL(int, lsetxattr, SET, -1,
     (const char *path, const char *name, const void *p, size_t size, int flags),
     (path, name, p, size, flags))
CALL(int, fremovexattr, SET, -1, (int fd, const char *name), (fd, name))
CALL(int, lremovexattr, SET, -1, (const char *path, const char *name), (path, name))
CALL(int, fchown, SET, -1, (int fd, uid_t uid, gid_t gid), (fd, uid, gid))
CALL(int, lchown, SET, -1, (const char *path, uid_t uid, gid_t gid), (path, uid, gid))
CALL(int, fchmod, SET, -1, (int fd, mode_t mode), (fd, mode))
CALL(int, fchmodat, SET, -1, (int fd, const char *path, mode_t mode, int flags),
     (fd, path, mode, flags))
CALL(int, futimens, SET, -1, (int fd, const struct timespec ts[2]), (fd, ts))
CALL(int, utimensat, SET, -1,
     (int fd, const char *path, const struct timespec ts[2], int flags),
     (fd, path, ts, flags))
CALL(ssize_t, getdents64, LIST, -1, (int fd, void *p, size_t size),
     (fd, p, size))
CALL(FILE *, fopen64, OPEN, NULL, (const char *path, const char *mode),
     (path, mode))

static mode_t mode_of(int flags, va_list ap)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
}

#define OPENS(name, args, call)						\
int name args								\
{									\
	enum action what;						\
	va_list ap;							\
	mode_t mode;							\
	int ret;							\
									\
	va_start(ap, flags);						\
	mode = mode_of(flags, ap);					\
	va_end(ap);							\
	if (named && (flags & O_TMPFILE) == O_TMPFILE) {		\
		errno = EOPNOTSUPP;					\
		return -1;						\
	}								\
	what = hit(OPEN, false);					\
	if (what == FAIL)						\
		return -1;						\
	ret = REAL(name) call;						\
	behind(what);							\
	return ret;							\
}

OPENS(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENS(openat64, (int fd, const char *path, int flags, ...),
      (fd, path, flags, mode))

/* dlsym() allocates, so these go to libc by its other names. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);

void *malloc(size_t bytes)
{
	return fails(ALLOC) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
	return fails(ALLOC) ? NULL : __libc_calloc(n, bytes);
}

void *realloc(void *p, size_t bytes)
{
	return fails(ALLOC) ? NULL : __libc_realloc(p, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
	return fails(ALLOC) ? NULL : __libc_memalign(align, bytes);
}
