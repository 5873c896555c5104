/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generations that dsfs compact --keep takes over.
 */
#ifndef MKFS_RETAINED_H
#define MKFS_RETAINED_H

#include "array.h"
#include "dsfs_platform.h"
#include "dsfs_fs.h"

struct base;

/**
 * struct retained_one - a generation that is kept
 * @stored: bytes of data that no generation before it has; once measured
 * @data, @meta: bytes that it adds to the image: as measured, and then as written
 */
struct retained_one {
	u64 number;
	u64 stored;
	u64 data;
	u64 meta;
};

/**
 * struct retained - the generations of the new image, which are packed one after the other
 * @list: struct retained_one, the newest one first, as the history leads to them
 * @dropped: of a plan: those that are not retained, the newest one first.  Their data is that
 *	which no later generation has
 * @slack: bytes by which the image may be longer than measured
 * @done: how many of them are packed
 * @super: with @done: the superblock of the last one of these
 */
struct retained {
	struct array list;
	struct array dropped;
	u64 slack;
	size_t done;
	struct dsfs_super super;
};

/* One of them; the oldest is number 0. */
static inline struct retained_one *retained_at(const struct retained *retained, size_t i)
{
	return (struct retained_one *)retained->list.p + retained->list.n - 1 - i;
}

void retained_free(struct retained *retained);

/* Whether the generation that is packed now is not the newest one. */
static inline bool retained_later(const struct retained *retained)
{
	return retained->done + 1 < retained->list.n;
}

/**
 * retained_find - list the generations to be kept
 * @keep: how many; 0: one
 *
 * Says if there are fewer than asked for.  Messages are written.  Return: 0 or -errno.
 */
int retained_find(struct retained *retained, const struct base *base, u64 keep);

/**
 * retained_measure - how large the image will be
 * @dropped: look at the generations that are not retained, too
 * @object_bits: log2 of the object size that generations have which say none, or of all if it is
 *	@forced; 0: none
 *
 * Sets base->packed.  Data is placed as it will be; metadata gets no longer.
 *
 * Messages are written.  Return: 0 or -errno.
 */
int retained_measure(struct retained *retained, struct base *base, bool forced,
		     unsigned int object_bits, bool dropped);

/* Look at the next generation to be packed.  Messages are written.  Return: 0 or -errno. */
int retained_next(const struct retained *retained, struct base *base);

/**
 * retained_done - a generation is packed
 * @super: its superblock, of which the checksum is missing
 * @data: bytes of data that were written for it
 */
void retained_done(struct retained *retained, const struct dsfs_super *super, u64 data);

#endif /* MKFS_RETAINED_H */
