/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing of the metadata area and of the superblock.
 */
#ifndef MKFS_META_H
#define MKFS_META_H

#include "../data/stream.h"
#include "../mkfs.h"
#include "../plan/layout.h"

/**
 * struct meta - the metadata area being written
 * @sums: checksum of each block that is complete
 * @hash: of the bytes of all these, for a derived UUID
 * @extras: struct dsfs_extra, no two equal
 * @extra_numbers: index in @extras plus one, by hash
 * @note: with @has_note: the last block
 */
struct meta {
	struct mkfs *mkfs;
	struct stream *stream;
	const struct layout *layout;
	u64 start;
	u64 blocks;
	struct array sums;
	u64 hash;
	struct array extras;
	struct hash extra_numbers;
	u64 content_bytes;
	u64 files;
	struct dsfs_super super;
	struct dsfs_note note;
	bool has_note;
	u64 bytes[DSFS_REGIONS];
	enum dsfs_region_id region;
	u32 fill;
	char block[DSFS_BLOCK_SIZE];
};

/**
 * meta_write - write all metadata behind the data
 *
 * Fills in m->super.  Messages are written.
 * Return: 0 or -errno.
 */
int meta_write(struct meta *m, struct mkfs *mkfs, struct stream *stream,
	       const struct layout *layout);
void meta_free(struct meta *m);

/**
 * meta_keep_digest - put a digest into the note that was written
 *
 * m->super changes: it covers the note.
 * Return: 0 or -errno.
 */
int meta_keep_digest(struct meta *m, u8 kind, const u8 *digest);

/* regions.c: appending to the area */
void meta_begin(struct meta *m, enum dsfs_region_id id);
int meta_put(struct meta *m, const void *p, size_t bytes);
/* Append zeros up to a position in the region. */
int meta_pad(struct meta *m, u64 pos);
int meta_end(struct meta *m);
int meta_blocksums(struct meta *m);
int meta_sum_note(struct meta *m);

/* note.c: fills in m->note; its checksum; writes it */
int meta_note(struct meta *m);
__le32 meta_note_sum(const struct meta *m);
int meta_put_note(struct meta *m);

/* inodes.c */
int meta_inodes(struct meta *m);

#endif /* MKFS_META_H */
