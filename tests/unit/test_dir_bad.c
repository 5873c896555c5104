// SPDX-License-Identifier: GPL-2.0
/*
 * Directories with a defect that only their use detects: lookups and iterations must
 * end with an error, hold no reference, and give no wrong name.
 */
#include "unit.h"

#define NAMES	60
#define BLOCK	20	/* names a block */

static struct dsfs_dir_info dir;
static char names[NAMES][8];
static const char *list[NAMES];

/* A good directory of three name blocks. */
static void good_dir(bool index)
{
	struct bld_dir want = { .names = list, .count = NAMES, .self = 2,
				.parent = 1, .first = 3, .index = index,
				.per_block = BLOCK };
	struct dsfs_attr a = { .ino = 2 };
	unsigned int i;

	for (i = 0; i < NAMES; i++) {
		snprintf(names[i], sizeof(names[i]), "name%02u", i);
		list[i] = names[i];
	}
	bld_init(&src);
	a.start = bld_dir(&src, &want);
	OK(!dsfs_dir_get(&src, &a, &dir, &err), "bad dir: good before");
}

static struct dsfs_names *name_block(u32 block)
{
	return bld_at(&src, DSFS_REGION_NAMES, dir.names + block * 4096);
}

static int look(const char *name)
{
	u32 pos;
	u8 type;

	return dsfs_dir_lookup(&src, &dir, name, strlen(name), &pos, &type, &err);
}

/* Names that the last walk handed out. */
static int walked;

/* Walk to the end; how many names came is the answer if nothing is wrong. */
static int walk(u32 from)
{
	struct dsfs_dir_iter it;
	struct dsfs_name name;
	int ret, n = 0;

	dsfs_dir_iter_init(&it, &src, &dir, from);
	while ((ret = dsfs_dir_iter_next(&it, &name, &err)) > 0)
		n++;
	dsfs_dir_iter_end(&it);
	walked = n;
	return ret ? ret : n;
}

static void test_walk(void)
{
	struct dsfs_names *raw;
	u64 off;

	good_dir(false);
	ANSWER(walk(0), NAMES, NULL, "walk: all names");
	ANSWER(walk(BLOCK), NAMES - BLOCK, NULL, "walk: from a block");
	ANSWER(walk(BLOCK + 1), NAMES - BLOCK - 1, NULL,
	       "walk: from within a block");
	ANSWER(walk(NAMES), 0, NULL, "walk: from the end");
	name_block(1)->first = cpu_to_le32(BLOCK + 1);
	ANSWER(walk(0), -EUCLEAN, "first position of a name block",
	       "walk: gap between blocks");
	ANSWER(walk(BLOCK), -EUCLEAN, "first position of a name block",
	       "walk: from a gap");
	name_block(1)->first = cpu_to_le32(BLOCK - 1);
	ANSWER(walk(0), -EUCLEAN, "first position of a name block",
	       "walk: overlapping blocks");
	OK(walked == BLOCK, "walk: no name of a block that overlaps");
	name_block(1)->first = 0;
	ANSWER(walk(NAMES - 1), 1, NULL,
	       "walk: block in front is wrong, last name");
	ANSWER(walk(BLOCK), -EUCLEAN, "first position of a name block",
	       "walk: block too short for the position");
	name_block(1)->first = cpu_to_le32(BLOCK);
	name_block(1)->count = cpu_to_le16(BLOCK - 1);
	ANSWER(walk(0), -EUCLEAN, "first position of a name block",
	       "walk: a name is missing");
	name_block(1)->count = cpu_to_le16(BLOCK);
	name_block(2)->count = cpu_to_le16(BLOCK - 1);
	ANSWER(walk(0), -EUCLEAN, "name block", "walk: too few blocks");
	/* What lies behind looks as if it went on, but is someone else's. */
	off = bld_add(&src, DSFS_REGION_NAMES, NULL, 64, 4096);
	raw = bld_at(&src, DSFS_REGION_NAMES, off);
	raw->first = cpu_to_le32(NAMES - 1);
	raw->count = cpu_to_le16(1);
	raw->end = cpu_to_le16(sizeof(*raw) + 8);
	raw->slots[0] = cpu_to_le16((sizeof(*raw) + 2) | 8 << 12);
	memcpy(raw->slots + 1, "name59", 6);
	ANSWER(walk(0), -EUCLEAN, "name block",
	       "walk: too few blocks, and a stranger behind");
	name_block(2)->count = 0;
	ANSWER(walk(0), -EUCLEAN, "names in a name block",
	       "walk: block without names");
	name_block(2)->count = cpu_to_le16(BLOCK);
	name_block(0)->slots[3] = cpu_to_le16(4095 | 8 << 12);
	ANSWER(walk(3), -EUCLEAN, "place of a name", "walk: bad slot");
	bld_free(&src);
}

/* Bytes that no name may have, in the block's last name. */
static void test_walk_names(void)
{
	static const struct {
		const char *bytes;
		unsigned int len;
	} bad[] = {
		{ "na/e00", 6 }, { "nam\0", 5 }, { ".", 1 }, { "..", 2 },
	};
	unsigned int i;
	u32 at;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		good_dir(false);
		at = sizeof(struct dsfs_names) + 2 * BLOCK;
		/* The first name ends earlier or where it did. */
		memcpy((u8 *)name_block(0) + at + 6 - bad[i].len, bad[i].bytes,
		       bad[i].len);
		name_block(0)->slots[0] = cpu_to_le16((at + 6 - bad[i].len) |
						      8 << 12);
		ANSWER(walk(0), -EUCLEAN, "name that no directory may hold",
		       "walk: forbidden name %u", i);
		ANSWER(walk(1), NAMES - 1, NULL,
		       "walk: behind forbidden name %u", i);
		bld_free(&src);
	}
}

