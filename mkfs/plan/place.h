/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a file's bytes go.  Pure: positions in, positions out.
 */
#ifndef MKFS_PLACE_H
#define MKFS_PLACE_H

#include "../options.h"
#include "../tree/tree.h"

#define PLACE_GAPS	64
#define PLACE_WINDOW	(4 * 1024 * 1024)	/* bytes behind the end that gaps are used in */
#define PLACE_OWNER_MAX	(1024 * 1024)	/* larger files keep their last block alone */
#define PLACE_OLD	8
#define PLACE_OLD_OBJECTS 4		/* objects behind the end whose room is used */
#define PLACE_FILL_MAX	(128 * 1024)	/* files smaller than that use it */

/* Room behind a file's last byte, in that byte's block. */
struct gap {
	u64 start;
	u32 bytes;
	struct node *owner;	/* a file in that block */
};

/**
 * struct front - where files are being laid one behind the other
 * @end: behind the last byte placed
 * @limit: of an object that was left: its end
 * @last: the file placed last at @end; NULL: none
 * @last_bytes: of it
 */
struct front {
	u64 end;
	u64 limit;
	struct node *last;
	u64 last_bytes;
};

/**
 * struct place - the state of placement; copied to undo
 * @at: the front; all data lies before its end
 * @old: objects that were left because the next file did not fit, @nold of
 *	them, oldest first
 * @packed: files put into gaps
 * @lost: bytes at the ends of objects that no file can use any more
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

/* @object_bits: log2 of the size of the store's objects; 0: it has none. */
void place_init(struct place *p, u64 start, unsigned int align_bits,
		unsigned int object_bits);

/**
 * place_file - where the next file's stored bytes go
 * @node: the file, or what stands for it; gets NODE_SHARED, as do the files it
 *	shares a block with
 * @stored: bytes, not 0
 *
 * The file's size is what is kept together in an object: how much a large file
 * stores is known when it has passed.
 *
 * Return: byte offset in the image.
 */
u64 place_file(struct place *p, struct node *node, u64 stored);

/**
 * place_resize - the file placed last turned out to have this many bytes
 * @stored: as place_file() was told, or more; both more than a block
 */
void place_resize(struct place *p, u64 pos, u64 was, u64 stored);

/* Bytes at the ends of objects that hold no file. */
u64 place_object_padding(const struct place *p);

/**
 * place_meta - where metadata begins
 * @build: a new image, or a generation behind an older one
 *
 * It is read in whole at every mount, so a new image, whatever it is made of, gives
 * it objects of its own.  An update would write a gap of up to an object for that,
 * which may be more than all that has changed.
 */
u64 place_meta(const struct place *p, enum build build);

#endif /* MKFS_PLACE_H */
