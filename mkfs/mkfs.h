/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A run of mkfs.dsfs: what all phases have in common.
 */
#ifndef MKFS_MKFS_H
#define MKFS_MKFS_H

#include "base/base.h"
#include "options.h"
#include "output/output.h"
#include "params.h"
#include "source/source.h"
#include "tree/tree.h"

/**
 * struct mkfs - the run
 * @params: decided once the base image and the device are known
 * @source: where the tree and its contents come from
 * @base: the image that gets a new generation, or is packed anew; NULL: none
 * @threads: as many of those asked for as there are descriptors for
 * @start: where what is written begins
 * @data_start: where all data of the image begins
 */
struct mkfs {
	const struct options *o;
	struct params params;
	struct tree tree;
	struct source *source;
	struct base *base;
	struct output out;
	unsigned int threads;
	u64 start;
	u64 data_start;
};

#endif /* MKFS_MKFS_H */
