// SPDX-License-Identifier: GPL-2.0
/*
 * A file with unreadable bytes: every way of reading gives an error for their
 * pages, and the right bytes of all others.
 *
 * Nothing is cached when a way begins, so that each meets the error anew, and each
 * page is read alone, because a read that crosses the error is short.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "reads.h"

static sigjmp_buf back;
static unsigned char *page;

static void on_sigbus(int sig)
{
	siglongjmp(back, sig);
}

static ssize_t bad_pread(int fd, uint64_t pos)
{
	return pread(fd, page, PAGE, pos);
}

/* What the hint has read is found, or read once more. */
static ssize_t bad_hinted(int fd, uint64_t pos)
{
	posix_fadvise(fd, pos, PAGE, POSIX_FADV_WILLNEED);
	return bad_pread(fd, pos);
}

static ssize_t bad_ring(int fd, uint64_t pos)
{
	return reads_ring_one(fd, page, PAGE, pos);
}

static ssize_t bad_splice(int fd, uint64_t pos)
{
	loff_t at = pos;
	int ends[2], err;
	ssize_t n;

	if (pipe(ends))
		t_die("pipe", "splice");
	n = splice(fd, &at, ends[1], NULL, PAGE, 0);
	if (n > 0)
		n = read(ends[0], page, PAGE);
	err = errno;
	close(ends[0]);
	close(ends[1]);
	errno = err;
	return n;
}

/* A signal, told as EFAULT. */
static ssize_t bad_mmap(int fd, uint64_t pos)
{
	void *p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, pos);
	bool hit;

	if (p == MAP_FAILED)
		t_die("mmap", "map");
	hit = sigsetjmp(back, 1);
	if (!hit)
		memcpy(page, p, PAGE);
	munmap(p, PAGE);
	errno = EFAULT;
	return hit ? -1 : PAGE;
}

static const struct {
	const char *name;
	int flags;
	int err;	/* in place of the errno */
	ssize_t (*get)(int fd, uint64_t pos);
} ways[] = {
	{ "read", 0, 0, bad_pread },
	{ "a hint", 0, 0, bad_hinted },
	{ "mmap", 0, EFAULT, bad_mmap },
	{ "splice", 0, 0, bad_splice },
	{ "O_DIRECT", O_DIRECT, 0, bad_pread },
	{ "io_uring", 0, 0, bad_ring },
};

/* All whole pages of the file, [from, to) of which are bad, by one way. */
static void one_way(struct t_case *c, const char *path, unsigned int way, int ref, uint64_t from,
		    uint64_t to, int want)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | ways[way].flags);
	unsigned char right[PAGE];
	uint64_t pos;
	ssize_t n;
	int err;

	if (fd < 0)
		t_die(path, "open");
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (want && ways[way].err)
		want = ways[way].err;
	for (pos = 0; pread(ref, right, PAGE, pos) == PAGE; pos += PAGE) {
		memset(page, CANARY, PAGE);
		n = ways[way].get(fd, pos);
		err = n < 0 ? errno : 0;
		if (pos >= from && pos < to)
			t_check(c, err == want, path, "at %llu: %zd, %s, instead of %s",
				(unsigned long long)pos, n, strerror(err), strerror(want));
		else
			t_check(c, n == PAGE && !memcmp(page, right, PAGE), path,
				"at %llu: %zd, %s", (unsigned long long)pos, n, strerror(err));
	}
	close(fd);
}

static int errno_named(const char *name)
{
	int err;

	for (err = 1; err < 200; err++)
		if (strerrorname_np(err) && !strcmp(strerrorname_np(err), name))
			return err;
	errno = EINVAL;
	t_die(name, "no errno");
}

int reads_bad(const char *path, const char *ref_path, const char *spec)
{
	struct sigaction sa = { .sa_handler = on_sigbus };
	struct t_case cases[ARRAY_SIZE(ways)] = { };
	struct t_case *told[ARRAY_SIZE(ways)];
	unsigned long long from, to;
	int ref = open(ref_path, O_RDONLY | O_CLOEXEC);
	char name[100], err[32];
	unsigned int i;

	if (ref < 0)
		t_die(ref_path, "open");
	if (sscanf(spec, "%llu-%llu:%31s", &from, &to, err) != 3)
		t_die(spec, "not FROM-TO:ERRNO");
	if (posix_memalign((void **)&page, PAGE, PAGE))
		t_die("memory", "posix_memalign");
	sigaction(SIGBUS, &sa, NULL);
	t_strict = true;
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		snprintf(name, sizeof(name), "%s, %llu to %llu are bad: %s", ways[i].name, from,
			 to, ways[i].err ? "SIGBUS" : err);
		cases[i].name = strdup(name);
		told[i] = &cases[i];
		one_way(told[i], path, i, ref, from, to, errno_named(err));
	}
	close(ref);
	return t_report(told, ARRAY_SIZE(ways));
}
