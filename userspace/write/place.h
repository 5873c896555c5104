/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Placement of data: computes positions, does no I/O.
 */
#ifndef DSFS_PLACE_H
#define DSFS_PLACE_H

#include "tree.h"

#define PLACE_GAPS	64
#define PLACE_WINDOW	(4 * 1024 * 1024)	/* gaps farther behind the end are not used */
#define PLACE_OWNER_MAX	(1024 * 1024)	/* larger files do not share their last block */
#define PLACE_OLD	8
#define PLACE_OLD_OBJECTS 4		/* objects farther behind the end are not used */
#define PLACE_FILL_MAX	(128 * 1024)	/* larger files do not go into earlier objects */

/* A gap: unused bytes after the last byte of a file, in the same block */
struct gap {
	u64 start;
	u32 bytes;
	struct node *owner;	/* a file in that block */
};

/**
 * struct front - end of files that were laid out one after the other
 * @end: end of the last byte
 * @limit: end of the object, if the front has moved on to another one
 * @last: the file that ends at @end; NULL: none
 * @last_bytes: stored bytes of @last
 */
struct front {
	u64 end;
	u64 limit;
	struct node *last;
	u64 last_bytes;
};

/**
 * struct place - state of placement; a copy of it undoes placements
 * @at: the front; all data lies before its end
 * @old: earlier objects with unused bytes, @nold of them, oldest first
 * @packed: number of files that were placed in gaps
 * @lost: unused bytes of objects that are too far back
 */
struct place {
	struct front at;
	u64 stored;
	u64 packed;
	u64 lost;
	unsigned int align_bits;
	unsigned int object_bits;
	unsigned int ngaps;
	unsigned int nold;
	struct front old[PLACE_OLD];
	struct gap gaps[PLACE_GAPS];
};

/* @object_bits: log2 of the object size of the store; 0: no objects */
void place_init(struct place *p, u64 start, unsigned int align_bits, unsigned int object_bits);

/**
 * place_file - place the stored bytes of the next file
 * @node: the file, or a substitute; NODE_SHARED is set, here and for the files that
 *	it shares a block with
 * @stored: number of bytes, not 0
 *
 * Objects have room for the size of the file, because the number of stored bytes of a
 * large file is known only after it was read.
 *
 * Return: byte offset in the image.
 */
u64 place_file(struct place *p, struct node *node, u64 stored);

/**
 * place_resize - set the number of stored bytes of the file that was placed last
 * @stored: at least that of place_file(); both are more than a block
 */
void place_resize(struct place *p, u64 pos, u64 was, u64 stored);

/* Unused bytes at the ends of objects. */
u64 place_object_padding(const struct place *p);

/**
 * place_meta - place the metadata
 * @alone: the first generation of an image, not one behind an older one
 *
 * Every mount reads all of it, so in a new image it has objects of its own.  For a later
 * generation that would cost a gap of up to an object, which may be more than all changes.
 */
u64 place_meta(const struct place *p, bool alone);

#endif /* DSFS_PLACE_H */
