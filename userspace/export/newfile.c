// SPDX-License-Identifier: GPL-2.0
/*
 * New files that appear under their name only when they are complete.  A file
 * has no name while it is written (O_TMPFILE), so the kernel removes it if the
 * process ends.  Where the file system has no such files, or they cannot be linked, the file
 * has a hidden name, and is removed by signals other than SIGKILL.
 */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "newfile.h"

#define TRIES	1000

/* The file that a signal removes; set while signals are blocked */
static const char *guarded_name;
static int guarded_dir;

static void guard(const char *name)
{
	__atomic_store_n(&guarded_name, name, __ATOMIC_RELEASE);
}

static void clean_up(int sig)
{
	const char *name = __atomic_load_n(&guarded_name, __ATOMIC_ACQUIRE);

	if (name)
		unlinkat(guarded_dir, name, 0);
	/* SA_RESETHAND: the signal ends the process after this function */
	raise(sig);
}

static void catch_signals(void)
{
	static const int deadly[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, 0,
	};
	struct sigaction act = { .sa_handler = clean_up, .sa_flags = SA_RESETHAND };
	struct sigaction old;

	sigfillset(&act.sa_mask);
	for (unsigned int i = 0; deadly[i]; i++) {
		/* signals that are ignored stay so: nohup and background shells */
		if (!sigaction(deadly[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(deadly[i], &act, NULL);
	}
}

static int open_unnamed(int dir, mode_t mode)
{
	return openat(dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
}

/*
 * Give an unnamed file its name.  By the descriptor alone that needs CAP_DAC_READ_SEARCH before
 * Linux 6.10.  The entries of /proc/self/fd are links that lead to the file itself; linkat()
 * follows no others.
 */
static int link_unnamed(int fd, int dir, const char *name, enum newfile_way way)
{
	char proc[64];

	if (way == NEWFILE_BY_FD)
		return linkat(fd, "", dir, name, AT_EMPTY_PATH);
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, proc, dir, name, AT_SYMLINK_FOLLOW);
}

static enum newfile_way find_way(int dir)
{
	enum newfile_way way = NEWFILE_BY_FD;
	int fd = open_unnamed(dir, 0600);

	if (fd < 0)
		return errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL ?
		       NEWFILE_HIDDEN : NEWFILE_UNKNOWN;
	/* the name "." exists, so EEXIST means that everything else is right */
	while (way < NEWFILE_HIDDEN && !(link_unnamed(fd, dir, ".", way) && errno == EEXIST))
		way++;
	close(fd);
	return way;
}

static int open_hidden(struct newfile *f)
{
	sigset_t all, old;

	sigfillset(&all);
	for (unsigned int n = 0; n < TRIES; n++) {
		snprintf(f->temp, sizeof(f->temp), ".dsfs.%d-%u", (int)getpid(), n);
		sigprocmask(SIG_BLOCK, &all, &old);
		f->fd = openat(f->dir, f->temp, O_WRONLY | O_CREAT | O_EXCL |
			       O_NOFOLLOW | O_CLOEXEC, 0600);
		guarded_dir = f->dir;
		guard(f->fd < 0 ? NULL : f->temp);
		sigprocmask(SIG_SETMASK, &old, NULL);
		/* a file of the image may have that name */
		if (f->fd >= 0 || errno != EEXIST)
			break;
	}
	return f->fd < 0 ? -1 : 0;
}

int newfile_open(struct newfile *f, int dir, mode_t mode)
{
	f->dir = dir;
	if (f->way == NEWFILE_UNKNOWN) {
		f->way = find_way(dir);
		if (f->way == NEWFILE_UNKNOWN)
			return -1;
		if (f->way == NEWFILE_HIDDEN)
			catch_signals();
	}
	if (f->way == NEWFILE_HIDDEN)
		return open_hidden(f);
	f->fd = open_unnamed(dir, mode);
	return f->fd < 0 ? -1 : 0;
}

int newfile_open_masked(struct newfile *f, int dir)
{
	const mode_t mask = umask(0);

	umask(mask);
	if (newfile_open(f, dir, 0600))
		return -1;
	if (!fchmod(f->fd, 0666 & ~mask))
		return 0;
	newfile_drop(f);
	return -1;
}

static int rename_hidden(const struct newfile *f, const char *name)
{
	struct stat st;

	if (!renameat2(f->dir, f->temp, f->dir, name, RENAME_NOREPLACE))
		return 0;
	/* some file systems lack RENAME_NOREPLACE or hard links */
	if (errno != EINVAL)
		return -1;
	if (!linkat(f->dir, f->temp, f->dir, name, 0))
		return unlinkat(f->dir, f->temp, 0);
	if (errno != EPERM && errno != EOPNOTSUPP)
		return -1;
	if (!fstatat(f->dir, name, &st, AT_SYMLINK_NOFOLLOW)) {
		errno = EEXIST;
		return -1;
	}
	return renameat(f->dir, f->temp, f->dir, name);
}

static const char *publish_hidden(struct newfile *f, const char *name)
{
	const char *what = NULL;
	int err;

	if (close(f->fd))
		what = "close";
	else if (rename_hidden(f, name))
		what = "create";
	err = errno;
	if (what)
		unlinkat(f->dir, f->temp, 0);
	guard(NULL);
	errno = err;
	return what;
}

const char *newfile_publish(struct newfile *f, const char *name)
{
	int err;

	if (f->way == NEWFILE_HIDDEN)
		return publish_hidden(f, name);
	if (link_unnamed(f->fd, f->dir, name, f->way)) {
		err = errno;
		close(f->fd);
		errno = err;
		return "create";
	}
	if (!close(f->fd))
		return NULL;
	err = errno;
	unlinkat(f->dir, name, 0);
	errno = err;
	return "close";
}

void newfile_drop(struct newfile *f)
{
	const int err = errno;

	close(f->fd);
	if (f->way == NEWFILE_HIDDEN)
		unlinkat(f->dir, f->temp, 0);
	guard(NULL);
	errno = err;
}
