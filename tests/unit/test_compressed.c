// SPDX-License-Identifier: GPL-2.0
/*
 * Places of the frames of compressed files.
 */
#include "unit.h"

/* Two units and 100 bytes; the ends of frames, and what unit 0 to 2 answer */
static const struct {
	const char *name;
	u32 ends[3];
	u32 stored;
	const char *what[3];
} packed[] = {
	{ "frames", { 512, 2000, 2099 }, 2099 },
	{ "units that are stored as they are", { 131072, 132000, 132100 }, 132100 },
	{ "frame of no byte", { 512, 512, 600 }, 600, { NULL, "end of a frame" } },
	{ "ends that go down", { 600, 520, 600 }, 600, { NULL, "end of a frame" } },
	{ "end at 0", { 0, 520, 560 }, 560, { "end of a frame" } },
	{ "end behind the stored bytes", { 512, 3000, 2999 }, 2999,
	  { NULL, "end of a frame", "end of a frame" } },
	{ "last frame that is too short", { 512, 2000, 2050 }, 2099,
	  { NULL, NULL, "end of a frame" } },
	{ "last frame that is too long", { 512, 2000, 2101 }, 2101,
	  { NULL, NULL, "length of a frame" } },
	{ "frame longer than its unit", { 131073, 132000, 132050 }, 132050,
	  { "length of a frame" } },
	{ "frame of a unit 256 times its bytes", { 512, 1024, 1025 }, 1025 },
	{ "frame of a unit more than that", { 511, 1024, 1025 }, 1025, { "content of a frame" } },
};

static void test_frames(unsigned int k)
{
	struct dsfs_attr a = { .mode = S_IFREG, .flags = DSFS_INODE_LZ4,
			       .size = 2 * DSFS_UNIT_SIZE + 100, .stored = packed[k].stored,
			       .units = 2 };
	u32 from, to, raw[5] = { 0xffffffff, 0xffffffff };

	bld_init(&src);
	for (unsigned int i = 0; i < 3; i++)
		raw[2 + i] = cpu_to_le32(packed[k].ends[i]);
	bld_add(&src, DSFS_REGION_UNITS, raw, sizeof(raw), 4);
	for (unsigned int i = 0; i < 3; i++) {
		const char *what = packed[k].what[i];

		ANSWER(dsfs_units_get(&src, &a, i, &from, &to, &err), what ? -EUCLEAN : 0,
		       what, "frames: %s: unit %u", packed[k].name, i);
		OK(what || (from == (i ? packed[k].ends[i - 1] : 0) && to == packed[k].ends[i]),
		   "frames: %s: place of unit %u", packed[k].name, i);
	}
	bld_free(&src);
}

/* A file of one unit has its length in the row alone. */
static void test_single(void)
{
	struct dsfs_attr a = { .mode = S_IFREG, .flags = DSFS_INODE_ZSTD, .size = DSFS_UNIT_SIZE,
			       .stored = 512 };
	u32 from, to;

	bld_init(&src);
	ANSWER(dsfs_units_get(&src, &a, 0, &from, &to, &err), 0, NULL, "frames: single");
	OK(!from && to == 512 && !src.gets, "frames: single: all that is stored, without a read");
	a.stored = 511;
	ANSWER(dsfs_units_get(&src, &a, 0, &from, &to, &err), -EUCLEAN,
	       "content of a frame", "frames: single: too little");
	bld_free(&src);
}

TESTS(compressed)
{
	for (unsigned int k = 0; k < ARRAY_SIZE(packed); k++)
		test_frames(k);
	test_single();
}
