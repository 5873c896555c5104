/* SPDX-License-Identifier: GPL-2.0 */
/* Test cases of the superblock: the rules of super.c, one defect each */
#ifndef FORMAT_CASES_SUPER_H
#define FORMAT_CASES_SUPER_H

#include "format_cases.h"

/*
 * A valid superblock. Each region has a block of its own, whose number differs
 * from the region id. There are no other blocks.
 */
#define CASE_BLOCK(id)	(((id) + 1) % DSFS_REGIONS_USED)
#define CASE_START(id)	((u64)CASE_BLOCK(id) * DSFS_BLOCK_SIZE)
#define CASE_DATA		8192
#define CASE_META		((u64)DSFS_DATA_START_MIN + CASE_DATA)
#define CASE_META_BYTES	((u64)DSFS_REGIONS_USED * DSFS_BLOCK_SIZE)
#define CASE_IMAGE		(CASE_META + CASE_META_BYTES)
#define CASE_INODES	20
#define CASE_DIRS		4
#define CASE_BUCKETS	8
#define CASE_OWNERS	3
#define CASE_EXTRAS	3
#define CASE_EXTENTS	5
#define CASE_UNITS	6

enum {
	CASE_SUMMED,	/* base: checksum computed after the patch */
	CASE_UNSUMMED,	/* base: checksum computed before the patch */
};

static const u16 dsfs_case_region_bytes[DSFS_REGIONS_USED] = {
	[DSFS_REGION_BLOCKSUMS]	= DSFS_REGIONS_USED * 4,
	[DSFS_REGION_DIRS]	= CASE_DIRS * 64,
	[DSFS_REGION_NAMES]	= 4000,
	[DSFS_REGION_INDEX]	= CASE_BUCKETS * 64,
	[DSFS_REGION_OWNERS]	= CASE_OWNERS * 8,
	[DSFS_REGION_EXTRAS]	= CASE_EXTRAS * 32,
	[DSFS_REGION_SYMLINKS]	= 100,
	[DSFS_REGION_XATTRS]	= 400,
	[DSFS_REGION_EXTENTS]	= CASE_EXTENTS * 16,
	[DSFS_REGION_CHUNKSUMS]	= 40,
	[DSFS_REGION_HISTORY]	= DSFS_SB_SIZE,
	[DSFS_REGION_UNITS]	= CASE_UNITS * 4,
	[DSFS_REGION_NUMBERS]	= 4,
	[DSFS_REGION_NOTE]	= sizeof(struct dsfs_note),
};

static inline void dsfs_case_super(struct dsfs_super *s)
{
	unsigned int i;

	memset(s, 0, sizeof(*s));
	s->magic = cpu_to_le32(DSFS_SUPER_MAGIC);
	s->version = cpu_to_le16(DSFS_VERSION);
	s->align_bits = DSFS_BLOCK_BITS;
	s->chunk_bits = 15;
	s->incompat = cpu_to_le64(DSFS_INCOMPAT_COMPRESSED);
	s->generation = cpu_to_le64(1);
	s->image_bytes = cpu_to_le64(CASE_IMAGE);
	s->data_start = cpu_to_le64(DSFS_DATA_START_MIN);
	s->data_end = cpu_to_le64(CASE_META);
	s->meta_start = cpu_to_le64(CASE_META);
	s->meta_bytes = cpu_to_le64(CASE_META_BYTES);
	s->inodes = cpu_to_le64(CASE_INODES);
	s->root.mode = cpu_to_le16(S_IFDIR | 0750);
	s->root.nlink = cpu_to_le32(CASE_DIRS + 1);
	s->root.owner = cpu_to_le32(CASE_OWNERS - 1);
	s->root.mtime = cpu_to_le64(-7ULL);
	s->sums_checksum = cpu_to_le32(0x12345678);
	for (i = 0; i < DSFS_REGIONS_USED; i++) {
		s->regions[i].start = cpu_to_le64(CASE_START(i));
		s->regions[i].bytes = cpu_to_le64(dsfs_case_region_bytes[i]);
	}
	s->checksum = cpu_to_le32(dsfs_super_sum(s));
}

static inline int dsfs_case_run_super(const struct dsfs_case *c, void *buf, struct dsfs_geo *geo,
				      struct dsfs_err *err)
{
	struct dsfs_super *s = buf;

	dsfs_case_super(s);
	dsfs_case_patch(s, c);
	if (c->base != CASE_UNSUMMED)
		s->checksum = cpu_to_le32(dsfs_super_sum(s));
	return dsfs_super_decode(s, c->arg, geo, err);
}