/* Every call of dsfs_meta_get() fails once: the error comes out, all is let go. */
static void test_io_errors(bool index)
{
	static const int errors[] = { -EIO, -EBADMSG, -ENOMEM };
	struct dsfs_attr a = { .ino = 2 };
	unsigned int i, bad = 0;
	int n, ret;

	good_dir(index);
	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		for (n = 0; n < 20; n++) {
			bld_fail(&src, n, errors[i]);
			ret = look("name33");
			bad += bld_held || (ret && ret != errors[i]) ||
			       (!ret && src.fail_after < 0);
			bld_fail(&src, n, errors[i]);
			ret = walk(BLOCK / 2);
			bad += bld_held || (ret < 0 && ret != errors[i]) ||
			       (ret > 0 && src.fail_after < 0);
			if (i == 0 && n == 0)
				bad += ret != errors[i];
		}
	}
	OK(!bad, "dir: errors of reading come out (%s)",
	   index ? "index" : "sorted");
	bld_fail(&src, 0, -EIO);
	ANSWER(dsfs_dir_get(&src, &a, &dir, &err), -EIO, "directory record",
	       "dir: record cannot be read");
	bld_free(&src);
}

/* Change all entries that are used.  Return: how many names are refused for @what. */
static unsigned int look_changed(u32 clear, u32 set, const char *what)
{
	struct dsfs_bucket *bucket = bld_at(&src, DSFS_REGION_INDEX, dir.first_bucket * 64);
	unsigned int refused = 0;

	for (unsigned int i = 0; i < dir.buckets * DSFS_BUCKET_ENTRIES; i++) {
		__le32 *entry = &bucket[i / DSFS_BUCKET_ENTRIES].entries[i % DSFS_BUCKET_ENTRIES];

		if (*entry)
			*entry = cpu_to_le32((le32_to_cpu(*entry) & ~clear) | set);
	}
	for (unsigned int i = 0; i < NAMES; i++)
		refused += look(names[i]) == -EUCLEAN && !strcmp(err.what, what);
	return refused;
}

static void test_index_bad(void)
{
	unsigned int lost = 0, found = 0;
	u32 slots;

	good_dir(true);
	slots = (1U << dir.slot_bits) - 1;
	/* The slot plus one of zero cannot be: the fingerprint stays. */
	OK(look_changed(slots, 0, "index entry"), "index: slot 0");
	for (unsigned int i = 0; i < NAMES; i++)
		found += !look(names[i]);
	OK(!found, "index: slot 0 finds nothing");
	bld_free(&src);

	good_dir(true);
	OK(look_changed(0, 3U << dir.slot_bits, "index entry") == NAMES,
	   "index: name block 3 of 3");
	bld_free(&src);

	good_dir(true);
	OK(look_changed(0, slots, "slot") == NAMES, "index: slot past the block");
	OK(look_changed(slots, BLOCK + 1, "slot") == NAMES, "index: slot behind the last");
	look_changed(~0U, 0, "");
	for (unsigned int i = 0; i < NAMES; i++)
		lost += look(names[i]) == -ENOENT;
	OK(lost == NAMES, "index: empty buckets find nothing");
	bld_free(&src);
}

/* What a lookup meets in the blocks it touches. */
static void test_lookup_bad(void)
{
	good_dir(false);
	name_block(1)->end = cpu_to_le16(4095);
	ANSWER(look("name30"), 0, NULL, "lookup: end of a block is wrong");
	name_block(1)->end = cpu_to_le16(4097);
	ANSWER(look("name30"), -EUCLEAN, "end of a name block",
	       "lookup: end behind the block");
	ANSWER(look("name50"), -EUCLEAN, "end of a name block",
	       "lookup: the middle block is wrong, name behind it");
	name_block(1)->end = cpu_to_le16(sizeof(struct dsfs_names) + BLOCK * 8);
	name_block(1)->slots[0] = cpu_to_le16(4095);
	ANSWER(look("name50"), -EUCLEAN, "place of a name",
	       "lookup: first slot of the middle block is wrong");
	bld_free(&src);

	good_dir(false);
	name_block(2)->slots[BLOCK / 2] |= cpu_to_le16(15 << 12);
	name_block(2)->slots[BLOCK / 2] &= cpu_to_le16(0xefff);
	ANSWER(look("name50"), -EUCLEAN, "type of a name",
	       "lookup: type of a name");
	bld_free(&src);

	good_dir(true);
	name_block(2)->count = 0;
	ANSWER(look("name50"), -EUCLEAN, "names in a name block",
	       "lookup by index: block without names");
	ANSWER(look("name10"), 0, NULL,
	       "lookup by index: a bad block costs its own names only");
	bld_free(&src);
}

/* A name block that the region's end cuts short. */
static void test_region_end(void)
{
	u32 end;

	good_dir(false);
	end = 2 * 4096 + le16_to_cpu(name_block(2)->end) - 1;
	src.geo.regions[DSFS_REGION_NAMES].bytes = end;
	src.regions[DSFS_REGION_NAMES].len = end;
	ANSWER(look("name59"), -EUCLEAN, "end of a name block",
	       "lookup: last name block a byte too long");
	src.geo.regions[DSFS_REGION_NAMES].bytes = 2 * 4096 + 7;
	src.regions[DSFS_REGION_NAMES].len = 2 * 4096 + 7;
	ANSWER(look("name59"), -EUCLEAN, "room for a name block",
	       "lookup: no room for the last name block");
	bld_free(&src);
}

TESTS(dir_bad)
{
	test_walk();
	test_walk_names();
	test_io_errors(false);
	test_io_errors(true);
	test_index_bad();
	test_lookup_bad();
	test_region_end();
}
