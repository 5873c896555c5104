/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A cache on the node: blocks of far images in files of a directory.
 *
 * All processes of a node share the directory, and nobody but them is needed.  A file holds
 * what was read of one image, by its blocks, each at a place of its own; it is named by the
 * SHA-256 of the image's identity and begins with that identity:
 *
 *	offset		bytes
 *	0		4096		struct cache_head, then the identity, then zeros
 *	4096		8 a block	struct cache_entry: checksum and state; padded to 4096
 *	behind		4096 a block	the blocks, as they are in the image
 *
 * The file is sparse.  A block is there if its entry says so and its checksum is right; nothing
 * else vouches for it, so that readers take no lock, and a process may be killed at any time and
 * power may fail.  A block that is not there is asked of the origin again.  Data is written
 * before its entry and taken away behind it.
 *
 * Whoever has an image open holds a shared flock(2) of its file, which ends with the process.
 * That alone says which images are in use.
 */
#ifndef DSFS_CACHE_H
#define DSFS_CACHE_H

#include <dirent.h>
#include <sys/uio.h>

#include "dsfs_platform.h"

#define CACHE_BLOCK	4096
/* Characters of a file's name: a SHA-256 in hexadecimal digits */
#define CACHE_NAME	64
/* The file whose lock those take who remove something; it holds the hand of cache_clock.c */
#define CACHE_LOCK	"lock"

/* States of an entry; any other is of a block that is not there. */
#define CACHE_PRESENT	0x43614301u
#define CACHE_USED	0x43614302u	/* and was read since the hand passed: policy lru */

struct cache_head {
	char magic[8];
	__le32 version;
	__le32 identity_bytes;
	__le64 image_bytes;
};

struct cache_entry {
	__le32 sum;
	__le32 state;
};

/**
 * struct cache_options - what a user asked for
 * @dir: the directory; NULL: no cache
 * @bytes: that all its files may take; 0: up to nine tenths of the file system
 * @lru: when it is full, what was not read for long makes room
 */
struct cache_options {
	const char *dir;
	u64 bytes;
	bool lru;
};

/**
 * struct cache - the file of an open image
 * @dir: the directory, absolute
 * @name: of the file
 * @head: what it begins with; a block
 * @fd: of the file; -1: it cannot be made, and nothing is kept
 * @writable: it can be written to
 * @bytes: of the image; @blocks: of it, rounded up; @data: where they begin in the file
 * @seed: of checksums, so that a block of another image or of another place is a wrong one
 * @budget: bytes that may be written until somebody has to look how much there is
 * @refused: writes that are to be refused before it is worth to look again
 */
struct cache {
	char *dir;
	char name[CACHE_NAME + 1];
	u8 *head;
	int fd;
	bool writable;
	u64 limit;
	bool lru;
	u64 bytes;
	u64 blocks;
	u64 data;
	u32 seed;
	u64 budget;
	u32 refused;
};

static inline bool cache_is_there(const struct cache_entry *e)
{
	const u32 state = le32_to_cpu(e->state);

	return state == CACHE_PRESENT || state == CACHE_USED;
}

/** cache_data_pos - where the blocks of an image begin in its file */
static inline u64 cache_data_pos(u64 blocks)
{
	const u64 bytes = blocks * sizeof(struct cache_entry);

	return CACHE_BLOCK + (bytes + CACHE_BLOCK - 1) / CACHE_BLOCK * CACHE_BLOCK;
}

static inline u64 cache_blocks(u64 bytes)
{
	return bytes / CACHE_BLOCK + !!(bytes % CACHE_BLOCK);
}

/*
 * cache_dir.c
 */

/**
 * cache_dir - open the directory, which is made if it is not there
 * @what: gets what is wrong
 *
 * Return: a descriptor, or a negative errno; -EPERM if others may write there: they could
 * plant blocks.
 */
int cache_dir(const char *path, const char **what);

/** cache_is_name - whether a name is that of an image's file */
bool cache_is_name(const char *name);

/** cache_is_ours - whether nobody but this user and root can have written it */
bool cache_is_ours(const struct stat *st);

/*
 * cache_file.c
 */

/**
 * cache_open - open or make the file of an image
 * @c: with its members from @limit to @bytes set; to be closed with cache_close()
 * @what: gets what is wrong
 *
 * Return: 0, also where the file cannot be made; a negative errno if the directory cannot be
 * used, or for want of memory.
 */
int cache_open(struct cache *c, const char *dir, const char *identity, const char **what);
void cache_close(struct cache *c);

/**
 * cache_reopen - the file anew, if somebody removed it
 *
 * Other threads use @c meanwhile.
 */
void cache_reopen(struct cache *c);

/** cache_entries - the entries of @n blocks; those that cannot be read are of no block */
void cache_entries(const struct cache *c, u64 first, u64 n, struct cache_entry *entry);

/** cache_mark - write entries: CACHE_PRESENT, CACHE_USED or 0, for all that are there */
void cache_mark(const struct cache *c, u64 first, u64 n, struct cache_entry *entry, u32 state);

/** cache_get - read what the file has, right or wrong.  Return: how many bytes. */
size_t cache_get(const struct cache *c, const struct iovec *iov, int n, u64 pos);

/**
 * cache_put - write blocks, as cache_admit() allowed it
 * @iov: their bytes, @len of them
 * @entry: with their checksums
 *
 * Return: whether there was room.
 */
bool cache_put(const struct cache *c, const struct iovec *iov, int n, size_t len, u64 first,
	       struct cache_entry *entry);

/** cache_sum - the checksum of a block begins with this */
u32 cache_sum(const struct cache *c, u64 block);

/*
 * cache_room.c
 */

/** cache_admit - whether @blocks more may be written */
bool cache_admit(struct cache *c, u64 blocks);

/** cache_full - the file system has no room, whatever the limit is */
void cache_full(struct cache *c);

/*
 * cache_clock.c
 */

/**
 * cache_clock - make room for @bytes by what was not read for long
 * @lock: descriptor of the lock file, whose lock the caller has
 */
void cache_clock(int dir, int lock, u64 bytes);

#endif /* DSFS_CACHE_H */
