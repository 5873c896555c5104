// SPDX-License-Identifier: GPL-2.0
/*
 * Reads through mapped pages, and what is in the page cache after which
 * advice.  Mapped pages are the one place where bytes behind the end of a file
 * can be seen, so it is here that a neighbour in a shared block would show.
 */
#include <setjmp.h>

#include "reads.h"

#define PATIENCE	30	/* seconds, on a machine that does other things too */
#define RANDOM_BYTES	65536	/* a 4 KiB read may bring in a folio, no file */

/* Of this machine: it may be larger than PAGE, a block of the image. */
static uint64_t page(void)
{
	return sysconf(_SC_PAGESIZE);
}

static uint64_t pages(const struct reads_file *f)
{
	return (f->size + page() - 1) / page();
}

/* How many pages one small read at random may bring in. */
static uint64_t random_pages(const struct reads_file *f)
{
	uint64_t most = reads_opts.unit > RANDOM_BYTES ? reads_opts.unit : RANDOM_BYTES;
	struct stat st;

	/* a file with holes is small by what it stores */
	if (reads_opts.chunk > most && !fstat(f->fd, &st) &&
	    (uint64_t)st.st_blocks * 512 <= reads_opts.chunk)
		most = reads_opts.chunk;
	return most / page();
}

/* Maps the file and @more pages behind it. */
static unsigned char *map(const struct reads_file *f, int prot, int flags, int more)
{
	void *p = mmap(NULL, (pages(f) + more) * page(), prot, flags, f->fd, 0);

	if (p == MAP_FAILED)
		t_die(f->path, "mmap");
	return p;
}

static void unmap(const struct reads_file *f, void *p, int more)
{
	munmap(p, (pages(f) + more) * page());
}

static uint64_t resident(const struct reads_file *f)
{
	unsigned char *vec, *p;
	uint64_t i, n = 0;

	p = map(f, PROT_READ, MAP_SHARED, 0);
	vec = t_alloc(pages(f));
	if (mincore(p, pages(f) * page(), vec))
		t_die(f->path, "mincore");
	for (i = 0; i < pages(f); i++)
		n += vec[i] & 1;
	free(vec);
	unmap(f, p, 0);
	return n;
}

static sigjmp_buf back;

static void on_sigbus(int sig)
{
	siglongjmp(back, sig);
}

static void behind_end(struct t_case *c, const struct reads_file *f)
{
	struct sigaction old, sa = { .sa_handler = on_sigbus };
	volatile bool hit = false;
	volatile unsigned char *p;

	p = map(f, PROT_READ, MAP_SHARED, 1);
	sigaction(SIGBUS, &sa, &old);
	if (sigsetjmp(back, 1))
		hit = true;
	else
		(void)p[pages(f) * page()];
	sigaction(SIGBUS, &old, NULL);
	t_check(c, hit, f->path, "no SIGBUS a page behind the end");
	unmap(f, (void *)p, 1);
}

static void dontneed(struct t_case *c, const struct reads_file *f)
{
	unsigned char *all;

	if (!f->size)
		return;
	all = t_alloc(f->size);
	if (pread(f->fd, all, f->size, 0) != (ssize_t)f->size)
		t_failed(c, f->path, "pread fails");
	t_check(c, resident(f) == pages(f), f->path, "%llu of %llu pages cached after a read",
		(unsigned long long)resident(f), (unsigned long long)pages(f));
	reads_drop(f);
	t_check(c, !resident(f), f->path,
		"POSIX_FADV_DONTNEED after a read: %llu of %llu pages stay",
		(unsigned long long)resident(f), (unsigned long long)pages(f));
	free(all);
}

static void fadv_random(struct t_case *c, const struct reads_file *f)
{
	uint64_t at = f->size / 2 / PAGE * PAGE;
	unsigned char buf[PAGE];

	if (pages(f) <= random_pages(f))
		return;
	reads_drop(f);
	posix_fadvise(f->fd, 0, 0, POSIX_FADV_RANDOM);
	reads_compare(c, f, buf, at, pread(f->fd, buf, PAGE, at), PAGE, "pread");
	t_check(c, resident(f) <= random_pages(f), f->path, "POSIX_FADV_RANDOM: %llu pages for one",
		(unsigned long long)resident(f));
	posix_fadvise(f->fd, 0, 0, POSIX_FADV_NORMAL);
}

static void madv_random(struct t_case *c, const struct reads_file *f)
{
	uint64_t at = f->size / 2 / PAGE * PAGE;
	unsigned char *p;

	if (pages(f) <= random_pages(f))
		return;
	reads_drop(f);
	p = map(f, PROT_READ, MAP_SHARED, 0);
	if (madvise(p, pages(f) * page(), MADV_RANDOM))
		t_die(f->path, "MADV_RANDOM");
	t_check(c, p[at] == f->want[at], f->path, "wrong byte at %llu", (unsigned long long)at);
	t_check(c, resident(f) <= random_pages(f), f->path, "MADV_RANDOM: %llu pages for one",
		(unsigned long long)resident(f));
	unmap(f, p, 0);
}

/* What the first small read leaves behind: all of a small file, once it is there. */
static void whole_file(struct t_case *c, const struct reads_file *f)
{
	unsigned char buf[PAGE];
	time_t start;

	if (!reads_opts.wholefile) {
		c->skip = "no --wholefile";
		return;
	}
	if (!f->size)
		return;
	reads_drop(f);
	memset(buf, CANARY, sizeof(buf));
	reads_compare(c, f, buf, 0, pread(f->fd, buf, 32, 0), 32, "pread");
	if (f->size > reads_opts.wholefile)
		return;
	/* Of pages in flight mincore says that they are not there: wait for those. */
	for (start = time(NULL); resident(f) < pages(f) && time(NULL) < start + PATIENCE;)
		sched_yield();
	t_check(c, resident(f) == pages(f), f->path,
		"%llu of %llu pages after the first read, up to %llu bytes come whole",
		(unsigned long long)resident(f), (unsigned long long)pages(f),
		(unsigned long long)reads_opts.wholefile);
}

struct reads_check reads_pages[] = {
	{ { .name = "mmap shared" }, .way = way_mmap },
	{ { .name = "mmap private" }, .way = way_mmap_dontneed },
	{ { .name = "mmap populated" }, .way = way_populate },
	{ { .name = "SIGBUS behind the end" }, .run = behind_end },
	{ { .name = "POSIX_FADV_DONTNEED" }, .run = dontneed },
	{ { .name = "POSIX_FADV_RANDOM" }, .run = fadv_random },
	{ { .name = "MADV_RANDOM" }, .run = madv_random },
	{ { .name = "WILLNEED" }, .way = way_willneed },
	{ { .name = "readahead" }, .way = way_readahead },
	{ { .name = "small files come whole" }, .run = whole_file },
	{ }
};
