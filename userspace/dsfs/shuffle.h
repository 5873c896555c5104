/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Orders in which to read a set of files.  No I/O.
 */
#ifndef DSFS_SHUFFLE_H
#define DSFS_SHUFFLE_H

#include "dsfs_platform.h"

/**
 * struct order - a permutation of files
 * @v: numbers of files, which are in the order of the device; @nr of them
 */
struct order {
	u32 *v;
	size_t nr;
};

/* All of them return 0 or -ENOMEM; the caller frees @v. */

/** order_sorted - the order of the device */
int order_sorted(struct order *o, size_t nr);

/** order_true - each order as likely as any other */
int order_true(struct order *o, size_t nr, u64 seed);

/**
 * order_windowed - random over all, in pieces of the device
 * @sizes: of the files, in bytes
 * @piece: bytes; neighbours on the device of about that much stay together
 * @window: bytes; as many pieces, drawn at random, are mixed as fill it
 * @ahead: files of a window in the order of the device instead, for who asks for all
 *	of it before it is read
 *
 * The cuts between pieces are others with each seed.
 */
int order_windowed(struct order *o, const u64 *sizes, size_t nr,
		   u64 piece, u64 window, u64 seed, bool ahead);

#endif /* DSFS_SHUFFLE_H */
