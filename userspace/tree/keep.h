/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a file keeps a content of the base image.  An update asks this in three places, of
 * which each one asks for what is left by those before it:
 *
 *   tree/match.c    same_time(): size and time of the inode of its name are the same
 *   data/reader.c   keep_by_bytes_*(): the inode of its name has the same bytes
 *   data/store.c    keep_find(): some inode has the same bytes
 *
 * An image that is packed anew keeps all contents: its source is the base image.
 */
#ifndef DSFS_KEEP_H
#define DSFS_KEEP_H

#include "base.h"

/**
 * keep_by_content - whether a file of @size bytes has the content of an inode
 * @pack: contents are compressed
 * @fn: gets the content; -ECANCELED if it differs
 *
 * False, too, where neither is compressed: stored bytes are compared then, by
 * keep_by_bytes_begin() and so on.
 */
bool keep_by_content(struct base *base, u32 ino, u64 size, bool pack, image_data_fn fn, void *arg);

/* Mark a file as one that has the content of its @old and is not written. */
void keep_mark(struct base *base, struct node *n);

/* Mark a file as one that has the content of another inode, whose bytes are at @start. */
void keep_mark_found(struct node *n, u32 ino, u64 start);

/**
 * struct keep_compare - comparison of a file with the inode of its name
 * @bits: log2 of the chunk size; @left: bytes missing from the current chunk; @sum: its checksum
 *	so far
 * @at: stored bytes so far
 * @differs: a difference was found
 */
struct keep_compare {
	struct base *base;
	struct dsfs_attr attr;
	struct dsfs_extra_info extra;
	u64 stored;
	u64 at;
	u64 left;
	struct dsfs_datasum sum;
	u8 bits;
	bool differs;
};

void keep_by_bytes_begin(struct keep_compare *c, struct base *base, u32 ino);
/* Like an emit function of struct holes; -ECANCELED once it differs. */
int keep_by_bytes_data(void *compare, const char *p, u64 bytes);
/* @extents: @n of them; none for a file without holes */
bool keep_by_bytes_end(struct keep_compare *c, bool sparse,
		       const struct dsfs_extent_record *extents, u32 n);

/**
 * keep_find - an inode that stores the same bytes
 * @stored: number of bytes
 * @sums: hash of the checksums of all their chunks
 * @equal: compares with the bytes at @start of the image: 1: equal; 0: not; -errno
 * @ino, @start: set to the inode, and the offset of its bytes in the image
 *
 * Return: 1: there is one; 0; -errno of @equal.
 */
int keep_find(struct base *base, u64 stored, u64 sums, int (*equal)(void *ctx, u64 start),
	      void *ctx, u32 *ino, u64 *start);

#endif /* DSFS_KEEP_H */
