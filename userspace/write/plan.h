/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a tree has, and what an image of it will take whose contents have not been read.
 */
#ifndef DSFS_PLAN_H
#define DSFS_PLAN_H

#include "draft.h"
#include "place.h"
#include "tree.h"

#define PLAN_BUCKETS	49	/* file sizes: 0, 1, 2-3, 4-7, ... 2^47.. */

/**
 * struct plan - counts and sizes
 * @types: names by DT_*, without hard-link entries, of which there are @links
 * @kept: files that keep their content, with @kept_bytes
 * @data: files to be read: regular files that are not empty
 * @bytes: sum of the sizes of regular files
 * @padding, @object_padding: bytes that alignment and ends of objects waste
 * @meta_bytes: metadata
 * @lower, @upper: bounds of the image's length
 *
 * The last five are set by who has run the writer on a target that only adds up.
 */
struct plan {
	u64 names;
	u64 types[DSFS_DT_HARDLINK];
	u64 links;
	u64 kept;
	u64 kept_bytes;
	u64 data;
	u64 bytes;
	u64 name_bytes;
	u64 owners;
	u64 xattr_sets;
	u64 buckets[PLAN_BUCKETS];
	u64 padding;
	u64 object_padding;
	u64 meta_bytes;
	u64 lower;
	u64 upper;
};

/* plan_make - count what an ordered tree has */
void plan_make(struct plan *p, const struct tree *t);

/* Class of a size in the histogram: 0 for 0, else log2 + 1. */
unsigned int plan_bucket(u64 size);

/**
 * struct guess - a guess, and what the tree had before
 * @place: where data goes
 * @packed, @units, @chunks: lengths of what the tree has of contents
 */
struct guess {
	struct place place;
	size_t packed;
	u64 units;
	u64 chunks;
};

/**
 * guess_contents - give files that are to be read what they may have at most, or at least
 * @t: ordered
 * @whole: no two contents are equal and none has holes; else all are, but for those of which it is
 *	known that they are stored
 *
 * No I/O.  Up to guess_end(), nothing may be stored.  Messages are written, but for -ENOMEM.
 * Return: 0 or -errno.
 */
int guess_contents(struct guess *g, struct tree *t, const struct draft *draft, bool whole);
void guess_end(const struct guess *g, struct tree *t);

/* By how much an image may be longer than one of whole contents. */
u64 guess_slack(const struct tree *t, const struct draft *draft);

#endif /* DSFS_PLAN_H */
