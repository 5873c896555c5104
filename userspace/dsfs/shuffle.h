/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Orders in which to read a set of files, and how far they are from a true shuffle.
 * No I/O.
 */
#ifndef DSFS_SHUFFLE_H
#define DSFS_SHUFFLE_H

#include "dsfs_platform.h"

#define BATCH	256

/**
 * struct item - a file, in an array in the order of the device
 * @start: byte at which it begins
 * @size: in bytes
 * @class: number of the directory it is in
 */
struct item {
	u64 start;
	u64 size;
	u32 class;
};

/**
 * struct order - a permutation of items
 * @v: numbers of items, @nr of them
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
 * @piece: bytes; neighbours on the device of about that much stay together
 * @window: bytes; as many pieces, drawn at random, are mixed as fill it
 *
 * @ahead: files of a window in the order of the device instead, for who asks for all
 *	of it before it is read
 *
 * The cuts between pieces are others with each seed.
 */
int order_windowed(struct order *o, const struct item *items, size_t nr,
		   u64 piece, u64 window, u64 seed, bool ahead);

/**
 * order_buffer - what a shuffle buffer makes of shards
 * @shard: bytes; files go into shards in the order of the device
 * @window: bytes; the buffer holds as many files as that is of mean size
 *
 * Shards come in random order, one after the other; the buffer is filled, and for
 * each file drawn from it at random the next one takes its place.
 */
int order_buffer(struct order *o, const struct item *items, size_t nr,
		 u64 shard, u64 window, u64 seed);

/**
 * struct order_stats - how far from a true shuffle
 * @rank: Spearman's rank correlation with the order of the device; true: about 0
 * @classes: in a batch of BATCH files, mean over all full batches, or that of all
 *	files if there are fewer
 * @distance: of neighbours on the device: how many files lie between them in the
 *	order, over the number of files; true: about 1/3
 * @pieces: runs of neighbours on the device, a file, if each window of the order is
 *	read at once
 */
struct order_stats {
	double rank;
	double classes;
	double distance;
	double pieces;
};

int order_measure(struct order_stats *s, const struct order *o,
		  const struct item *items, u64 window);

/** order_expected - what a true shuffle has on average, but for @pieces */
int order_expected(struct order_stats *s, const struct item *items, size_t nr);

#endif /* DSFS_SHUFFLE_H */
