// SPDX-License-Identifier: GPL-2.0
/*
 * Contents that the image has under another name: a file that was moved, or a
 * copy of one.  The checksum of the first chunk and the number of stored bytes
 * propose, bytes decide, as with files that are alike within a tree.
 */
#include <stdlib.h>

#include "libdsfs.h"
#include "msg.h"
#include "base.h"

static size_t found_hash(u64 stored, u32 sum)
{
	u64 key[2] = { stored, sum };

	return XXH3_64bits(key, sizeof(key));
}

/* Stored bytes of an inode and the checksum of the first of them; 0: none. */
static u64 first_sum(struct base *base, u32 ino, u64 *start, u32 *sum)
{
	struct dsfs_err err = { 0 };
	struct dsfs_ext_info ext;
	struct dsfs_attr attr;
	u64 stored;

	if (dsfs_inode_get(base->past, ino, &attr, &err) ||
	    dsfs_attr_is_stub(&attr) || !S_ISREG(attr.mode) ||
	    dsfs_ext_get(base->past, &attr, &ext, &err))
		return 0;
	stored = image_stored_bytes(&attr, &ext);
	if (!stored ||
	    dsfs_extent_check(base->img.geo, attr.start, stored, &err) ||
	    dsfs_chunk_sum(base->past, &attr, stored, 0, sum, &err))
		return 0;
	*start = attr.start;
	return stored;
}

int found_init(struct base *base)
{
	size_t size = 1024, i;
	u64 stored, start;
	u32 sum;

	if (!base->img.geo->chunk_bits)
		return 0;
	while (size / 4 * 3 < base->img.geo->files)
		size *= 2;
	base->contents = calloc(size, sizeof(*base->contents));
	base->contents_mask = size - 1;
	if (!base->contents) {
		msg_error(NULL, "out of memory");
		return -ENOMEM;
	}
	for (u64 ino = DSFS_ROOT_INO; ino < base->img.geo->inodes; ino++) {
		stored = first_sum(base, ino, &start, &sum);
		if (!stored || base->ncontents > size / 4 * 3)
			continue;
		for (i = found_hash(stored, sum) & base->contents_mask;
		     base->contents[i]; i = (i + 1) & base->contents_mask)
			;
		base->contents[i] = ino;
		base->ncontents++;
	}
	return 0;
}

u32 found_next(struct base *base, u64 stored, u32 sum, size_t *cursor, u64 *start)
{
	size_t i = found_hash(stored, sum) + *cursor;
	u32 ino, have;

	if (!base->contents || !stored)
		return 0;
	while ((ino = base->contents[i++ & base->contents_mask])) {
		++*cursor;
		if (first_sum(base, ino, start, &have) == stored && have == sum)
			return ino;
	}
	return 0;
}
