/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The generation that is made: all that its superblock says which does not follow from its data.
 * A recipe decides it once the base image and the device are known; the rooms below read it, and
 * none of them sees the options.
 */
#ifndef DSFS_DRAFT_H
#define DSFS_DRAFT_H

#include "dsfs_platform.h"
#include "dsfs_fs.h"

/**
 * struct draft - the generation that is made
 * @align_bits: log2 of the alignment of data
 * @chunk_bits: log2 of the bytes that a checksum covers; 0: no checksums
 * @small_bits: log2 of the bytes up to which a file has one checksum; at least @chunk_bits
 * @large_bits: as @chunk_bits, of files that store more than 2^DSFS_LARGE_BITS bytes
 * @object_bits: log2 of the size of the store's objects; 0: it has none
 * @no_dedup: equal contents are stored as often as they occur
 * @packs: what is added is compressed
 * @uuid: valid with @uuid_set; @hash_uuid: it is derived from the content
 * @start: offset of the first byte that is written
 * @data_start: offset of the data of the image
 * @number, @time: generation number, and build time in nanoseconds since 1970
 * @compat: features that do not follow from anything else
 * @previous: superblock of the generation in front of it; NULL: there is none
 * @note: the digest may be known later
 * @has_note: it has a message, or a digest, or will have one
 */
struct draft {
	char label[DSFS_LABEL_MAX];
	u8 uuid[16];
	u8 align_bits;
	u8 chunk_bits;
	u8 small_bits;
	u8 large_bits;
	u8 object_bits;
	bool no_dedup;
	bool packs;
	bool uuid_set;
	bool hash_uuid;
	u64 start;
	u64 data_start;
	u64 number;
	s64 time;
	u64 compat;
	const struct dsfs_super *previous;
	struct dsfs_note note;
	bool has_note;
};

#endif /* DSFS_DRAFT_H */
