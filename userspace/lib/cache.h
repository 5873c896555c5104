/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A cache on the node: blocks of remote images in files of a directory.
 *
 * All processes of a node share the directory, without a daemon.  A file holds the blocks that
 * were read of one image, each at its fixed place; its name is the SHA-256 of the image's
 * identity, which is also in its head:
 *
 *	offset		bytes
 *	0		4096		struct cache_head, then the identity, then zeros
 *	4096		8 a block	struct cache_entry: checksum and state; padded to 4096
 *	behind		4096 a block	the blocks, as they are in the image
 *
 * The file is sparse.  A block is present if its entry says so and its checksum is right, and
 * nothing else counts: so readers take no lock, and a process may be killed and power may fail
 * at any time.  A block that is not present is read from the origin.  Data is written before its
 * entry, and removed after it.
 *
 * A process that has an image open holds a shared flock(2) of its file, which ends with the
 * process.  That alone says which images are in use.
 */
#ifndef DSFS_CACHE_H
#define DSFS_CACHE_H

#include <sys/uio.h>

#include "reader.h"

#define CACHE_BLOCK	4096
/* Characters of a file's name: a SHA-256 in hexadecimal digits */
#define CACHE_NAME	64
/* File with the position of the hand (cache_room.c); whoever removes anything locks it */
#define CACHE_LOCK	"lock"

/* States of an entry; any other is of a block that is not there. */
#define CACHE_PRESENT	0x43614301u
#define CACHE_USED	0x43614302u	/* present, and read since the hand passed: policy lru */

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
 * @bytes: limit of all its files; 0: a tenth of the file system stays free
 * @lru: when it is full, blocks that were not read for long make room
 * @whole: pieces come in whole, and are compared with their SHA-256
 */
struct cache_options {
	const char *dir;
	u64 bytes;
	bool lru;
	bool whole;
};

/**
 * struct cache - the file of an open image
 * @dir: the directory, absolute
 * @name: name of the file
 * @head: its first block
 * @fd: its descriptor; -1: it cannot be made, and nothing is kept
 * @writable: it can be written to
 * @bytes: length of the image, in @blocks blocks; @data: their offset in the file
 * @seed: seed of the seeds of checksums, so that a block of another image or another place has a
 *	wrong one
 * @budget: bytes that may be written until the room is computed again
 * @refused: writes to refuse until the room is computed again
 * @whole: cache_put() leaves entries to the caller
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
	u64 seed;
	u64 budget;
	u32 refused;
	bool whole;
};

static inline bool cache_is_there(const struct cache_entry *e)
{
	const u32 state = le32_to_cpu(e->state);

	return state == CACHE_PRESENT || state == CACHE_USED;
}

/** cache_data_pos - offset of the first block of an image in its file */
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
 * cache_file.c
 */

/**
 * cache_dir - open the directory; it is made if it does not exist
 * @what: set to what an error is about
 *
 * Return: a descriptor, or a negative errno; -EPERM if others may write there: they could
 * plant blocks.
 */
int cache_dir(const char *path, const char **what);

/** cache_is_name - whether a name has the form of the name of an image's file */
bool cache_is_name(const char *name);

/**
 * cache_open - open or make the file of an image
 * @c: with its members from @limit to @bytes set; close it with cache_close()
 * @what: set to what an error is about
 *
 * Return: 0, also if the file cannot be made; a negative errno if the directory or the identity
 * cannot be used, or without memory.
 */
int cache_open(struct cache *c, const char *dir, const char *identity, const char **what);
void cache_close(struct cache *c);

/** cache_head - read the head of a file; false if it is no cache file of this user or of root */
bool cache_head(int fd, struct cache_head *head);

/**
 * cache_reopen - make a new file if another process has removed it
 *
 * Other threads may use @c meanwhile.
 */
void cache_reopen(struct cache *c);

/** cache_entries - read the entries of @n blocks; zeros for those that cannot be read */
void cache_entries(const struct cache *c, u64 first, u64 n, struct cache_entry *entry);

/** cache_mark - write entries; those that are present get @state: CACHE_PRESENT, _USED or 0 */
void cache_mark(const struct cache *c, u64 first, u64 n, struct cache_entry *entry, u32 state);

/** cache_get - read blocks, which the caller verifies.  Return: number of bytes. */
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

/** cache_drop - forget blocks, and give their room back; @entry: becomes zeros */
void cache_drop(const struct cache *c, u64 first, u64 n, struct cache_entry *entry);

/** cache_seed - seed of the checksum of a block, which is the low 32 bits of an XXH64 */
u64 cache_seed(const struct cache *c, u64 block);

/*
 * cache_room.c
 */

/** cache_admit - whether @blocks more may be written */
bool cache_admit(struct cache *c, u64 blocks);

/** cache_full - the file system has no room, whatever the limit is */
void cache_full(struct cache *c);

/*
 * reader_cache.c
 */

/**
 * reader_cache - a reader of the same bytes, which asks @inner for what is not in the cache
 * @inner: becomes the new reader's; on failure it stays the caller's
 * @out: gets the reader; @inner itself if @inner has no identity, as nothing can be kept then
 * @what: gets what failed
 *
 * Return: 0, also where nothing can be written, which only costs hits; -EPERM and others if
 * the directory cannot be used; -ENOMEM.
 */
int reader_cache(struct dsfs_reader *inner, const struct cache_options *o,
		 struct dsfs_reader **out, const char **what);

#endif /* DSFS_CACHE_H */
