// SPDX-License-Identifier: GPL-2.0
/*
 * The content index: contents that the image has under another name, of a file
 * that was moved or a copy of one.  The checksum of the first chunk and the number of stored bytes
 * propose, bytes decide, as with files that are alike within a tree.
 */
#include "libdsfs.h"
#include "msg.h"
#include "base.h"

static u64 content_index_hash(u64 stored, u32 sum)
{
	u64 key[2] = { stored, sum };

	return XXH3_64bits(key, sizeof(key));
}

/* Stored bytes of an inode and the checksum of the first of them; 0: none. */
static u64 first_sum(struct base *base, u32 ino, u64 *start, u32 *sum)
{
	struct dsfs_err err = { 0 };
	struct dsfs_extra_info extra;
	struct dsfs_attr attr;
	u64 stored;

	if (dsfs_inode_get(base->prev, ino, &attr, &err) ||
	    dsfs_attr_is_hardlink(&attr) || !S_ISREG(attr.mode) ||
	    dsfs_extra_get(base->prev, &attr, &extra, &err))
		return 0;
	stored = image_stored_bytes(&attr, &extra);
	if (!stored ||
	    dsfs_extent_check(base->img.geo, attr.start, stored, &err) ||
	    dsfs_chunk_sum(base->prev, &attr, stored, 0, sum, &err))
		return 0;
	*start = attr.start;
	return stored;
}

int content_index_init(struct base *base)
{
	const struct dsfs_geo *geo = base->img.geo;
	u64 stored, start;
	u32 sum;

	if (!geo->chunk_bits)
		return 0;
	if (hash_init(&base->contents, geo->files)) {
		msg_error(NULL, "out of memory");
		return -ENOMEM;
	}
	for (u64 ino = DSFS_ROOT_INO; ino < geo->inodes; ino++) {
		stored = first_sum(base, ino, &start, &sum);
		/* there is room for as many files as the image says that it has */
		if (stored)
			hash_add(&base->contents, content_index_hash(stored, sum), ino);
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
