// SPDX-License-Identifier: GPL-2.0
/*
 * Places of the frames of compressed files.
 */
#include "unit.h"

/* 4096 + 4096 + 100 bytes; the ends of frames, and what unit 0 to 2 answer */
static const struct {
	const char *name;
	u32 ends[3];
	u32 stored;
	const char *what[3];
} packed[] = {
	{ "frames", { 16, 2000, 2099 }, 2099 },
	{ "units that are stored as they are", { 4096, 5000, 5100 }, 5100 },
	{ "frame of no byte", { 16, 16, 100 }, 100, { NULL, "end of a frame" } },
	{ "ends that go down", { 30, 20, 100 }, 100, { NULL, "end of a frame" } },
	{ "end at 0", { 0, 20, 60 }, 60, { "end of a frame" } },
	{ "end behind the stored bytes", { 16, 3000, 2999 }, 2999,
	  { NULL, "end of a frame", "end of a frame" } },
	{ "last frame that is too short", { 16, 2000, 2050 }, 2099,
	  { NULL, NULL, "end of a frame" } },
	{ "last frame that is too long", { 16, 2000, 2101 }, 2101,
	  { NULL, NULL, "length of a frame" } },
	{ "frame longer than its unit", { 4097, 5000, 5050 }, 5050, { "length of a frame" } },
	{ "frame of a unit 256 times its bytes", { 16, 32, 33 }, 33 },
	{ "frame of a unit more than that", { 15, 32, 33 }, 33, { "content of a frame" } },
};

static void test_frames(unsigned int k)
{
	struct dsfs_compressed_info info = { .stored = packed[k].stored, .units = 2,
					     .codec = DSFS_CODEC_LZ4, .unit_bits = 12 };
	struct dsfs_attr a = { .mode = S_IFREG, .flags = DSFS_INODE_COMPRESSED, .size = 8292 };
	u32 from, to, raw[5] = { 0xffffffff, 0xffffffff };
	struct dsfs_err err = {};
	struct dsfs_source src;

	bld_init(&src);
	for (unsigned int i = 0; i < 3; i++)
		raw[2 + i] = cpu_to_le32(packed[k].ends[i]);
	bld_add(&src, DSFS_REGION_UNITS, raw, sizeof(raw), 4);
	for (unsigned int i = 0; i < 3; i++) {
		const char *what = packed[k].what[i];

		ANSWER(dsfs_units_get(&src, &a, &info, i, &from, &to, &err), what ? -EUCLEAN : 0,
		       what, "frames: %s: unit %u", packed[k].name, i);
		OK(what || (from == (i ? packed[k].ends[i - 1] : 0) && to == packed[k].ends[i]),
		   "frames: %s: place of unit %u", packed[k].name, i);
	}
	bld_free(&src);
}

/* A file of one unit has its length in the record alone. */
static void test_single(void)
{
	struct dsfs_attr a = { .mode = S_IFREG, .flags = DSFS_INODE_COMPRESSED, .size = 8192 };
	struct dsfs_compressed_info info = { .stored = 32, .unit_bits = 13 };
	struct dsfs_err err = {};
	struct dsfs_source src;
	u32 from, to;

	bld_init(&src);
	ANSWER(dsfs_units_get(&src, &a, &info, 0, &from, &to, &err), 0, NULL, "frames: single");
	OK(!from && to == 32 && !src.gets, "frames: single: all that is stored, without a read");
	info.stored = 31;
	ANSWER(dsfs_units_get(&src, &a, &info, 0, &from, &to, &err), -EUCLEAN,
	       "content of a frame", "frames: single: too little");
	bld_free(&src);
}

/* Of a compressed file, the number of the inode extra record is in its own record. */
static void test_extra_of_compressed(void)
{
	struct dsfs_attr a = { .mode = S_IFREG, .size = 4096, .extra = 2,
			       .start = DSFS_DATA_START_MIN,
			       .flags = DSFS_INODE_COMPRESSED | DSFS_INODE_XATTRS };
	struct dsfs_compressed raw[2] = { { }, {
		.stored = cpu_to_le32(77), .extra = cpu_to_le32(1), .codec = DSFS_CODEC_ZSTD,
		.unit_bits = 12,
	} };
	const struct dsfs_extra one = { .xattrs = cpu_to_le64(8) };
	struct dsfs_extra_info extra;
	struct dsfs_err err = {};
	struct dsfs_source src;

	bld_init(&src);
	src.geo.data_start = DSFS_DATA_START_MIN;
	src.geo.data_end = DSFS_DATA_START_MIN + 77;
	bld_add(&src, DSFS_REGION_COMPRESSED, raw, sizeof(raw), 16);
	bld_add(&src, DSFS_REGION_EXTRAS, &one, sizeof(one), 32);
	bld_add(&src, DSFS_REGION_XATTRS, NULL, 12, 4);
	ANSWER(dsfs_extra_get(&src, &a, &extra, &err), 0, NULL, "compressed: its extra record");
	OK(extra.xattrs == 8 && extra.compressed.stored == 77 && !extra.stored,
	   "compressed: what both records say");
	bld_fail(&src, 0, -EIO);
	ANSWER(dsfs_extra_get(&src, &a, &extra, &err), -EIO, "compressed record",
	       "compressed: cannot be read");
	a.flags &= ~DSFS_INODE_XATTRS;
	ANSWER(dsfs_extra_get(&src, &a, &extra, &err), -EUCLEAN, "extra record against flags",
	       "compressed: an extra record too many");
	bld_free(&src);
}

TESTS(compressed)
{
	for (unsigned int k = 0; k < ARRAY_SIZE(packed); k++)
		test_frames(k);
	test_single();
	test_extra_of_compressed();
}
