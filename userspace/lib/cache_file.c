// SPDX-License-Identifier: GPL-2.0
/*
 * The directory of the cache, and in it the file of an image: its head, its entries and its blocks.
 *
 * Checksums of the cache detect damage, not forgery: whoever can write a block can write its
 * checksum, too.  So only this user and root may write to the directory and to a file.
 *
 * All processes that open an image write the same head, so any of them may be the first.  A file
 * with another head was damaged by a power failure, or is not of this program: it is removed and
 * a new one is made.  Processes that have the old one open only lose hits.
 */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cache.h"
#include "../http/hash.h"

#define MAGIC		"dsfscach"
#define VERSION		1
#define IDENTITY_MAX	(CACHE_BLOCK - sizeof(struct cache_head))

/*
 * An owner that has no id in this user namespace is shown as overflowuid, 65534: equal to the id
 * of a process that runs as nobody.  The kernel itself compares owners, so it is asked: it lets
 * nobody else set O_NOATIME, but who has CAP_FOWNER over a mapped owner (inode_owner_or_capable()
 * in fs/inode.c).
 */
static bool is_owned(int fd)
{
	const int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && !fcntl(fd, F_SETFL, flags | O_NOATIME);
}

/*
 * Whether only this user and root can write to what is open.  Not of an owner without an id in this
 * user namespace, whose files seem to be those of nobody.
 */
static bool is_ours(int fd, const struct stat *st)
{
	return (!st->st_uid || (st->st_uid == geteuid() && is_owned(fd))) &&
	       !(st->st_mode & 0022);
}

/* Somebody may empty the cache, which takes the directory, between the two calls. */
static int make_and_open(const char *path)
{
	int fd = -1, made = 0;

	for (int tries = 0; tries < 4; tries++) {
		made = mkdir(path, 0700) ? errno : 0;
		if (made && made != EEXIST && made != EROFS && made != EACCES)
			return -made;
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 || errno != ENOENT)
			break;
	}
	if (fd < 0 && errno == ENOENT && made)
		return -made;
	return fd < 0 ? -errno : fd;
}

int cache_dir(const char *path, const char **what)
{
	struct stat st;
	int fd, ret;

	*what = "cache-dir";
	fd = make_and_open(path);
	if (fd < 0)
		return fd;
	ret = fstat(fd, &st) ? -errno : 0;
	if (!ret && !is_ours(fd, &st)) {
		*what = "others can write in the cache-dir";
		ret = -EPERM;
	}
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

bool cache_is_name(const char *name)
{
	return strlen(name) == CACHE_NAME && strspn(name, "0123456789abcdef") == CACHE_NAME;
}

static int make_head(struct cache *c, const char *identity)
{
	struct cache_head *head;
	const size_t len = strlen(identity);

	if (len > IDENTITY_MAX)
		return -ENAMETOOLONG;
	c->head = calloc(1, CACHE_BLOCK);
	if (!c->head)
		return -ENOMEM;
	head = (struct cache_head *)c->head;
	memcpy(head->magic, MAGIC, sizeof(head->magic));
	head->version = cpu_to_le32(VERSION);
	head->identity_bytes = cpu_to_le32(len);
	head->image_bytes = cpu_to_le64(c->bytes);
	memcpy(head + 1, identity, len);
	c->seed = xxh64(c->head, CACHE_BLOCK, 0);
	hash_text(identity, len, c->name);
	return 0;
}

bool cache_head(int fd, struct cache_head *head)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) && is_ours(fd, &st) &&
	       pread(fd, head, sizeof(*head), 0) == sizeof(*head) &&
	       !memcmp(head->magic, MAGIC, sizeof(head->magic));
}

/* Check the head; write it to an empty file.  Return: 1: right; 0: wrong; a negative errno. */
static int check_head(const struct cache *c, int fd, const struct stat *st)
{
	u8 head[CACHE_BLOCK];
	ssize_t n;

	if (!S_ISREG(st->st_mode) || st->st_nlink > 1 || !is_ours(fd, st))
		return 0;
	if (!st->st_size) {
		n = pwrite(fd, c->head, CACHE_BLOCK, 0);
		return n < 0 ? -errno : n == CACHE_BLOCK ? 1 : -ENOSPC;
	}
	n = pread(fd, head, sizeof(head), 0);
	return n == sizeof(head) && !memcmp(head, c->head, sizeof(head));
}

/*
 * Whether RLIMIT_FSIZE allows the whole file.  A write beyond it raises SIGXFSZ, which ends the
 * program, and a library must not change signal handlers.
 */
static bool may_grow(const struct cache *c)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	       c->data + c->bytes <= limit.rlim_cur;
}

static int open_at(const struct cache *c, int dir, bool *writable)
{
	const int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	const bool may = may_grow(c);
	int fd = may ? openat(dir, c->name, O_RDWR | O_CREAT | flags, 0600) : -1;

	*writable = fd >= 0;
	if (fd < 0 && (!may || errno == EROFS || errno == EACCES || errno == EPERM))
		fd = openat(dir, c->name, O_RDONLY | flags);
	return fd < 0 ? -errno : fd;
}

