/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The plan of an image, as far as names and attributes determine it.
 */
#ifndef MKFS_PLAN_H
#define MKFS_PLAN_H

#include "../tree/tree.h"
#include "draft.h"

#define PLAN_BUCKETS	49	/* file sizes: 0, 1, 2-3, 4-7, ... 2^47.. */

/**
 * struct plan - counts and sizes
 * @types: names by DT_*, without hard-link entries, of which there are @links
 * @kept: files that keep their content, with @kept_bytes
 * @data: files to be read: regular files that are not empty
 * @bytes: sum of the sizes of regular files
 * @padding: bytes wasted by alignment if no file fills a gap
 * @object_padding: bytes wasted at ends of objects if all contents are stored
 * @meta_bytes: metadata, if no two files have equal contents
 * @lower, @upper: bounds of the image's length
 */
struct plan {
	u64 names;
	u64 types[DSFS_DT_HARDLINK];
	u64 links;
	u64 kept;
	u64 kept_bytes;
	u64 data;
	u64 bytes;
	u64 padding;
	u64 object_padding;
	u64 name_bytes;
	u64 meta_bytes;
	u64 lower;
	u64 upper;
	u64 buckets[PLAN_BUCKETS];
};

/**
 * plan_make - make the plan of an ordered tree
 * No I/O.  Messages are written.  Return: 0 or -errno.
 */
int plan_make(struct plan *p, const struct tree *t, const struct draft *draft);

/* Class of a size in the histogram: 0 for 0, else log2 + 1. */
unsigned int plan_bucket(u64 size);

#endif /* MKFS_PLAN_H */
