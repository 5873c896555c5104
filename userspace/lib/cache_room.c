// SPDX-License-Identifier: GPL-2.0
/*
 * The limit of the cache, and what is removed when it is full.
 *
 * There is no counter, which a killed process could leave wrong: the file system knows the size
 * of each file.  A process sums these up, takes a sixteenth of the room that is left as its
 * budget, and sums up again when it has written that.  Processes that do so at the same moment
 * may exceed the limit by their budgets.
 *
 * A full cache first removes whole images that no process has had open for an hour, the least
 * recently used one first.  An image in use keeps its blocks: an epoch reads each sample once,
 * so a block that would be replaced is worth as much as the new one.  With the policy lru the
 * hand of a clock removes blocks, too.
 *
 * The policy lru is the algorithm "clock", with one hand for all blocks of all images.  The hand
 * removes a segment if no block of it was read since it last passed.  Its position is in the lock
 * file, so all processes share it; the holder of the lock moves it.  A reader of a segment that is
 * being removed finds empty entries or blocks with wrong checksums: misses.
 */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "cache.h"

#define SHARE		16		/* part of the room that is one process' budget */
#define BUDGET_MAX	(16 << 20)
#define REFUSALS	256		/* refused writes until a full cache is checked again */
#define UNUSED_SECONDS	3600
#define CLOCK_PART	64		/* of the limit that the hand frees at a time, */
#define CLOCK_MAX	(64 << 20)	/* and its bound */
#define ENTRY_BLOCKS	2		/* blocks that the entries of a range may need */
/*
 * Without a limit, a tenth of the file system stays free: of what it gives to users, as df(1)
 * reckons.  A quota or a thin volume may give far less than the size that it has.
 */
#define RESERVE		10

#define SEGMENT		256		/* blocks: 1 MiB */
#define BLOCKS_MAX	(UINT64_MAX >> 14)	/* so that no position overflows */

typedef void name_fn(void *arg, int dir, const char *name, const struct stat *st);

static void each_image(int dir, name_fn *fn, void *arg)
{
	const int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;
	struct stat st;

	if (!list && fd >= 0)
		close(fd);
	while (list && (d = readdir(list)))
		if (cache_is_name(d->d_name) &&
		    !fstatat(dir, d->d_name, &st, AT_SYMLINK_NOFOLLOW))
			fn(arg, dir, d->d_name, &st);
	if (list)
		closedir(list);
}

static void add_used(void *arg, int dir, const char *name, const struct stat *st)
{
	u64 *used = arg;

	*used += (u64)st->st_blocks * 512;
}

static u64 room(const struct cache *c, int dir)
{
	struct statvfs fs;
	u64 used = 0, keep, have;

	if (c->limit) {
		each_image(dir, add_used, &used);
		return c->limit > used ? c->limit - used : 0;
	}
	if (fstatvfs(dir, &fs))
		return 0;
	have = (u64)fs.f_bavail * fs.f_frsize;
	keep = ((u64)(fs.f_blocks - fs.f_bfree) * fs.f_frsize + have) / RESERVE;
	return have > keep ? have - keep : 0;
}

/**
 * struct oldest - search for the least recently used image that is not in use
 * @except: name of this image, which is skipped
 * @since: last use of the image @name; later ones are skipped
 */
struct oldest {
	const char *except;
	struct timespec since;
	char name[CACHE_NAME + 1];
};

/*
 * Lock a file that no process has open.  Another program may name files of its own by sums, as
 * registries do: one without a head is not touched.  Return: its descriptor, or -1.
 */
static int lock_unused(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct cache_head head;

	if (fd < 0 || (cache_head(fd, &head) && !flock(fd, LOCK_EX | LOCK_NB)))
		return fd;
	close(fd);
	return -1;
}

static void choose_oldest(void *arg, int dir, const char *name, const struct stat *st)
{
	struct oldest *o = arg;
	int fd;

	if (!strcmp(name, o->except) || st->st_mtim.tv_sec > o->since.tv_sec ||
	    (st->st_mtim.tv_sec == o->since.tv_sec && st->st_mtim.tv_nsec >= o->since.tv_nsec))
		return;
	fd = lock_unused(dir, name);
	if (fd < 0)
		return;
	close(fd);
	o->since = st->st_mtim;
	memcpy(o->name, name, sizeof(o->name));
}

