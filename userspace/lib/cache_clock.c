// SPDX-License-Identifier: GPL-2.0
/*
 * The policy lru: the algorithm "clock", with one hand for all blocks of all images.
 *
 * The hand removes a segment if no block of it was read since it last passed.  Its position is
 * in the lock file, so all processes share it; the holder of the lock moves it.  A reader of a
 * segment that is being removed finds empty entries or blocks with wrong checksums: misses.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cache.h"

#define SEGMENT		256		/* blocks: 1 MiB */
#define BLOCKS_MAX	(UINT64_MAX >> 14)	/* so that no position overflows */

/* Position of the hand, as in the lock file, which is not trusted: any position will do. */
struct hand {
	char name[CACHE_NAME];
	u64 block;
};

/**
 * struct sweep - one move of the hand
 * @want: bytes that are to be freed; @freed: bytes that were
 */
struct sweep {
	u64 want;
	u64 freed;
};

/* Number of blocks of a cache file; 0 if @fd is none */
static u64 blocks_of(int fd)
{
	struct cache_head head;
	u64 blocks;

	if (fd < 0 || !cache_head(fd, &head))
		return 0;
	blocks = cache_blocks(le64_to_cpu(head.image_bytes));
	return blocks < BLOCKS_MAX ? blocks : 0;
}

/* Count the blocks of @n entries that are present; @used: whether one was read */
static unsigned int count(const struct cache_entry *e, u64 n, bool *used)
{
	unsigned int there = 0;

	*used = false;
	for (u64 i = 0; i < n; i++) {
		there += cache_is_there(&e[i]);
		*used |= le32_to_cpu(e[i].state) == CACHE_USED;
	}
	return there;
}

static void forget_use(struct cache_entry *e, u64 n)
{
	for (u64 i = 0; i < n; i++)
		if (cache_is_there(&e[i]))
			e[i].state = cpu_to_le32(CACHE_PRESENT);
}

static void visit(struct sweep *s, int fd, u64 blocks, u64 block)
{
	const u64 left = blocks - block, n = left < SEGMENT ? left : SEGMENT;
	const u64 pos = CACHE_BLOCK + block * sizeof(struct cache_entry);
	struct cache_entry e[SEGMENT] = { };
	unsigned int there;
	bool used;

	if (pread(fd, e, n * sizeof(*e), pos) <= 0)
		return;
	there = count(e, n, &used);
	if (!there)
		return;
	if (used)
		forget_use(e, n);
	else
		memset(e, 0, sizeof(e));
	if (pwrite(fd, e, n * sizeof(*e), pos) != (ssize_t)(n * sizeof(*e)) || used)
		return;
	if (!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		       cache_data_pos(blocks) + block * CACHE_BLOCK, n * CACHE_BLOCK))
		s->freed += (u64)there * CACHE_BLOCK;
}

/* First segment from @block on whose entries are not a hole of the file; @blocks: none */
static u64 next_segment(int fd, u64 blocks, u64 block)
{
	const u64 pos = CACHE_BLOCK + block * sizeof(struct cache_entry);
	const off_t data = lseek(fd, pos, SEEK_DATA);
	u64 next = block;

	if (data < 0)
		return blocks;
	if (data > pos)
		next = (data - CACHE_BLOCK) / sizeof(struct cache_entry) / SEGMENT * SEGMENT;
	return next < blocks ? next : blocks;
}

/* Move the hand over an image.  Return: block of the hand; 0: it is behind the last one. */
static u64 sweep_image(struct sweep *s, int dir, const char *name, u64 from)
{
	int fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	const u64 blocks = blocks_of(fd);
	u64 at = from / SEGMENT * SEGMENT;

	while (at < blocks && s->freed < s->want) {
		at = next_segment(fd, blocks, at);
		if (at < blocks)
			visit(s, fd, blocks, at);
		at += SEGMENT;
	}
	if (fd >= 0)
		close(fd);
	return at < blocks ? at : 0;
}

static int is_image(const struct dirent *d)
{
	return cache_is_name(d->d_name);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void go_round(struct sweep *s, int dir, struct dirent **list, int n, struct hand *hand)
{
	int i = 0, left;

	while (i < n && strncmp(list[i]->d_name, hand->name, CACHE_NAME) < 0)
		i++;
	if (i == n || strncmp(list[i]->d_name, hand->name, CACHE_NAME))
		hand->block = 0;
	/* Two rounds, as the first may only clear marks, and what was behind the hand at first */
	for (left = 2 * n + 1; left && s->freed < s->want; left--) {
		i %= n;
		hand->block = sweep_image(s, dir, list[i]->d_name, hand->block);
		memcpy(hand->name, list[i]->d_name, CACHE_NAME);
		if (!hand->block)
			i++;
	}
	if (!hand->block)
		memcpy(hand->name, list[i % n]->d_name, CACHE_NAME);
}

void cache_clock(int dir, int lock, u64 bytes)
{
	struct sweep s = { .want = bytes };
	struct dirent **list;
	struct hand hand;
	int n = scandirat(dir, ".", &list, is_image, by_name);

	if (n < 0)
		return;
	if (pread(lock, &hand, sizeof(hand), 0) != sizeof(hand))
		memset(&hand, 0, sizeof(hand));
	if (n)
		go_round(&s, dir, list, n, &hand);
	pwrite(lock, &hand, sizeof(hand), 0);
	while (n--)
		free(list[n]);
	free(list);
}
