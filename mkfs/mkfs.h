/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of a run of mkfs.dsfs that all phases use.
 */
#ifndef MKFS_MKFS_H
#define MKFS_MKFS_H

#include "base/base.h"
#include "base/kept.h"
#include "options.h"
#include "output/output.h"
#include "params.h"
#include "placemap.h"
#include "source/source.h"
#include "tree/tree.h"

/**
 * struct mkfs - the run
 * @params: decided once the base image and the device are known
 * @source: the source: lists the tree and reads its contents
 * @base: the image that gets a new generation, or is packed anew; NULL: none
 * @kept: --keep: the generations that are packed
 * @moved: where data of @base was packed: data/copy.c
 * @threads: reader threads: as asked for, or fewer if descriptors are short
 * @start: offset of the first byte that is written
 * @data_start: offset of the data of the image
 * @added: offset of the data that this run adds
 */
struct mkfs {
	const struct options *o;
	struct params params;
	struct tree tree;
	struct source *source;
	struct base *base;
	struct kept kept;
	struct placemap moved;
	struct output out;
	unsigned int threads;
	u64 start;
	u64 data_start;
	u64 added;
};

#endif /* MKFS_MKFS_H */
