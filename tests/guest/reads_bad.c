// SPDX-License-Identifier: GPL-2.0
/*
 * A file with unreadable bytes: every way of reading gives an error for their
 * pages, and the right bytes of all others.
 *
 * Nothing is cached when a way begins, so that each meets the error anew, and each
 * page is read alone, because a read that crosses the error is short.
 */
#include "reads.h"

static unsigned char page[PAGE] __attribute__((aligned(PAGE)));

static const struct {
	const char *name;
	int flags;
	int err;	/* in place of the errno */
	way_fn read;
} ways[] = {
	{ "read", 0, 0, way_pread },
	{ "a hint", 0, 0, way_willneed },
	{ "mmap", 0, EIO, way_mmap },
	{ "splice", 0, 0, way_splice },
	{ "O_DIRECT", O_DIRECT, 0, way_pread },
	{ "io_uring", 0, 0, way_ring },
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
		n = ways[way].read(fd, page, PAGE, pos);
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
