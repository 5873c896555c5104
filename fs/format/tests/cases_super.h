/* SPDX-License-Identifier: GPL-2.0 */
/* Test cases of the superblock: the rules of super.c, one defect each */
#ifndef FORMAT_CASES_SUPER_H
#define FORMAT_CASES_SUPER_H

#include "format_cases.h"

/*
 * A valid superblock. Each region has a block of its own, whose number differs
 * from the region id. There are no other blocks.
 */
#define DSFS_CASE_BLOCK(id)	(((id) + 1) % DSFS_REGIONS_USED)
#define DSFS_CASE_DATA		8192
#define DSFS_CASE_META		((u64)DSFS_DATA_START_MIN + DSFS_CASE_DATA)
#define DSFS_CASE_META_BYTES	((u64)DSFS_REGIONS_USED * DSFS_BLOCK_SIZE)
#define DSFS_CASE_IMAGE		(DSFS_CASE_META + DSFS_CASE_META_BYTES)
#define DSFS_CASE_INODES	20
#define DSFS_CASE_DIRS		4
#define DSFS_CASE_BUCKETS	8
#define DSFS_CASE_OWNERS	3
#define DSFS_CASE_EXTRAS	3
#define DSFS_CASE_EXTENTS	5

enum {
	DSFS_CASE_SUMMED,	/* base: checksum computed after the patch */
	DSFS_CASE_UNSUMMED,	/* base: checksum computed before the patch */
};

static const u16 dsfs_case_region_bytes[DSFS_REGIONS_USED] = {
	[DSFS_REGION_BLOCKSUMS]	= DSFS_REGIONS_USED * 4,
	[DSFS_REGION_INODES]	= DSFS_CASE_INODES * 32,
	[DSFS_REGION_DIRS]	= DSFS_CASE_DIRS * 64,
	[DSFS_REGION_NAMES]	= 4000,
	[DSFS_REGION_INDEX]	= DSFS_CASE_BUCKETS * 64,
	[DSFS_REGION_OWNERS]	= DSFS_CASE_OWNERS * 8,
	[DSFS_REGION_EXTRAS]	= DSFS_CASE_EXTRAS * 64,
	[DSFS_REGION_SYMLINKS]	= 100,
	[DSFS_REGION_XATTRS]	= 400,
	[DSFS_REGION_EXTENTS]	= DSFS_CASE_EXTENTS * 16,
	[DSFS_REGION_FILESUMS]	= DSFS_CASE_INODES * 4,
	[DSFS_REGION_CHUNKSUMS]	= 40,
	[DSFS_REGION_HISTORY]	= DSFS_SB_SIZE,
};

static inline void dsfs_case_super(struct dsfs_super *s)
{
	unsigned int i;

	memset(s, 0, sizeof(*s));
	s->magic = cpu_to_le32(DSFS_SUPER_MAGIC);
	s->version = cpu_to_le16(DSFS_VERSION);
	s->block_bits = DSFS_BLOCK_BITS;
	s->align_bits = DSFS_BLOCK_BITS;
	s->chunk_bits = 15;
	s->compat = cpu_to_le64(DSFS_COMPAT_DATA_SUMS);
	s->generation = cpu_to_le64(1);
	s->image_bytes = cpu_to_le64(DSFS_CASE_IMAGE);
	s->data_start = cpu_to_le64(DSFS_DATA_START_MIN);
	s->data_end = cpu_to_le64(DSFS_CASE_META);
	s->meta_start = cpu_to_le64(DSFS_CASE_META);
	s->meta_bytes = cpu_to_le64(DSFS_CASE_META_BYTES);
	for (i = 0; i < DSFS_REGIONS_USED; i++) {
		s->regions[i].block = cpu_to_le32(DSFS_CASE_BLOCK(i));
		s->regions[i].checksum = cpu_to_le32(0x1234567 * i);
		s->regions[i].bytes = cpu_to_le64(dsfs_case_region_bytes[i]);
	}
	s->checksum = cpu_to_le32(dsfs_super_sum(s));
}

