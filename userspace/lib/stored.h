/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stored bytes of a file: reads of them that are compared with checksums, and what compressed
 * ones unpack to.
 */
#ifndef DSFS_STORED_H
#define DSFS_STORED_H

#include <sys/uio.h>

#include "image.h"

#define STORED_STEP	1048576	/* read at a time; a multiple of every chunk size */
#define STORED_BUFFERS	32	/* in a step */

/**
 * struct stored - what a regular file stores: contiguous bytes in the image
 * @attr: the file, whose @start is the first of them
 * @bytes: how many
 */
struct stored {
	struct dsfs_source *src;
	const struct dsfs_attr *attr;
	u64 bytes;
};

/**
 * struct batch - a range of stored bytes to be brought in
 * @check: compare it with its checksums
 * @flags: READ_*
 * @iov: where it goes: entry 0 is for bytes that are read in front of what was asked for, entries
 *	1 to @n for that, the next one for bytes that are read behind it
 * @from: its first byte; @len: how many
 */
struct batch {
	struct stored of;
	bool check;
	unsigned int flags;
	int n;
	u64 from;
	u64 len;
	struct iovec iov[STORED_BUFFERS + 2];
};

/** batch_round - widen a range of stored bytes to what is read to check it */
void batch_round(const struct stored *of, bool check, u64 *from, u64 *end);

/** batch_init - begin; @check is ignored where the image has no data checksums */
void batch_init(struct batch *b, const struct stored *of, bool check, unsigned int flags);

/**
 * batch_add - add stored bytes, which follow those that are in already
 * @at: the first
 * @buf: gets them, at the next batch_flush() at the latest
 * @len: how many, not 0
 *
 * Return: how many of them were taken, at least one, or a negative errno.
 */
ssize_t batch_add(struct batch *b, u64 at, u8 *buf, u64 len, struct dsfs_err *err);

/** batch_flush - read and check what is in; 0, -EBADMSG, -EIO, -ENOMEM, ... */
int batch_flush(struct batch *b, struct dsfs_err *err);

/* units.c: the contents of compressed files */

/**
 * struct units - a compressed file
 * @of: its stored bytes
 * @check: compare stored bytes with their checksums
 * @flags: READ_*
 */
struct units {
	struct stored of;
	bool check;
	unsigned int flags;
};

/** units_range - the stored bytes that a read of @pos to @end, not 0 bytes, needs; 0 or -errno */
int units_range(const struct stored *of, u64 pos, u64 end, u64 *from, u64 *to,
		struct dsfs_err *err);

/**
 * units_read - read content
 * @buf: gets @len bytes at @pos, which lie in the file
 *
 * Return: 0; -EUCLEAN for a broken frame; -EBADMSG, -EIO, -ENOMEM, ...
 */
int units_read(const struct units *u, u8 *buf, u64 len, u64 pos, struct dsfs_err *err);

#endif /* DSFS_STORED_H */
