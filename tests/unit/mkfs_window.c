// SPDX-License-Identifier: GPL-2.0
/*
 * The window: what was put in comes out, in whichever memory it lies, and lent memory
 * is returned once, when the window has left its last block.
 */
#include <sys/uio.h>

#include "output/window.h"
#include "mkfs.h"

#include <stdlib.h>

#define BLOCK	((u64)DSFS_BLOCK_SIZE)
#define START	(WINDOW_BYTES - 2 * BLOCK)	/* wraps behind two blocks */

static void fill(struct window *w, u64 pos, u64 bytes, char with)
{
	while (bytes) {
		u64 n = bytes;
		char *p = window_at(w, pos, &n);

		memset(p, with, n);
		pos += n;
		bytes -= n;
	}
}

static u64 count(const struct window *w, u64 pos, u64 bytes, char want)
{
	struct iovec iov[16];
	unsigned int n = window_pieces(w, pos, bytes, iov);
	u64 found = 0;

	for (unsigned int i = 0; i < n; i++) {
		for (size_t k = 0; k < iov[i].iov_len; k++)
			found += ((char *)iov[i].iov_base)[k] == want;
	}
	return found;
}

/* Two own blocks, three that are lent, and one more, around the wrap. */
static void test_mixed(struct window *w, char *mem)
{
	unsigned int lent = 0;
	struct iovec iov[16];

	window_enter(w, START, START + BLOCK + 1);
	fill(w, START, 2 * BLOCK, 'a');
	memset(mem, 'b', 2 * BLOCK + 100);
	window_lend(w, START + 2 * BLOCK, mem, 2 * BLOCK + 100, &lent);
	OK(lent == 3, "window: a block that is begun is lent");
	window_enter(w, START + 4 * BLOCK + 100, START + 6 * BLOCK);
	OK(lent == 3, "window: what goes on in a lent block leaves it");
	fill(w, START + 4 * BLOCK + 100, 2 * BLOCK - 100, 'c');
	OK(mem[2 * BLOCK + 100] == 'c', "window: the rest of a lent block is used");
	OK(window_pieces(w, START, 6 * BLOCK, iov) == 3 &&
	   iov[1].iov_base == mem && iov[1].iov_len == 3 * BLOCK,
	   "window: memory in one piece is one piece");
	OK(count(w, START, 6 * BLOCK, 'a') == 2 * BLOCK &&
	   count(w, START, 6 * BLOCK, 'b') == 2 * BLOCK + 100 &&
	   count(w, START, 6 * BLOCK, 'c') == 2 * BLOCK - 100,
	   "window: every byte is there");
	window_enter(w, START, START + 3 * BLOCK);
	OK(lent == 2, "window: a block that was left is given back");
	window_enter(w, START + 3 * BLOCK, START + 5 * BLOCK);
	OK(!lent, "window: all is given back");
	window_enter(w, START + 2 * BLOCK, START + 6 * BLOCK);
	OK(!lent, "window: nothing is given back twice");
}

TESTS(window)
{
	char *mem = aligned_alloc(BLOCK, 4 * BLOCK);
	struct window w;

	OK(mem && !window_init(&w), "window: memory");
	test_mixed(&w, mem);
	window_free(&w);
	free(mem);
}