/* A process that opens the file meanwhile waits for the lock, and then finds it removed. */
static bool remove_oldest(const struct cache *c, int dir)
{
	struct oldest o = { .except = c->name };
	int fd;

	clock_gettime(CLOCK_REALTIME, &o.since);
	o.since.tv_sec -= UNUSED_SECONDS;
	each_image(dir, choose_oldest, &o);
	fd = *o.name ? lock_unused(dir, o.name) : -1;
	if (fd < 0)
		return false;
	unlinkat(dir, o.name, 0);
	close(fd);
	return true;
}

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

	if (!n)
		return;
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

/* Free @bytes of blocks that were not read for long; @lock: of the lock file, which is locked. */
static void turn_clock(int dir, int lock, u64 bytes)
{
	struct sweep s = { .want = bytes };
	struct dirent **list;
	struct hand hand;
	int n = scandirat(dir, ".", &list, is_image, by_name);

	if (n < 0)
		return;
	if (pread(lock, &hand, sizeof(hand), 0) != sizeof(hand))
		memset(&hand, 0, sizeof(hand));
	go_round(&s, dir, list, n, &hand);
	pwrite(lock, &hand, sizeof(hand), 0);
	while (n--)
		free(list[n]);
	free(list);
}

static u64 part(const struct cache *c)
{
	const u64 n = c->limit / CLOCK_PART;

	return n < CLOCK_MAX && c->limit ? n : CLOCK_MAX;
}

/* Remove images and blocks, under the lock.  Return: bytes that there is room for then. */
static u64 make_room(const struct cache *c, int dir, int lock, u64 bytes)
{
	u64 have = room(c, dir);

	while (have < bytes && remove_oldest(c, dir))
		have = room(c, dir);
	if (have >= bytes || !c->lru)
		return have;
	turn_clock(dir, lock, bytes - have + part(c));
	return room(c, dir);
}

/* Return: bytes that there is room for; 0 also while another process makes room. */
static u64 find_room(struct cache *c, int dir, u64 bytes)
{
	u64 have = room(c, dir);
	int lock;

	if (have >= bytes)
		return have;
	lock = openat(dir, CACHE_LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB)) {
		have = 0;
	} else {
		have = make_room(c, dir, lock, bytes);
		if (have < bytes)
			__atomic_store_n(&c->refused, REFUSALS, __ATOMIC_RELAXED);
	}
	if (lock >= 0)
		close(lock);
	return have;
}

static bool look(struct cache *c, u64 bytes)
{
	const char *what;
	const int dir = cache_dir(c->dir, &what);
	u64 have, budget;

	if (dir < 0) {
		cache_full(c);
		return false;
	}
	cache_reopen(c);
	have = find_room(c, dir, bytes);
	close(dir);
	if (have < bytes)
		return false;
	budget = have / SHARE < BUDGET_MAX ? have / SHARE : BUDGET_MAX;
	__atomic_store_n(&c->budget, budget > bytes ? budget - bytes : 0, __ATOMIC_RELAXED);
	return true;
}

bool cache_admit(struct cache *c, u64 blocks)
{
	const u64 bytes = (blocks + ENTRY_BLOCKS) * CACHE_BLOCK;
	u64 left = __atomic_load_n(&c->budget, __ATOMIC_RELAXED);
	u32 refused;

	if (!c->writable)
		return false;
	while (left >= bytes)
		if (__atomic_compare_exchange_n(&c->budget, &left, left - bytes, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return true;
	refused = __atomic_load_n(&c->refused, __ATOMIC_RELAXED);
	if (!refused)
		return look(c, bytes);
	__atomic_store_n(&c->refused, refused - 1, __ATOMIC_RELAXED);
	return false;
}

void cache_full(struct cache *c)
{
	__atomic_store_n(&c->refused, REFUSALS, __ATOMIC_RELAXED);
	__atomic_store_n(&c->budget, 0, __ATOMIC_RELAXED);
}
