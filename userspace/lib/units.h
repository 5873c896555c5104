/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The contents of compressed files.
 */
#ifndef DSFS_UNITS_H
#define DSFS_UNITS_H

#include "stored.h"

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

#endif /* DSFS_UNITS_H */
