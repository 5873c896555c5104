/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generations that --compact --keep takes over.
 */
#ifndef MKFS_KEPT_H
#define MKFS_KEPT_H

#include "array.h"
#include "dsfs_platform.h"
#include "dsfs_fs.h"

struct base;
struct options;

/**
 * struct kept_one - a generation that is kept
 * @stored: bytes of data that no generation before it has; once measured
 * @data, @meta: bytes that it adds to the image: as measured, and then as written
 */
struct kept_one {
	u64 number;
	u64 stored;
	u64 data;
	u64 meta;
};

/**
 * struct kept - the generations of the new image, which are packed one after the other
 * @list: struct kept_one, the oldest one first
 * @dropped: of a plan: those that are not kept, the newest one first.  Their data is that
 *	which no later generation has
 * @slack: bytes by which the image may be longer than measured
 * @done: how many of them are packed
 * @super: with @done: the superblock of the last one of these
 */
struct kept {
	struct array list;
	struct array dropped;
	u64 slack;
	size_t done;
	struct dsfs_super super;
};

static inline struct kept_one *kept_at(const struct kept *kept, size_t i)
{
	return (struct kept_one *)kept->list.p + i;
}

void kept_free(struct kept *kept);

/* Whether the generation that is packed now is not the newest one. */
static inline bool kept_later(const struct kept *kept)
{
	return kept->done + 1 < kept->list.n;
}

/**
 * kept_find - list the generations to be kept
 * @keep: how many; 0: one
 *
 * Says if there are fewer than asked for.  Messages are written.  Return: 0 or -errno.
 */
int kept_find(struct kept *kept, const struct base *base, u64 keep);

/**
 * kept_measure - how large the image will be
 * @dropped: look at the generations that are not kept, too
 * @object_bits: log2 of the object size that the device reports; 0: none
 *
 * Sets base->packed.  Data is placed as it will be; metadata gets no longer.
 *
 * Messages are written.  Return: 0 or -errno.
 */
int kept_measure(struct kept *kept, struct base *base, const struct options *o,
		 unsigned int object_bits, bool dropped);

/* Look at the next generation to be packed.  Messages are written.  Return: 0 or -errno. */
int kept_next(const struct kept *kept, struct base *base);

/**
 * kept_done - a generation is packed
 * @super: its superblock, of which the checksum is missing
 * @data: bytes of data that were written for it
 */
void kept_done(struct kept *kept, const struct dsfs_super *super, u64 data);

#endif /* MKFS_KEPT_H */
