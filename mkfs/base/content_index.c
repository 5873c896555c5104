// SPDX-License-Identifier: GPL-2.0
/*
 * The content index: stored data of the base image by length and checksums.  It finds the content
 * of a file that was moved or copied.  Entries are candidates: their bytes are compared.
 */
#include "format.h"
#include "msg.h"
#include "keep.h"

/*
 * Candidates of one length with the same checksums.  An image may have millions of them, with
 * equal bytes (labels, and --no-dedup) or, by an adversary, other ones, and for each
 * one more the table would be searched from the first to the last.
 */
#define SAME_MAX	16

static u64 content_index_hash(u64 stored, u64 sums)
{
	u64 key[2] = { stored, sums };

	return XXH3_64bits(key, sizeof(key));
}

/* Start, length and checksums of the stored data of an inode; 0: no such data. */
static u64 data_of(struct base *base, u32 ino, u64 *start, u64 *sums)
{
	struct dsfs_err err = { 0 };
	struct dsfs_attr attr;
	u64 stored;

	if (image_stored_get(base->prev, ino, &attr, &stored, &err) || !stored ||
	    base_sums(base, &attr, stored, sums, &err))
		return 0;
	*start = attr.start;
	return stored;
}

/* Find the next inode that stores as many bytes with these checksums.  Return: it; 0: none. */
static u32 next_alike(struct base *base, u64 stored, u64 sums, size_t *cursor, u64 *start)
{
	u64 have;
	u32 ino;

	if (!stored)
		return 0;
	while ((ino = hash_next(&base->contents, content_index_hash(stored, sums), cursor))) {
		if (data_of(base, ino, start, &have) == stored && have == sums)
			return ino;
	}
	return 0;
}

/* Whether the index has the place of these data, or candidates enough beside it. */
static bool has_place(struct base *base, u64 stored, u64 sums, u64 start)
{
	unsigned int same = 0;
	size_t cursor = 0;
	u64 at;

	while (same++ < SAME_MAX) {
		if (!next_alike(base, stored, sums, &cursor, &at))
			return false;
		if (at == start)
			return true;
	}
	return true;
}

int content_index_init(struct base *base)
{
	const struct dsfs_geo *geo = base->img.geo;
	u64 stored, start, sums;

	if (!geo->chunk_bits)
		return 0;
	if (hash_init(&base->contents, geo->files))
		return no_memory();
	for (u64 ino = DSFS_ROOT_INO; ino < geo->inodes; ino++) {
		stored = data_of(base, ino, &start, &sums);
		/* the table has room for as many files as the superblock counts */
		if (stored && !has_place(base, stored, sums, start))
			hash_add(&base->contents, content_index_hash(stored, sums), ino);
	}
	return 0;
}

int keep_find(struct base *base, u64 stored, u64 sums, int (*equal)(void *ctx, u64 start),
	      void *ctx, u32 *ino, u64 *start)
{
	size_t cursor = 0;
	int ret = 0;

	while (!ret && (*ino = next_alike(base, stored, sums, &cursor, start)))
		ret = equal(ctx, *start);
	return ret;
}