static inline int dsfs_case_run_super(const struct dsfs_case *c, void *buf,
				      struct dsfs_geo *geo,
				      struct dsfs_err *err)
{
	struct dsfs_super *s = buf;

	dsfs_case_super(s);
	dsfs_case_patch(s, c);
	if (c->base == DSFS_CASE_SUMMED)
		s->checksum = cpu_to_le32(dsfs_super_sum(s));
	return dsfs_super_decode(s, c->arg, geo, err);
}

#define SB(n, f, v)		DSFS_P(n, dsfs_super, f, v)
#define REGION_AT(id)		(offsetof(struct dsfs_super, regions) + \
				 (id) * sizeof(struct dsfs_region))
#define RG(n, id, f, v)		{ REGION_AT(id) + offsetof(struct dsfs_region, f), n, v }
#define NO_REGION(id)		{ REGION_AT(id), sizeof(struct dsfs_region), 0 }
#define R_INODES		DSFS_REGION_INODES
#define R_NAMES			DSFS_REGION_NAMES
#define R_FILESUMS		DSFS_REGION_FILESUMS
#define R_CHUNKSUMS		DSFS_REGION_CHUNKSUMS
#define NOTE			DSFS_COMPAT_KNOWN

static const struct dsfs_case dsfs_super_cases[] = {
	{ "super: good" },
	{ "super: device of that length", .arg = DSFS_CASE_IMAGE },
	{ "super: longer device", .arg = DSFS_CASE_IMAGE + 512 },
	{ "super: device one byte short", .arg = DSFS_CASE_IMAGE - 1,
	  .ret = -EFBIG, .what = "image longer than the device" },
	{ "super: magic", .patch = { SB(4, magic, 0x53465345) },
	  .ret = -EINVAL, .what = "magic" },
	{ "super: magic before checksum", DSFS_CASE_UNSUMMED,
	  .patch = { SB(4, magic, 0) }, .ret = -EINVAL, .what = "magic" },
	{ "super: checksum", DSFS_CASE_UNSUMMED, .patch = { SB(4, checksum, 1) },
	  .ret = -EBADMSG, .what = "superblock checksum" },
	{ "super: byte in front of the checksum counts", DSFS_CASE_UNSUMMED,
	  .patch = { SB(2, version, 2) },
	  .ret = -EBADMSG, .what = "superblock checksum" },
	{ "super: last byte counts", DSFS_CASE_UNSUMMED,
	  .patch = { DSFS_P8(dsfs_super, regions, 255, 1) },
	  .ret = -EBADMSG, .what = "superblock checksum" },
	{ "super: version 0", .patch = { SB(2, version, 0) },
	  .ret = -EOPNOTSUPP, .what = "format version" },
	{ "super: version 2", .patch = { SB(2, version, 2) },
	  .ret = -EOPNOTSUPP, .what = "format version" },
	{ "super: incompat bit 0", .patch = { SB(8, incompat, 1) },
	  .ret = -EOPNOTSUPP, .what = "unknown incompat feature bits" },
	{ "super: incompat bit 63", .patch = { SB(8, incompat, 1ULL << 63) },
	  .ret = -EOPNOTSUPP, .what = "unknown incompat feature bits" },
	{ "super: unknown compat bits", .patch = { SB(8, compat, ~DSFS_COMPAT_NOTE) } },
	{ "super: name hash", .patch = { SB(1, name_hash, 1) },
	  .ret = -EOPNOTSUPP, .what = "name hash" },
	{ "super: feature before structure",
	  .patch = { SB(8, incompat, 2), SB(1, block_bits, 0) },
	  .ret = -EOPNOTSUPP, .what = "unknown incompat feature bits" },
	{ "super: block_bits 11", .patch = { SB(1, block_bits, 11) },
	  .ret = DSFS_BAD, .what = "block_bits" },
	{ "super: block_bits 13", .patch = { SB(1, block_bits, 13) },
	  .ret = DSFS_BAD, .what = "block_bits" },
	{ "super: align_bits 9", .patch = { SB(1, align_bits, 9) } },
	{ "super: align_bits 21", .patch = { SB(1, align_bits, 21) } },
	{ "super: align_bits 8", .patch = { SB(1, align_bits, 8) },
	  .ret = DSFS_BAD, .what = "align_bits" },
	{ "super: align_bits 22", .patch = { SB(1, align_bits, 22) },
	  .ret = DSFS_BAD, .what = "align_bits" },
	{ "super: chunk_bits 12", .patch = { SB(1, chunk_bits, 12) } },
	{ "super: chunk_bits 20", .patch = { SB(1, chunk_bits, 20) } },
	{ "super: chunk_bits 11", .patch = { SB(1, chunk_bits, 11) },
	  .ret = DSFS_BAD, .what = "chunk_bits" },
	{ "super: chunk_bits 21", .patch = { SB(1, chunk_bits, 21) },
	  .ret = DSFS_BAD, .what = "chunk_bits" },
	{ "super: chunk_bits 0 with checksums", .patch = { SB(1, chunk_bits, 0) },
	  .ret = DSFS_BAD, .what = "chunk_bits against data checksum feature" },
	{ "super: chunk_bits without checksums", .patch = { SB(8, compat, 0) },
	  .ret = DSFS_BAD, .what = "chunk_bits against data checksum feature" },
	{ "super: object_bits 16", .patch = { SB(1, object_bits, 16) } },
	{ "super: object_bits 30", .patch = { SB(1, object_bits, 30) } },
	{ "super: object_bits 15", .patch = { SB(1, object_bits, 15) },
	  .ret = DSFS_BAD, .what = "object_bits" },
	{ "super: object_bits 31", .patch = { SB(1, object_bits, 31) },
	  .ret = DSFS_BAD, .what = "object_bits" },
	{ "super: slot 1", .patch = { SB(1, slot, 1) } },
	{ "super: slot 2", .patch = { SB(1, slot, 2) }, .ret = DSFS_BAD, .what = "slot" },
	{ "super: generation 0", .patch = { SB(8, generation, 0) },
	  .ret = DSFS_BAD, .what = "generation" },
	{ "super: generation 2^64-1", .patch = { SB(8, generation, ~0ULL) } },
	{ "super: first reserved byte",
	  .patch = { DSFS_P8(dsfs_super, reserved, 0, 1) },
	  .ret = DSFS_BAD, .what = "superblock reserved bytes" },
	{ "super: last reserved byte",
	  .patch = { DSFS_P8(dsfs_super, reserved, 63, 0x80) },
	  .ret = DSFS_BAD, .what = "superblock reserved bytes" },

	{ "super: longest image",
	  .patch = { SB(8, image_bytes, DSFS_MAX_OFFSET - DSFS_BLOCK_SIZE) } },
	{ "super: image of 2^48", .patch = { SB(8, image_bytes, DSFS_MAX_OFFSET) },
	  .ret = DSFS_BAD, .what = "image_bytes" },
	{ "super: image of 2^64-4096",
	  .patch = { SB(8, image_bytes, ~0ULL << DSFS_BLOCK_BITS) },
	  .ret = DSFS_BAD, .what = "image_bytes" },
	{ "super: half a block", .patch = { SB(8, image_bytes, DSFS_CASE_IMAGE + 512) },
	  .ret = DSFS_BAD, .what = "image_bytes" },
	{ "super: no metadata", .patch = { SB(8, meta_bytes, 0) },
	  .ret = DSFS_BAD, .what = "meta_bytes" },
	{ "super: metadata of odd length", .patch = { SB(8, meta_bytes, 4097) },
	  .ret = DSFS_BAD, .what = "meta_bytes" },
	{ "super: more metadata than image",
	  .patch = { SB(8, meta_bytes, DSFS_CASE_IMAGE + DSFS_BLOCK_SIZE) },
	  .ret = DSFS_BAD, .what = "meta_bytes" },
	{ "super: more metadata than addressable",
	  .patch = { SB(8, image_bytes, DSFS_MAX_OFFSET - DSFS_BLOCK_SIZE),
		     SB(8, meta_bytes, DSFS_META_MAX + DSFS_BLOCK_SIZE) },
	  .ret = DSFS_BAD, .what = "meta_bytes" },
	{ "super: odd begin of metadata", .patch = { SB(8, meta_start, DSFS_CASE_META - 1) },
	  .ret = DSFS_BAD, .what = "meta_start" },
	{ "super: metadata past the end",
	  .patch = { SB(8, meta_start, DSFS_CASE_META + DSFS_BLOCK_SIZE) },
	  .ret = DSFS_BAD, .what = "meta_start" },
	{ "super: begin of metadata wraps",
	  .patch = { SB(8, meta_start, ~0ULL << DSFS_BLOCK_BITS) },
	  .ret = DSFS_BAD, .what = "meta_start" },
	{ "super: data in the metadata", .patch = { SB(8, data_end, DSFS_CASE_META + 1) },
	  .ret = DSFS_BAD, .what = "data_end" },
	{ "super: data ends anywhere", .patch = { SB(8, data_end, DSFS_CASE_META - 1) } },
	{ "super: no data", .patch = { SB(8, data_end, DSFS_DATA_START_MIN) } },
	{ "super: data over the slots",
	  .patch = { SB(8, data_start, DSFS_DATA_START_MIN - DSFS_BLOCK_SIZE) },
	  .ret = DSFS_BAD, .what = "data_start" },
	{ "super: odd begin of data",
	  .patch = { SB(8, data_start, DSFS_DATA_START_MIN + 512) },
	  .ret = DSFS_BAD, .what = "data_start" },
	{ "super: data begins behind its end",
	  .patch = { SB(8, data_start, DSFS_CASE_META + DSFS_BLOCK_SIZE) },
	  .ret = DSFS_BAD, .what = "data_start" },

	{ "super: no symlinks", .patch = { NO_REGION(DSFS_REGION_SYMLINKS) } },
	{ "super: empty region at a place",
	  .patch = { RG(8, DSFS_REGION_SYMLINKS, bytes, 0),
		     RG(4, DSFS_REGION_SYMLINKS, checksum, 0) },
	  .ret = DSFS_BAD, .what = "place of an empty region" },
	{ "super: empty region with a checksum",
	  .patch = { RG(8, DSFS_REGION_SYMLINKS, bytes, 0),
		     RG(4, DSFS_REGION_SYMLINKS, block, 0) },
	  .ret = DSFS_BAD, .what = "place of an empty region" },
	{ "super: place of an unknown region", .patch = { RG(4, 14, block, 1) },
	  .ret = DSFS_BAD, .what = "place of an empty region" },
	{ "super: unknown region 13",
	  .patch = { SB(8, meta_start, DSFS_CASE_META - DSFS_BLOCK_SIZE),
		     SB(8, data_end, DSFS_DATA_START_MIN), RG(8, 13, bytes, 4) },
	  .ret = DSFS_BAD, .what = "unknown region" },
	{ "super: unknown region 15", .patch = { RG(8, 15, bytes, 4096) },
	  .ret = DSFS_BAD, .what = "unknown region" },
	{ "super: inode numbers past 2^32-2",
	  .patch = { RG(8, R_INODES, bytes, 32ULL << 32) },
	  .ret = DSFS_BAD, .what = "region length" },
	{ "super: directories past 2^32-2",
	  .patch = { RG(8, DSFS_REGION_DIRS, bytes, 64 * 0xffffffffULL) },
	  .ret = DSFS_BAD, .what = "region length" },
	{ "super: names past 2^44",
	  .patch = { RG(8, R_NAMES, bytes, DSFS_META_MAX + 1) },
	  .ret = DSFS_BAD, .what = "region length" },
	{ "super: owners past 65536",
	  .patch = { RG(8, DSFS_REGION_OWNERS, bytes, 8 * 65537) },
	  .ret = DSFS_BAD, .what = "region length" },
	{ "super: extra records past 2^32-1",
	  .patch = { RG(8, DSFS_REGION_EXTRAS, bytes, 64ULL << 32) },
	  .ret = DSFS_BAD, .what = "region length" },
	{ "super: extents past 2^32-1",
	  .patch = { RG(8, DSFS_REGION_EXTENTS, bytes, 16ULL << 32) },
	  .ret = DSFS_BAD, .what = "region length" },
	{ "super: file checksums past 2^32-2",
	  .patch = { RG(8, R_FILESUMS, bytes, 4ULL << 32) },
	  .ret = DSFS_BAD, .what = "region length" },
	{ "super: chunk checksums past 2^32",
	  .patch = { RG(8, R_CHUNKSUMS, bytes, (4ULL << 32) + 4) },
	  .ret = DSFS_BAD, .what = "region length" },
	{ "super: history of 513",
	  .patch = { RG(8, DSFS_REGION_HISTORY, bytes, 513) },
	  .ret = DSFS_BAD, .what = "region length" },
	{ "super: part of an inode",
	  .patch = { RG(8, R_INODES, bytes, DSFS_CASE_INODES * 32 - 1) },
	  .ret = DSFS_BAD, .what = "region length against its record size" },
	{ "super: part of a directory",
	  .patch = { RG(8, DSFS_REGION_DIRS, bytes, 96) },
	  .ret = DSFS_BAD, .what = "region length against its record size" },
	{ "super: part of a bucket", .patch = { RG(8, DSFS_REGION_INDEX, bytes, 32) },
	  .ret = DSFS_BAD, .what = "region length against its record size" },
	{ "super: part of an owner", .patch = { RG(8, DSFS_REGION_OWNERS, bytes, 4) },
	  .ret = DSFS_BAD, .what = "region length against its record size" },
	{ "super: part of an extra record", .patch = { RG(8, DSFS_REGION_EXTRAS, bytes, 32) },
	  .ret = DSFS_BAD, .what = "region length against its record size" },
	{ "super: part of an xattr", .patch = { RG(8, DSFS_REGION_XATTRS, bytes, 6) },
	  .ret = DSFS_BAD, .what = "region length against its record size" },
	{ "super: part of an extent",
	  .patch = { RG(8, DSFS_REGION_EXTENTS, bytes, 8) },
	  .ret = DSFS_BAD, .what = "region length against its record size" },
	{ "super: part of a checksum", .patch = { RG(8, R_CHUNKSUMS, bytes, 2) },
	  .ret = DSFS_BAD, .what = "region length against its record size" },
	{ "super: region behind the metadata",
	  .patch = { RG(4, R_NAMES, block, DSFS_REGIONS_USED) },
	  .ret = DSFS_BAD, .what = "end of a region" },
	{ "super: region at block 2^32-1",
	  .patch = { RG(4, R_NAMES, block, 0xffffffff) },
	  .ret = DSFS_BAD, .what = "end of a region" },
	{ "super: region longer than the metadata",
	  .patch = { RG(8, R_NAMES, bytes, DSFS_CASE_META_BYTES + 1) },
	  .ret = DSFS_BAD, .what = "end of a region" },
	{ "super: last region a byte too long",
	  .patch = { RG(4, R_NAMES, block, DSFS_REGIONS_USED - 1),
		     RG(8, R_NAMES, bytes, 4097) },
	  .ret = DSFS_BAD, .what = "end of a region" },
	{ "super: regions at one place",
	  .patch = { RG(4, R_NAMES, block, DSFS_CASE_BLOCK(DSFS_REGION_INDEX)) },
	  .ret = DSFS_BAD, .what = "overlapping regions" },
	{ "super: region into the next one", .patch = { RG(8, R_NAMES, bytes, 4097) },
	  .ret = DSFS_BAD, .what = "overlapping regions" },
	{ "super: region up to the end of the metadata",
	  .patch = { RG(4, R_NAMES, block, DSFS_REGIONS_USED - 1),
		     RG(8, R_NAMES, bytes, 4096),
		     RG(4, R_CHUNKSUMS, block, DSFS_CASE_BLOCK(R_NAMES)) } },
	{ "super: region that ends at the next one",
	  .patch = { RG(8, R_NAMES, bytes, 4096) } },

	{ "super: block checksums missing", .patch = { NO_REGION(DSFS_REGION_BLOCKSUMS) },
	  .ret = DSFS_BAD, .what = "metadata block checksums" },
	{ "super: a block without checksum",
	  .patch = { RG(8, DSFS_REGION_BLOCKSUMS, bytes, DSFS_REGIONS_USED * 4 - 4) },
	  .ret = DSFS_BAD, .what = "metadata block checksums" },
	{ "super: a checksum without block",
	  .patch = { RG(8, DSFS_REGION_BLOCKSUMS, bytes, DSFS_REGIONS_USED * 4 + 4) },
	  .ret = DSFS_BAD, .what = "metadata block checksums" },
	{ "super: no inodes", .patch = { NO_REGION(R_INODES) },
	  .ret = DSFS_BAD, .what = "inode records" },
	{ "super: no root", .patch = { RG(8, R_INODES, bytes, 32) },
	  .ret = DSFS_BAD, .what = "inode records" },
	{ "super: the root alone",
	  .patch = { RG(8, R_INODES, bytes, 64), RG(8, R_FILESUMS, bytes, 8),
		     RG(8, DSFS_REGION_DIRS, bytes, 64) } },
	{ "super: no directories", .patch = { NO_REGION(DSFS_REGION_DIRS) },
	  .ret = DSFS_BAD, .what = "directory records" },
	{ "super: as many directories as records",
	  .patch = { RG(8, DSFS_REGION_DIRS, bytes, 64 * DSFS_CASE_INODES) },
	  .ret = DSFS_BAD, .what = "directory records" },
	{ "super: all inodes are directories",
	  .patch = { RG(8, DSFS_REGION_DIRS, bytes, 64 * (DSFS_CASE_INODES - 1)) } },
	{ "super: no owners", .patch = { NO_REGION(DSFS_REGION_OWNERS) },
	  .ret = DSFS_BAD, .what = "owner records" },
	{ "super: file checksum missing",
	  .patch = { RG(8, R_FILESUMS, bytes, 4 * DSFS_CASE_INODES - 4) },
	  .ret = DSFS_BAD, .what = "file checksums" },
	{ "super: file checksums without the feature", .patch = { SB(8, compat, 0),
		     SB(1, chunk_bits, 0) },
	  .ret = DSFS_BAD, .what = "file checksums" },
	{ "super: chunk checksums without the feature",
	  .patch = { SB(8, compat, 0), SB(1, chunk_bits, 0),
		     NO_REGION(R_FILESUMS) },
	  .ret = DSFS_BAD, .what = "chunk checksums" },
	{ "super: no chunk checksums needed", .patch = { NO_REGION(R_CHUNKSUMS) } },
	{ "super: no history", .patch = { NO_REGION(DSFS_REGION_HISTORY) } },
	{ "super: short history",
	  .patch = { RG(8, DSFS_REGION_HISTORY, bytes, 511) },
	  .ret = DSFS_BAD, .what = "history length" },

	{ "super: a note", .patch = { SB(8, compat, NOTE), NO_REGION(R_CHUNKSUMS) } },
	{ "super: region in the block of the note", .patch = { SB(8, compat, NOTE) },
	  .ret = DSFS_BAD, .what = "region in the block of the note" },
	{ "super: region up to the note",
	  .patch = { SB(8, compat, NOTE), NO_REGION(R_CHUNKSUMS),
		     RG(4, R_FILESUMS, block, DSFS_CASE_BLOCK(R_NAMES)),
		     RG(4, R_NAMES, block, DSFS_REGIONS_USED - 2),
		     RG(8, R_NAMES, bytes, 4096) } },
	{ "super: region a byte into the note",
	  .patch = { SB(8, compat, NOTE), NO_REGION(R_CHUNKSUMS),
		     RG(4, R_FILESUMS, block, DSFS_CASE_BLOCK(R_NAMES)),
		     RG(4, R_NAMES, block, DSFS_REGIONS_USED - 2),
		     RG(8, R_NAMES, bytes, 4097) },
	  .ret = DSFS_BAD, .what = "region in the block of the note" },
};

#undef SB
#undef REGION_AT
#undef RG
#undef NO_REGION
#undef R_INODES
#undef R_NAMES
#undef R_FILESUMS
#undef R_CHUNKSUMS
#undef NOTE

#endif /* FORMAT_CASES_SUPER_H */
