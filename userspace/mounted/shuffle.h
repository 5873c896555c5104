/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Orders in which to read a set of files.  No I/O.
 */
#ifndef DSFS_SHUFFLE_H
#define DSFS_SHUFFLE_H

#include "dsfs_platform.h"

/*
 * An order is an array of the numbers of files, which are numbered in the order of the device.
 * The caller has the array.
 */

/** order_sorted - the order of the device */
void order_sorted(u32 *order, size_t nr);

/** order_true - each order as likely as any other */
void order_true(u32 *order, size_t nr, u64 seed);

/**
 * order_buffered - random over all, in ranges of the device
 * @sizes: of the files, in bytes
 * @range: bytes; neighbours on the device of about that much stay together
 * @buffer: bytes; the files of as many ranges as fill it are mixed; ranges come in random order
 * @ahead: files of a buffer in the order of the device instead, for who asks for all
 *	of it before it is read
 *
 * The cuts between ranges are others with each seed.
 *
 * Return: 0 or -ENOMEM.
 */
int order_buffered(u32 *order, const u64 *sizes, size_t nr,
		   u64 range, u64 buffer, u64 seed, bool ahead);

#endif /* DSFS_SHUFFLE_H */
