// SPDX-License-Identifier: GPL-2.0
/*
 * The content index: stored data of the base image by length and checksum of
 * the first chunk.  It finds the content of a file that was moved or copied.
 * Entries are candidates: their bytes are compared.
 */
#include "libdsfs.h"
#include "msg.h"
#include "base.h"

/* Candidates that are looked at for the same place before one more is added */
#define SAME_MAX	16

static u64 content_index_hash(u64 stored, u32 sum)
{
	u64 key[2] = { stored, sum };

	return XXH3_64bits(key, sizeof(key));
}

/* Start, length and first checksum of the stored data of an inode; 0: no such data. */
static u64 first_sum(struct base *base, u32 ino, u64 *start, u32 *sum)
{
	struct dsfs_err err = { 0 };
	struct dsfs_attr attr;
	u64 stored;

	if (image_stored_get(base->prev, ino, &attr, &stored, &err) || !stored ||
	    dsfs_chunk_sum(base->prev, &attr, stored, 0, sum, &err))
		return 0;
	*start = attr.start;
	return stored;
}

/*
 * Whether an inode in the index has its data at the same place.  Files of equal contents
 * share theirs, and there may be millions of them (labels), all of one hash: the table would
 * be searched from the first to the last for each.
 */
static bool has_place(struct base *base, u64 hash, u64 start)
{
	size_t cursor = 0;
	u64 ino, at;
	u32 sum;

	for (unsigned int i = 0; i < SAME_MAX; i++) {
		ino = hash_next(&base->contents, hash, &cursor);
		if (!ino)
			return false;
		if (first_sum(base, ino, &at, &sum) && at == start)
			return true;
	}
	return false;
}

int content_index_init(struct base *base)
{
	const struct dsfs_geo *geo = base->img.geo;
	u64 stored, start, hash;
	u32 sum;

	if (!geo->chunk_bits)
		return 0;
	if (hash_init(&base->contents, geo->files)) {
		msg_error(NULL, "out of memory");
		return -ENOMEM;
	}
	for (u64 ino = DSFS_ROOT_INO; ino < geo->inodes; ino++) {
		stored = first_sum(base, ino, &start, &sum);
		if (!stored)
			continue;
		hash = content_index_hash(stored, sum);
		/* the table has room for as many files as the superblock counts */
		if (!has_place(base, hash, start))
			hash_add(&base->contents, hash, ino);
	}
	return 0;
}

u32 content_index_next(struct base *base, u64 stored, u32 sum, size_t *cursor, u64 *start)
{
	u32 ino, have;

	if (!base->contents.slots || !stored)
		return 0;
	while ((ino = hash_next(&base->contents, content_index_hash(stored, sum), cursor))) {
		if (first_sum(base, ino, start, &have) == stored && have == sum)
			return ino;
	}
	return 0;
}
