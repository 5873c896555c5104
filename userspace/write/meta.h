/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing of the metadata area and of the superblock.
 */
#ifndef DSFS_META_H
#define DSFS_META_H

#include "output.h"
#include "draft.h"
#include "layout.h"
#include "place.h"
#include "table.h"

/**
 * struct meta - the metadata area being written
 * @out: NULL: nothing is written, what would be is added up
 * @place: where data ends
 * @content: two hashes over the contents, for a derived UUID
 * @stored: bytes that all files of the image store
 * @sums: checksum of each block that is complete
 * @hash: of the bytes of all these, for a derived UUID
 * @extras: struct dsfs_extra, all of which is the key
 * @compressed: there are compressed files
 * @next_dir: index in DIRS of the next directory
 * @fills: u16: names in each name block
 * @numbers: __le32: NUMBERS
 * @geo: what @super says when all is written
 */
struct meta {
	struct draft *draft;
	struct tree *tree;
	struct output *out;
	struct layout layout;
	struct place *place;
	const u64 *content;
	u64 stored;
	u64 start;
	u64 blocks;
	struct array sums;
	u64 hash;
	struct table extras;
	bool compressed;
	u64 next_dir;
	struct array fills;
	struct array numbers;
	u64 content_bytes;
	u64 files;
	struct dsfs_super super;
	struct dsfs_geo geo;
	u64 bytes[DSFS_REGIONS];
	enum dsfs_region_id region;
	u32 fill;
	char block[DSFS_BLOCK_SIZE];
};

/**
 * meta_write - write all metadata behind the data
 * @m: tree, target, place and @stored are set, all others are zero
 *
 * Fills in m->super.  Messages are written.
 * Return: 0 or -errno.
 */
int meta_write(struct meta *m);
/* All of a generation whose data is there, with a digest of a kind: @place is not set. */
int meta_commit(struct meta *m, u8 digest);
void meta_free(struct meta *m);
/* Check a superblock as readers do, before it is written; it gets its checksum. */
int meta_check_super(const char *path, struct dsfs_super *sb, struct dsfs_geo *geo);

/**
 * meta_keep_digest - put the digest of all that was written into the note
 * @kind: DSFS_DIGEST_*; NONE: there is nothing to do
 *
 * m->super changes: it covers the note.
 * Return: 0 or -errno.
 */
int meta_keep_digest(struct meta *m, u8 kind, u64 threads);

/* regions.c: appending to the area */
void meta_begin(struct meta *m, enum dsfs_region_id id);
/* @p: NULL: without a target */
int meta_put(struct meta *m, const void *p, size_t bytes);
/* Append zeros up to a position in the region. */
int meta_pad(struct meta *m, u64 pos);
int meta_end(struct meta *m);
/* Write BLOCKSUMS, the last region. */
int meta_blocksums(struct meta *m);

/* The fields of an inode: see struct dsfs_rows. */
struct inode {
	u64 size;
	u64 start;
	s64 mtime;
	u32 owner;
	u32 extra;
	u32 nlink;
	u32 sum;
	u32 stored;
	u32 units;
	u16 mode;
	u16 flags;
};

/* inodes.c: once for each node, in the order of inodes, as extra records are added */
int inode_make(struct meta *m, struct node *n, struct inode *i);
/* The inode of the root, in the superblock */
int meta_root(struct meta *m);

/* rows.c: NAMES, with the rows of inodes */
int meta_rows(struct meta *m);

#endif /* DSFS_META_H */
