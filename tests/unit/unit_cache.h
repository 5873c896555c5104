/* SPDX-License-Identifier: GPL-2.0 */
/* Unit tests of the node's cache: an origin that counts what it is asked for. */
#ifndef UNIT_CACHE_H
#define UNIT_CACHE_H

#include "cache.h"
#include "tap.h"

#define KIB		1024ULL
#define MIB		(1024 * KIB)
/* A sample of 110 KB, at any place */
#define SAMPLE		(110 * 1000)
/* Limits of a cache: one that no test reaches, and none, which depends on the disk's room */
#define LARGE		(1024 * MIB)
#define NO_LIMIT	0

/**
 * struct origin - an inner reader, whose bytes origin_byte() tells
 * @salt: of its bytes
 * @requests: and @asked, what was asked of it
 * @pos: and @len, the last range; @flags: of it
 * @ahead_pos: and @ahead_len, the last range that was asked for ahead
 * @wrong: the next reads give wrong bytes; @error: or this error
 * @hook: called in a read, once
 * @sum: of all bytes
 */
struct origin {
	struct dsfs_reader r;
	u64 salt;
	u64 requests;
	u64 asked;
	u64 pos;
	size_t len;
	unsigned int flags;
	u64 ahead_pos;
	u64 ahead_len;
	unsigned int wrong;
	int error;
	void (*hook)(struct origin *o);
	u8 sum[32];
};

/* A directory for a test, and its cache directory in it, which is not made */
extern char work_dir[PATH_MAX];
extern char cache_path[PATH_MAX];

/** work_begin - an empty work directory; work_end - remove it */
void work_begin(void);
void work_end(void);

/** numbers that a seed gives */
u64 next_random(u64 *seed);

/** origin_init - of @bytes; closed with the cache's reader, it can be opened again */
void origin_init(struct origin *o, u64 bytes, const char *identity);

/** origin_whole - its bytes come as a whole, which is compared with its SHA-256 */
void origin_whole(struct origin *o);

/** must_cache - a cache in front of it, or exit */
struct dsfs_reader *must_cache(struct origin *o, u64 limit, bool lru);
void close_reader(struct dsfs_reader *r);

/** is_right - whether bytes are those of the origin at @pos */
bool is_right(const struct origin *o, const u8 *p, size_t len, u64 pos);

/** get - read and compare, in three buffers of odd lengths.  Return: 0, an error, or -EBADMSG */
int get(struct dsfs_reader *r, const struct origin *o, u64 pos, size_t len, unsigned int flags);

/** get_as_library - read with READ_CHECKED, and once more with READ_AGAIN if it was wrong */
int get_as_library(struct dsfs_reader *r, const struct origin *o, u64 pos, size_t len);

/** get_samples - read @n samples, one behind the other.  Return: those that were not right */
unsigned int get_samples(struct dsfs_reader *r, const struct origin *o, unsigned int n);

/** cache_names - the files of images.  Return: how many; @first: gets the path of one */
unsigned int cache_names(char *first);
/** cache_used - bytes that all files take */
u64 cache_used(void);

/* DSFS_LONG is 0 in make check. */
static inline bool is_long(void)
{
	const char *value = getenv("DSFS_LONG");

	return value && strcmp(value, "0");
}

#endif /* UNIT_CACHE_H */
