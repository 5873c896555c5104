/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a file's bytes go.  Pure: positions in, positions out.
 */
#ifndef MKFS_PLACE_H
#define MKFS_PLACE_H

#include "tree.h"

#define PLACE_GAPS	64
#define PLACE_WINDOW	(4 * 1024 * 1024)	/* bytes behind the end that gaps are used in */
#define PLACE_OWNER_MAX	(1024 * 1024)	/* larger files keep their last block alone */

/* Room behind a file's last byte, in that byte's block. */
struct gap {
	u64 start;
	u32 bytes;
	struct node *owner;	/* a file in that block */
};

/**
 * struct place - the state of placement; copied to undo
 * @end: behind the last byte placed
 * @last: the file placed last at @end
 * @packed: files put into gaps
 */
struct place {
	u64 end;
	u64 stored;
	u64 packed;
	struct node *last;
	u64 last_bytes;
	unsigned int align_bits;
	unsigned int ngaps;
	struct gap gaps[PLACE_GAPS];
};

void place_init(struct place *p, u64 start, unsigned int align_bits);

/**
 * place_file - where the next file's stored bytes go
 * @node: the file, or what stands for it; gets NODE_SHARED, as do the files it
 *	shares a block with
 * @stored: bytes, not 0
 *
 * Return: byte offset in the image.
 */
u64 place_file(struct place *p, struct node *node, u64 stored);

/**
 * place_resize - the file placed last turned out to have this many bytes
 * @stored: as place_file() was told, or more; both more than a block
 */
void place_resize(struct place *p, u64 pos, u64 was, u64 stored);

#endif /* MKFS_PLACE_H */