/*
 * Return: a descriptor with a shared lock; -EAGAIN: the file was wrong and has been removed, or
 * another process removed it; or another negative errno.
 */
static int try_open(const struct cache *c, int dir, bool *writable)
{
	struct stat st = { };
	int fd = open_at(c, dir, writable), ret;

	if (fd == -ELOOP || fd == -EISDIR || fd == -ENXIO) {
		unlinkat(dir, c->name, 0);
		return -EAGAIN;
	}
	if (fd < 0)
		return fd;
	ret = flock(fd, LOCK_SH) || fstat(fd, &st) ? -errno : 0;
	if (!ret && !st.st_nlink)
		ret = -EAGAIN;
	if (!ret)
		ret = check_head(c, fd, &st);
	if (ret > 0) {
		if (*writable)
			futimens(fd, NULL);
		return fd;
	}
	if (!ret) {
		unlinkat(dir, c->name, 0);
		ret = -EAGAIN;
	}
	close(fd);
	return ret;
}

static int open_file(const struct cache *c, int dir, bool *writable)
{
	int fd = -EAGAIN;

	for (int tries = 0; fd == -EAGAIN && tries < 4; tries++)
		fd = try_open(c, dir, writable);
	return fd;
}

int cache_open(struct cache *c, const char *path, const char *identity, const char **what)
{
	int dir, ret;

	*what = "cache-dir";
	c->blocks = cache_blocks(c->bytes);
	c->data = cache_data_pos(c->blocks);
	ret = make_head(c, identity);
	if (ret == -ENAMETOOLONG)
		*what = "identity for the cache";
	if (ret)
		return ret;
	dir = cache_dir(path, what);
	if (dir == -ENOSPC || dir == -EDQUOT || dir == -EROFS)
		return 0;
	if (dir < 0)
		return dir;
	c->dir = realpath(path, NULL);
	/* removed meanwhile: nothing is kept */
	ret = c->dir || errno == ENOENT ? 0 : -errno;
	if (c->dir)
		c->fd = open_file(c, dir, &c->writable);
	if (c->fd < 0)
		c->fd = -1;
	close(dir);
	return ret;
}

void cache_close(struct cache *c)
{
	if (c->fd >= 0) {
		if (c->writable)
			futimens(c->fd, NULL);
		close(c->fd);
	}
	free(c->head);
	free(c->dir);
}

/*
 * The new file takes over the descriptor's number, as other threads use it.  A thread that reads
 * an entry of the old file and a block of the new one finds a wrong checksum.
 */
void cache_reopen(struct cache *c)
{
	struct stat st;
	const char *what;
	bool writable;
	int dir, fd = -1;

	if (c->fd < 0 || fstat(c->fd, &st) || st.st_nlink)
		return;
	dir = cache_dir(c->dir, &what);
	if (dir >= 0) {
		fd = open_file(c, dir, &writable);
		close(dir);
	}
	if (fd < 0)
		return;
	if (writable)
		dup3(fd, c->fd, O_CLOEXEC);
	close(fd);
}

static u64 entry_pos(u64 block)
{
	return CACHE_BLOCK + block * sizeof(struct cache_entry);
}

void cache_entries(const struct cache *c, u64 first, u64 n, struct cache_entry *entry)
{
	const size_t len = n * sizeof(*entry);
	ssize_t got = pread(c->fd, entry, len, entry_pos(first));

	if (got < 0)
		got = 0;
	memset((u8 *)entry + got, 0, len - got);
}

static bool write_entries(const struct cache *c, u64 first, u64 n,
			  const struct cache_entry *entry)
{
	const size_t len = n * sizeof(*entry);

	return pwrite(c->fd, entry, len, entry_pos(first)) == (ssize_t)len;
}

void cache_mark(const struct cache *c, u64 first, u64 n, struct cache_entry *entry, u32 state)
{
	if (!c->writable)
		return;
	for (u64 i = 0; i < n; i++)
		if (cache_is_there(&entry[i]))
			entry[i].state = cpu_to_le32(state);
	write_entries(c, first, n, entry);
}

size_t cache_get(const struct cache *c, const struct iovec *iov, int n, u64 pos)
{
	const ssize_t got = preadv(c->fd, iov, n, c->data + pos);

	return got < 0 ? 0 : got;
}

void cache_drop(const struct cache *c, u64 first, u64 n, struct cache_entry *entry)
{
	memset(entry, 0, n * sizeof(*entry));
	write_entries(c, first, n, entry);
	fallocate(c->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, c->data + first * CACHE_BLOCK,
		  n * CACHE_BLOCK);
}

bool cache_put(const struct cache *c, const struct iovec *iov, int n, size_t len, u64 first,
	       struct cache_entry *entry)
{
	const u64 blocks = cache_blocks(len);

	if (pwritev(c->fd, iov, n, c->data + first * CACHE_BLOCK) == (ssize_t)len &&
	    (c->whole || write_entries(c, first, blocks, entry)))
		return true;
	cache_drop(c, first, blocks, entry);
	return false;
}

u64 cache_seed(const struct cache *c, u64 block)
{
	const __le64 number = cpu_to_le64(block);

	return xxh64(&number, sizeof(number), c->seed);
}
