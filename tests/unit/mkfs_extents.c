// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of extents of a tree that lies in a file: what is looked at is counted, not timed.  Of
 * its nodes one page is in memory at a time, so each time that another one is used is a fault.
 */
#include "extents.h"
#include "mkfs.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define NODES		40000
#define PLACES		1000

static struct {
	char *p;
	char *in;
	size_t bytes;
	size_t page;
	unsigned int faults;
} paged;

static void fault(int sig, siginfo_t *info, void *context)
{
	const size_t at = (char *)info->si_addr - paged.p;

	if ((char *)info->si_addr < paged.p || at >= paged.bytes)
		_exit(99);
	/* a node may begin in the page before */
	if (paged.in)
		mprotect(paged.in, 2 * paged.page, PROT_NONE);
	paged.in = paged.p + at / paged.page * paged.page;
	mprotect(paged.in, 2 * paged.page, PROT_READ | PROT_WRITE);
	paged.faults++;
}

static void page_out(void)
{
	mprotect(paged.p, paged.bytes + paged.page, PROT_NONE);
	paged.in = NULL;
	paged.faults = 0;
}

/* Nodes of small files, one behind the other, of which many have the same bytes */
static struct node *make_nodes(void)
{
	struct sigaction act = { .sa_sigaction = fault, .sa_flags = SA_SIGINFO };
	struct node *n;

	sigaction(SIGSEGV, &act, NULL);
	paged.page = sysconf(_SC_PAGESIZE);
	paged.bytes = (NODES * sizeof(*n) + paged.page - 1) / paged.page * paged.page;
	paged.p = mmap(NULL, paged.bytes + paged.page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (paged.p == MAP_FAILED)
		exit(1);
	n = (struct node *)paged.p;
	for (u32 i = 0; i < NODES; i++)
		n[i] = (struct node){ .mode = S_IFREG, .size = 100, .u.start = i % PLACES * 1000 };
	return n;
}

static bool right(const struct array *list, const struct node *n)
{
	bool right = list->n == NODES;

	for (size_t i = 1; i < list->n; i++)
		right &= extent_start(list, i - 1) <= extent_start(list, i);
	/* four or five of a block */
	for (u32 i = 0; i < NODES; i++)
		right &= !!(n[i].flags & NODE_SHARED);
	return right;
}

static void test_duplicates(void)
{
	const unsigned int once = 2 * (NODES * sizeof(struct node) / 4096 + 1);
	struct array list = { 0 };
	struct node *n = make_nodes();
	struct tree t = { 0 };
	size_t alike = 0;
	u64 stored;

	for (u32 i = 0; i < NODES; i++) {
		if (extents_add(&list, &t, n + i))
			exit(1);
	}
	page_out();
	extents_sort(&list, &t);
	OK(paged.faults <= once, "extents: sorted with one pass over nodes: %u faults",
	   paged.faults);
	page_out();
	for (size_t i = 0; i < list.n; i += extents_alike(&list, &t, i))
		alike += extent_stored(&list, &t, i) == 100;
	OK(alike == PLACES && !paged.faults,
	   "extents: %zu places, of which no node is read: %u faults", alike, paged.faults);
	stored = extents_share(&list, &t);
	OK(stored == 100 * PLACES && paged.faults <= once,
	   "extents: files that share blocks: one pass over nodes: %u faults", paged.faults);
	mprotect(paged.p, paged.bytes + paged.page, PROT_READ | PROT_WRITE);
	OK(right(&list, n), "extents: in order, and all share blocks");
	munmap(paged.p, paged.bytes + paged.page);
	signal(SIGSEGV, SIG_DFL);
	array_free(&list);
}

/* Where and what a key has no bits for: beyond 256 TiB, and files of 32 KiB and more */
static void test_far(void)
{
	const u64 start[] = { 1ULL << 52, 4096, (1ULL << 52) - 40000, EXTENT_FAR, 8192, 8192 };
	const u64 size[] = { 50, 60, 40000, 70, 50000, 40000 };
	const int order[] = { 1, 5, 4, 3, 2, 0 };
	struct array list = { 0 };
	struct node n[6] = { };
	struct tree t = { 0 };
	bool right = true;

	for (int i = 0; i < 6; i++) {
		n[i] = (struct node){ .mode = S_IFREG, .size = size[i], .u.start = start[i] };
		if (extents_add(&list, &t, n + i))
			exit(1);
	}
	extents_order(&list, &t);
	for (int i = 0; i < 6; i++)
		right &= extent_node(&list, i) == n + order[i] &&
			 extent_start(&list, i) == start[order[i]] &&
			 extent_stored(&list, &t, i) == size[order[i]];
	OK(right, "extents: far and long ones, by what their nodes say");
	array_free(&list);
}

static int number_cmp(const void *a, const void *b, void *compared)
{
	++*(u64 *)compared;
	return array_order(*(const u64 *)a, *(const u64 *)b);
}

/* An update has its new data behind all others; compared are as many times as many pairs. */
static void test_nearly_sorted(u64 each, unsigned int most)
{
	struct array a = { .size = sizeof(u64) };
	u64 compared = 0, sum = 0;
	bool right = true;

	for (u64 i = 0; i < NODES; i++) {
		const u64 v = i % each == 7 ? NODES + i * 48271 % NODES : i;

		if (array_append(&a, &v))
			exit(1);
		sum += v;
	}
	array_sort_by(&a, number_cmp, &compared);
	for (u64 i = 0; i < NODES; i++) {
		const u64 *p = (const u64 *)a.p + i;

		right &= !i || p[-1] <= *p;
		sum -= *p;
	}
	OK(right && !sum, "sort: one of %llu is elsewhere: right", each);
	OK(compared <= most * (u64)NODES, "sort: one of %llu is elsewhere: %llu comparisons", each,
	   compared);
	array_free(&a);
}

TESTS(extents)
{
	test_duplicates();
	test_far();
	test_nearly_sorted(1000, 4);
	test_nearly_sorted(NODES + 1, 4);
	test_nearly_sorted(8, 40);
}