#define SB(f, v)		DSFS_P(v, struct dsfs_super, f)
#define RG(id, f, v)		SB(regions[DSFS_REGION_##id].f, v)
#define NO_REGION(id)		SB(regions[DSFS_REGION_##id], 0)
#define START(id)		CASE_START(DSFS_REGION_##id)
#define META_BLOCK(n)		((u64)(n) << DSFS_BLOCK_BITS)
#define BLOCKS			DSFS_REGIONS_USED

static const struct dsfs_case dsfs_super_cases[] = {
	{ "good" },
	{ "device of that length", .arg = CASE_IMAGE },
	{ "longer device", .arg = CASE_IMAGE + 512 },
	{ "device one byte short", 0, "image longer than the device",
	  .arg = CASE_IMAGE - 1, .ret = -EFBIG },
	{ "magic", 0, "magic", { SB(magic, 0x53465345) }, .ret = -EINVAL },
	{ "magic before checksum", CASE_UNSUMMED, "magic", { SB(magic, 0) }, .ret = -EINVAL },
	{ "checksum", CASE_UNSUMMED, "superblock checksum", { SB(checksum, 1) }, .ret = -EBADMSG },
	{ "byte behind the checksum counts", CASE_UNSUMMED, "superblock checksum",
	  { SB(version, 2) }, .ret = -EBADMSG },
	{ "last byte counts", CASE_UNSUMMED, "superblock checksum",
	  { { DSFS_SB_SIZE - 1, 1, 1 } }, .ret = -EBADMSG },
	{ "version 0", 0, "format version", { SB(version, 0) }, .ret = -EOPNOTSUPP },
	{ "version 2", 0, "format version", { SB(version, 2) }, .ret = -EOPNOTSUPP },
	{ "first unknown incompat bit", 0, "unknown incompat feature bits",
	  { SB(incompat, DSFS_INCOMPAT_KNOWN + 1) }, .ret = -EOPNOTSUPP },
	{ "incompat bit 63", 0, "unknown incompat feature bits",
	  { SB(incompat, 1ULL << 63) }, .ret = -EOPNOTSUPP },
	{ "unknown compat bits", 0, NULL, { SB(compat, ~0ULL) } },
	{ "feature before structure", 0, "unknown incompat feature bits",
	  { SB(incompat, DSFS_INCOMPAT_KNOWN + 1), SB(align_bits, 0) }, .ret = -EOPNOTSUPP },
	{ "align_bits 9", 0, NULL, { SB(align_bits, 9) } },
	{ "align_bits 21", 0, NULL, { SB(align_bits, 21) } },
	{ "align_bits 8", 0, "align_bits", { SB(align_bits, 8) } },
	{ "align_bits 22", 0, "align_bits", { SB(align_bits, 22) } },
	{ "chunk_bits 12", 0, NULL, { SB(chunk_bits, 12) } },
	{ "chunk_bits 20", 0, NULL, { SB(chunk_bits, 20) } },
	{ "chunk_bits 11", 0, "chunk_bits", { SB(chunk_bits, 11) } },
	{ "chunk_bits 21", 0, "chunk_bits", { SB(chunk_bits, 21) } },
	{ "no data checksums", 0, NULL, { SB(chunk_bits, 0), NO_REGION(CHUNKSUMS) } },
	{ "small_bits 16", 0, NULL, { SB(small_bits, 16) } },
	{ "small_bits 20", 0, NULL, { SB(small_bits, 20) } },
	{ "small_bits 21", 0, "small_bits", { SB(small_bits, 21) } },
	{ "small_bits as chunk_bits", 0, "small_bits", { SB(small_bits, 15) } },
	{ "small_bits below chunk_bits", 0, "small_bits", { SB(small_bits, 12) } },
	{ "small_bits without checksums", 0, "small_bits",
	  { SB(small_bits, 16), SB(chunk_bits, 0), NO_REGION(CHUNKSUMS) } },
	{ "large_bits 12", 0, NULL, { SB(large_bits, 12), SB(small_bits, 18) } },
	{ "large_bits 20", 0, NULL, { SB(large_bits, 20) } },
	{ "large_bits 11", 0, "large_bits", { SB(large_bits, 11) } },
	{ "large_bits 21", 0, "large_bits", { SB(large_bits, 21) } },
	{ "large_bits without checksums", 0, "large_bits",
	  { SB(large_bits, 15), SB(chunk_bits, 0), NO_REGION(CHUNKSUMS) } },
	{ "object_bits 16", 0, NULL, { SB(object_bits, 16) } },
	{ "object_bits 30", 0, NULL, { SB(object_bits, 30) } },
	{ "object_bits 15", 0, "object_bits", { SB(object_bits, 15) } },
	{ "object_bits 31", 0, "object_bits", { SB(object_bits, 31) } },
	{ "generation 0", 0, "generation", { SB(generation, 0) } },
	{ "generation 2^64-1", 0, NULL, { SB(generation, ~0ULL) } },
	{ "reserved1", 0, "superblock reserved bytes", { SB(reserved1, 0x80) } },
	{ "first reserved byte", 0, "superblock reserved bytes", { SB(reserved[0], 1) } },
	{ "last reserved byte", 0, "superblock reserved bytes", { SB(reserved[19], 0x80) } },

	{ "longest image", 0, NULL, { SB(image_bytes, DSFS_MAX_OFFSET - DSFS_BLOCK_SIZE) } },
	{ "image of 2^48", 0, "image_bytes", { SB(image_bytes, DSFS_MAX_OFFSET) } },
	{ "image of 2^64-4096", 0, "image_bytes", { SB(image_bytes, ~0ULL << DSFS_BLOCK_BITS) } },
	{ "half a block", 0, "image_bytes", { SB(image_bytes, CASE_IMAGE + 512) } },
	{ "no metadata", 0, "meta_bytes", { SB(meta_bytes, 0) } },
	{ "metadata of odd length", 0, "meta_bytes", { SB(meta_bytes, 4097) } },
	{ "more metadata than image", 0, "meta_bytes",
	  { SB(meta_bytes, CASE_IMAGE + DSFS_BLOCK_SIZE) } },
	{ "more metadata than addressable", 0, "meta_bytes",
	  { SB(image_bytes, DSFS_MAX_OFFSET - DSFS_BLOCK_SIZE),
	    SB(meta_bytes, DSFS_META_MAX + DSFS_BLOCK_SIZE) } },
	{ "odd begin of metadata", 0, "meta_start", { SB(meta_start, CASE_META - 1) } },
	{ "metadata past the end", 0, "meta_start",
	  { SB(meta_start, CASE_META + DSFS_BLOCK_SIZE) } },
	{ "begin of metadata wraps", 0, "meta_start",
	  { SB(meta_start, ~0ULL << DSFS_BLOCK_BITS) } },
	{ "data in the metadata", 0, "data_end", { SB(data_end, CASE_META + 1) } },
	{ "data ends anywhere", 0, NULL, { SB(data_end, CASE_META - 1) } },
	{ "no data", 0, NULL, { SB(data_end, DSFS_DATA_START_MIN) } },
	{ "data over the slots", 0, "data_start",
	  { SB(data_start, DSFS_DATA_START_MIN - DSFS_BLOCK_SIZE) } },
	{ "odd begin of data", 0, "data_start", { SB(data_start, DSFS_DATA_START_MIN + 512) } },
	{ "data begins behind its end", 0, "data_start",
	  { SB(data_start, CASE_META + DSFS_BLOCK_SIZE) } },

	{ "no symlinks", 0, NULL, { NO_REGION(SYMLINKS) } },
	{ "empty region at a place", 0, "place of an empty region", { RG(SYMLINKS, bytes, 0) } },
	{ "place of an unknown region", 0, "place of an empty region",
	  { SB(regions[15].start, 1) } },
	{ "unknown region 14", 0, "unknown region", { SB(regions[14].bytes, 4096) } },
	{ "unknown region 15", 0, "unknown region", { SB(regions[15].bytes, 4096) } },
	{ "directories past 2^32-2", 0, "region length", { RG(DIRS, bytes, 64 * 0xffffffffULL) } },
	{ "names past 2^44", 0, "region length", { RG(NAMES, bytes, DSFS_META_MAX + 1) } },
	{ "owners past 2^32-1", 0, "region length", { RG(OWNERS, bytes, 8ULL << 32) } },
	{ "extra records past 2^32-1", 0, "region length", { RG(EXTRAS, bytes, 32ULL << 32) } },
	{ "extents past 2^32-1", 0, "region length", { RG(EXTENTS, bytes, 16ULL << 32) } },
	{ "chunk checksums past 2^32", 0, "region length",
	  { RG(CHUNKSUMS, bytes, (4ULL << 32) + 4) } },
	{ "units past 2^32", 0, "region length", { RG(UNITS, bytes, (4ULL << 32) + 4) } },
	{ "history of 513", 0, "region length", { RG(HISTORY, bytes, 513) } },
	{ "part of a directory", 0, "region length against its record size",
	  { RG(DIRS, bytes, 96) } },
	{ "part of a bucket", 0, "region length against its record size",
	  { RG(INDEX, bytes, 32) } },
	{ "part of an owner", 0, "region length against its record size",
	  { RG(OWNERS, bytes, 4) } },
	{ "part of an extra record", 0, "region length against its record size",
	  { RG(EXTRAS, bytes, 48) } },
	{ "part of an xattr", 0, "region length against its record size",
	  { RG(XATTRS, bytes, 6) } },
	{ "part of an extent", 0, "region length against its record size",
	  { RG(EXTENTS, bytes, 8) } },
	{ "part of a checksum", 0, "region length against its record size",
	  { RG(CHUNKSUMS, bytes, 2) } },
	{ "part of a unit", 0, "region length against its record size", { RG(UNITS, bytes, 2) } },
	{ "region within a block", 0, "start of a region", { RG(NAMES, start, START(NAMES) + 8) } },
	{ "region behind the metadata", 0, "start of a region",
	  { RG(NAMES, start, META_BLOCK(BLOCKS + 1)) } },
	{ "region at 2^64-4096", 0, "start of a region", { RG(NAMES, start, META_BLOCK(~0ULL)) } },
	{ "region at the end of the metadata", 0, "end of a region",
	  { RG(NAMES, start, META_BLOCK(BLOCKS)) } },
	{ "region longer than the metadata", 0, "end of a region",
	  { RG(NAMES, bytes, CASE_META_BYTES + 1) } },
	{ "last region a byte too long", 0, "end of a region",
	  { RG(NAMES, start, META_BLOCK(BLOCKS - 1)), RG(NAMES, bytes, 4097) } },
	{ "regions at one place", 0, "overlapping regions", { RG(NAMES, start, START(INDEX)) } },
	{ "region into the next one", 0, "overlapping regions", { RG(NAMES, bytes, 4097) } },
	{ "region up to the end of the metadata", 0, NULL,
	  { RG(NAMES, start, START(UNITS)), RG(NAMES, bytes, 4096),
	    RG(UNITS, start, START(NAMES)) } },
	{ "region that ends at the next one", 0, NULL, { RG(NAMES, bytes, 4096) } },

	{ "block checksums missing", 0, "metadata block checksums", { NO_REGION(BLOCKSUMS) } },
	{ "a block without checksum", 0, "metadata block checksums",
	  { RG(BLOCKSUMS, bytes, DSFS_REGIONS_USED * 4 - 4) } },
	{ "a checksum without block", 0, "metadata block checksums",
	  { RG(BLOCKSUMS, bytes, DSFS_REGIONS_USED * 4 + 4) } },
	{ "no first inode numbers", 0, "first inode numbers", { NO_REGION(NUMBERS) } },
	{ "a block without first inode number", 0, "first inode numbers",
	  { RG(NUMBERS, bytes, 8) } },
	{ "part of a first inode number", 0, "region length against its record size",
	  { RG(NUMBERS, bytes, 6) } },
	{ "no inodes", 0, "number of inodes", { SB(inodes, 0) } },
	{ "no root", 0, "number of inodes", { SB(inodes, 1) } },
	{ "the root alone", 0, NULL,
	  { SB(inodes, 2), RG(DIRS, bytes, 64), NO_REGION(NAMES), NO_REGION(NUMBERS) } },
	{ "an inode without a name", 0, "number of inodes",
	  { SB(inodes, 3), RG(DIRS, bytes, 64), NO_REGION(NAMES), NO_REGION(NUMBERS) } },
	{ "as many inodes as NAMES has room for", 0, NULL, { SB(inodes, 2 + 4000) } },
	{ "more inodes than NAMES has room for", 0, "number of inodes",
	  { SB(inodes, 3 + 4000) } },
	{ "2^64-1 inodes", 0, "number of inodes", { SB(inodes, ~0ULL) } },
	{ "no directories", 0, "directory records", { NO_REGION(DIRS) } },
	{ "as many directories as inodes", 0, "directory records", { SB(inodes, CASE_DIRS) } },
	{ "all inodes are directories", 0, NULL, { SB(inodes, CASE_DIRS + 1) } },
	{ "no owners", 0, "owner records", { NO_REGION(OWNERS) } },
	{ "chunk checksums without data checksums", 0, "chunk checksums", { SB(chunk_bits, 0) } },
	{ "no chunk checksums needed", 0, NULL, { NO_REGION(CHUNKSUMS) } },
	{ "no history", 0, NULL, { NO_REGION(HISTORY) } },
	{ "short history", 0, "history length", { RG(HISTORY, bytes, 511) } },

	{ "nothing compressed", 0, NULL,
	  { SB(incompat, 0), NO_REGION(UNITS) } },
	{ "units without the feature", 0, "compressed files without the feature",
	  { SB(incompat, 0) } },

	{ "no note", 0, NULL, { NO_REGION(NOTE) } },
	{ "short note", 0, "note length",
	  { RG(NOTE, bytes, sizeof(struct dsfs_note) - 1) } },
	{ "long note", 0, "region length",
	  { RG(NOTE, bytes, sizeof(struct dsfs_note) + 1) } },
};

#undef SB
#undef RG
#undef NO_REGION
#undef START
#undef META_BLOCK
#undef BLOCKS

#endif /* FORMAT_CASES_SUPER_H */
