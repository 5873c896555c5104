/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cases of directory records and name blocks: the rules of dir.c.
 */
#ifndef FORMAT_CASES_DIR_H
#define FORMAT_CASES_DIR_H

#include "cases_super.h"

/*
 * Directory records.
 */
enum {
	DSFS_CASE_DIR_EMPTY,
	DSFS_CASE_DIR_SMALL,	/* two names, in a shared name block */
	DSFS_CASE_DIR_INDEX,	/* ten names, index of two buckets */
};

#define DSFS_CASE_DIR_SELF	5

static inline void dsfs_case_dir(u32 base, struct dsfs_dir *raw)
{
	memset(raw, 0, sizeof(*raw));
	raw->self = cpu_to_le32(DSFS_CASE_DIR_SELF);
	raw->parent = cpu_to_le32(1);
	if (base == DSFS_CASE_DIR_EMPTY)
		return;
	raw->first = cpu_to_le32(DSFS_CASE_INODES - 2);
	raw->count = cpu_to_le32(2);
	raw->names = cpu_to_le64(100);
	raw->name_blocks = cpu_to_le32(1);
	if (base == DSFS_CASE_DIR_SMALL)
		return;
	raw->first = cpu_to_le32(DSFS_CASE_INODES - 10);
	raw->count = cpu_to_le32(10);
	raw->buckets = cpu_to_le32(2);
	raw->first_bucket = cpu_to_le64(DSFS_CASE_BUCKETS - 2);
	raw->seed = cpu_to_le64(77);
	raw->slot_bits = 4;
	raw->block_bits = 1;
}

/* @arg: length of NAMES instead of the superblock's */
static inline int dsfs_case_run_dir(const struct dsfs_case *c, void *buf,
				    struct dsfs_geo *geo, struct dsfs_err *err)
{
	const u64 names = geo->regions[DSFS_REGION_NAMES].bytes;
	struct dsfs_dir_info dir;
	int ret;

	dsfs_case_dir(c->base, buf);
	dsfs_case_patch(buf, c);
	if (c->arg)
		geo->regions[DSFS_REGION_NAMES].bytes = c->arg;
	ret = dsfs_dir_decode(geo, 3, buf, &dir, err);
	geo->regions[DSFS_REGION_NAMES].bytes = names;
	return ret;
}

#define D(n, f, v)	DSFS_P(n, dsfs_dir, f, v)

static const struct dsfs_case dsfs_dir_cases[] = {
	{ "dir: empty", DSFS_CASE_DIR_EMPTY },
	{ "dir: small", DSFS_CASE_DIR_SMALL },
	{ "dir: with index", DSFS_CASE_DIR_INDEX },
	{ "dir: number 0", DSFS_CASE_DIR_SMALL, .patch = { D(4, self, 0) },
	  .ret = DSFS_BAD, .what = "directory's own number" },
	{ "dir: number that is not there", DSFS_CASE_DIR_EMPTY,
	  .patch = { D(4, self, DSFS_CASE_INODES) },
	  .ret = DSFS_BAD, .what = "directory's own number" },
	{ "dir: parent 0", DSFS_CASE_DIR_EMPTY, .patch = { D(4, parent, 0) },
	  .ret = DSFS_BAD, .what = "directory's parent" },
	{ "dir: parent that is not there", DSFS_CASE_DIR_EMPTY,
	  .patch = { D(4, parent, DSFS_CASE_INODES) },
	  .ret = DSFS_BAD, .what = "directory's parent" },
	{ "dir: its own parent", DSFS_CASE_DIR_EMPTY,
	  .patch = { D(4, parent, DSFS_CASE_DIR_SELF) },
	  .ret = DSFS_BAD, .what = "directory's parent" },
	{ "dir: last number below it as parent", DSFS_CASE_DIR_EMPTY,
	  .patch = { D(4, parent, DSFS_CASE_DIR_SELF - 1) } },
	{ "dir: root", DSFS_CASE_DIR_EMPTY, .patch = { D(4, self, 1) } },
	{ "dir: root with another parent", DSFS_CASE_DIR_EMPTY,
	  .patch = { D(4, self, 1), D(4, parent, 2) },
	  .ret = DSFS_BAD, .what = "directory's parent" },
	{ "dir: first reserved byte", DSFS_CASE_DIR_EMPTY,
	  .patch = { DSFS_P8(dsfs_dir, reserved, 0, 1) },
	  .ret = DSFS_BAD, .what = "directory record reserved bytes" },
	{ "dir: last reserved byte", DSFS_CASE_DIR_INDEX,
	  .patch = { DSFS_P8(dsfs_dir, reserved, 13, 1) },
	  .ret = DSFS_BAD, .what = "directory record reserved bytes" },
	{ "dir: empty with names", DSFS_CASE_DIR_EMPTY, .patch = { D(4, name_blocks, 1) },
	  .ret = DSFS_BAD, .what = "name blocks of a directory" },
	{ "dir: names without block", DSFS_CASE_DIR_SMALL, .patch = { D(4, name_blocks, 0) },
	  .ret = DSFS_BAD, .what = "name blocks of a directory" },
	{ "dir: more blocks than names", DSFS_CASE_DIR_SMALL,
	  .patch = { D(4, name_blocks, 3) },
	  .ret = DSFS_BAD, .what = "name blocks of a directory" },
	{ "dir: empty with first", DSFS_CASE_DIR_EMPTY, .patch = { D(4, first, 6) },
	  .ret = DSFS_BAD, .what = "fields of an empty directory" },
	{ "dir: empty with place", DSFS_CASE_DIR_EMPTY, .patch = { D(8, names, 4) },
	  .ret = DSFS_BAD, .what = "fields of an empty directory" },
	{ "dir: empty with buckets", DSFS_CASE_DIR_EMPTY, .patch = { D(4, buckets, 1) },
	  .ret = DSFS_BAD, .what = "fields of an empty directory" },
	{ "dir: empty with first bucket", DSFS_CASE_DIR_EMPTY, .patch = { D(8, first_bucket, 1) },
	  .ret = DSFS_BAD, .what = "fields of an empty directory" },
	{ "dir: empty with seed", DSFS_CASE_DIR_EMPTY, .patch = { D(8, seed, 1) },
	  .ret = DSFS_BAD, .what = "fields of an empty directory" },
	{ "dir: empty with slot bits", DSFS_CASE_DIR_EMPTY, .patch = { D(1, slot_bits, 1) },
	  .ret = DSFS_BAD, .what = "fields of an empty directory" },
	{ "dir: empty with block bits", DSFS_CASE_DIR_EMPTY, .patch = { D(1, block_bits, 1) },
	  .ret = DSFS_BAD, .what = "fields of an empty directory" },
	{ "dir: its own entry", DSFS_CASE_DIR_SMALL,
	  .patch = { D(4, first, DSFS_CASE_DIR_SELF) },
	  .ret = DSFS_BAD, .what = "first entry of a directory" },
	{ "dir: entries past the last inode", DSFS_CASE_DIR_SMALL,
	  .patch = { D(4, first, DSFS_CASE_INODES - 1) },
	  .ret = DSFS_BAD, .what = "first entry of a directory" },
	{ "dir: 2^32-1 entries", DSFS_CASE_DIR_SMALL,
	  .patch = { D(4, count, 0xffffffff), D(4, first, 0xfffffffe) },
	  .ret = DSFS_BAD, .what = "first entry of a directory" },
	{ "dir: as many entries as records", DSFS_CASE_DIR_SMALL,
	  .patch = { D(4, count, DSFS_CASE_INODES) },
	  .ret = DSFS_BAD, .what = "first entry of a directory" },
	{ "dir: names at an odd place", DSFS_CASE_DIR_SMALL, .patch = { D(8, names, 102) },
	  .ret = DSFS_BAD, .what = "alignment of names" },
	{ "dir: two blocks, not at a block", DSFS_CASE_DIR_SMALL, 8192,
	  .patch = { D(4, name_blocks, 2) },
	  .ret = DSFS_BAD, .what = "alignment of names" },
	{ "dir: two blocks", DSFS_CASE_DIR_SMALL, 4096 + 20,
	  .patch = { D(8, names, 0), D(4, name_blocks, 2) } },
	{ "dir: second block past the names", DSFS_CASE_DIR_SMALL, 4096,
	  .patch = { D(8, names, 0), D(4, name_blocks, 2) },
	  .ret = DSFS_BAD, .what = "place of names" },
	{ "dir: place past the names", DSFS_CASE_DIR_SMALL, .patch = { D(8, names, 4000) },
	  .ret = DSFS_BAD, .what = "place of names" },
	{ "dir: place at 2^64-4096", DSFS_CASE_DIR_SMALL,
	  .patch = { D(8, names, ~0ULL << DSFS_BLOCK_BITS) },
	  .ret = DSFS_BAD, .what = "place of names" },
	{ "dir: no buckets but a first", DSFS_CASE_DIR_SMALL, .patch = { D(8, first_bucket, 1) },
	  .ret = DSFS_BAD, .what = "fields of a missing index" },
	{ "dir: no buckets but a seed", DSFS_CASE_DIR_SMALL, .patch = { D(8, seed, 1) },
	  .ret = DSFS_BAD, .what = "fields of a missing index" },
	{ "dir: no buckets but slot bits", DSFS_CASE_DIR_SMALL, .patch = { D(1, slot_bits, 1) },
	  .ret = DSFS_BAD, .what = "fields of a missing index" },
	{ "dir: no buckets but block bits", DSFS_CASE_DIR_SMALL,
	  .patch = { D(1, block_bits, 1) },
	  .ret = DSFS_BAD, .what = "fields of a missing index" },
	{ "dir: all buckets", DSFS_CASE_DIR_INDEX,
	  .patch = { D(8, first_bucket, 0), D(4, buckets, DSFS_CASE_BUCKETS) } },
	{ "dir: too many buckets", DSFS_CASE_DIR_INDEX,
	  .patch = { D(8, first_bucket, 0), D(4, buckets, DSFS_CASE_BUCKETS + 1) },
	  .ret = DSFS_BAD, .what = "place of an index" },
	{ "dir: buckets past the region", DSFS_CASE_DIR_INDEX,
	  .patch = { D(8, first_bucket, DSFS_CASE_BUCKETS - 1) },
	  .ret = DSFS_BAD, .what = "place of an index" },
	{ "dir: first bucket 2^64-1", DSFS_CASE_DIR_INDEX, .patch = { D(8, first_bucket, ~0ULL) },
	  .ret = DSFS_BAD, .what = "place of an index" },
	{ "dir: no slot bits", DSFS_CASE_DIR_INDEX, .patch = { D(1, slot_bits, 0) },
	  .ret = DSFS_BAD, .what = "bits of an index entry" },
	{ "dir: 13 slot bits", DSFS_CASE_DIR_INDEX, .patch = { D(1, slot_bits, 13) },
	  .ret = DSFS_BAD, .what = "bits of an index entry" },
	{ "dir: four bits of fingerprint", DSFS_CASE_DIR_INDEX,
	  .patch = { D(1, slot_bits, 12), D(1, block_bits, 16) } },
	{ "dir: three bits of fingerprint", DSFS_CASE_DIR_INDEX,
	  .patch = { D(1, slot_bits, 12), D(1, block_bits, 17) },
	  .ret = DSFS_BAD, .what = "bits of an index entry" },
	{ "dir: 255 block bits", DSFS_CASE_DIR_INDEX, .patch = { D(1, block_bits, 255) },
	  .ret = DSFS_BAD, .what = "bits of an index entry" },
	{ "dir: no block bits", DSFS_CASE_DIR_INDEX, .patch = { D(1, block_bits, 0) } },
};

/*
 * Name blocks: "a", "bb", "ccc", which are a whole directory.
 */
#define DSFS_CASE_NAMES_AT	(sizeof(struct dsfs_names) + 3 * 2)
#define DSFS_CASE_NAMES_END	(DSFS_CASE_NAMES_AT + 6)

static inline void dsfs_case_names(void *buf)
{
	static const char text[] = "abbccc";
	struct dsfs_names *raw = buf;
	u32 at = DSFS_CASE_NAMES_AT;
	unsigned int i;

	memset(buf, 'x', DSFS_CASE_BUF);
	raw->first = 0;
	raw->count = cpu_to_le16(3);
	raw->end = cpu_to_le16(DSFS_CASE_NAMES_END);
	for (i = 0; i < 3; at += ++i)
		raw->slots[i] = cpu_to_le16(at | 8 << DSFS_SLOT_TYPE_SHIFT);
	memcpy((u8 *)buf + DSFS_CASE_NAMES_AT, text, 6);
}

/*
 * dsfs_names_good() must agree with checks of single names; -EINVAL if it does
 * not.
 */
static inline int dsfs_case_names_good(const struct dsfs_names_info *names)
{
	struct dsfs_name one, good;
	struct dsfs_err err;
	u32 i;

	for (i = 0; i < names->count; i++)
		if (dsfs_names_slot(names, i, &one, &err) ||
		    !dsfs_name_valid(one.name, one.len))
			return dsfs_names_good(names) ? -EINVAL : 0;
	for (i = 0; i < names->count; i++) {
		dsfs_names_slot(names, i, &one, &err);
		dsfs_names_good_slot(names, i, &good);
		if (one.name != good.name || one.pos != good.pos ||
		    one.len != good.len || one.type != good.type)
			return -EINVAL;
	}
	return dsfs_names_good(names) ? 0 : -EINVAL;
}

/*
 * @base: available bytes, 0: all; @arg: names in the directory, 0: 3
 */
static inline int dsfs_case_run_names(const struct dsfs_case *c, void *buf,
				      struct dsfs_geo *geo,
				      struct dsfs_err *err)
{
	struct dsfs_dir_info dir = { .count = c->arg ? c->arg : 3 };
	struct dsfs_names_info names;
	struct dsfs_name name;
	int ret;
	u32 i;

	dsfs_case_names(buf);
	dsfs_case_patch(buf, c);
	ret = dsfs_names_decode(buf, c->base ? c->base : DSFS_CASE_BUF, &dir,
				&names, err);
	if (!ret)
		ret = dsfs_case_names_good(&names);
	for (i = 0; !ret && i < names.count; i++)
		ret = dsfs_names_slot(&names, i, &name, err);
	return ret;
}

#define N(n, f, v)		DSFS_P(n, dsfs_names, f, v)
#define SLOT(i, at, type)	{ offsetof(struct dsfs_names, slots) + 2 * (i), 2, \
				  (at) | (type) << DSFS_SLOT_TYPE_SHIFT }
#define NAMES_AT		DSFS_CASE_NAMES_AT
#define NAMES_END		DSFS_CASE_NAMES_END

static const struct dsfs_case dsfs_names_cases[] = {
	{ "names: good" },
	{ "names: a slash, which is not looked for here",
	  .patch = { { NAMES_AT + 1, 1, '/' } } },
	{ "names: no byte behind", NAMES_END },
	{ "names: one byte missing", NAMES_END - 1,
	  .ret = DSFS_BAD, .what = "end of a name block" },
	{ "names: no room for the header", sizeof(struct dsfs_names) - 1,
	  .ret = DSFS_BAD, .what = "room for a name block" },
	{ "names: room for the header alone", sizeof(struct dsfs_names),
	  .ret = DSFS_BAD, .what = "end of a name block" },
	{ "names: no name", .patch = { N(2, count, 0) },
	  .ret = DSFS_BAD, .what = "names in a name block" },
	{ "names: more than the directory has", .arg = 2,
	  .ret = DSFS_BAD, .what = "names in a name block" },
	{ "names: last ones of more", .arg = 1003, .patch = { N(4, first, 1000) } },
	{ "names: position past the directory", .patch = { N(4, first, 3) },
	  .ret = DSFS_BAD, .what = "names in a name block" },
	{ "names: position 2^32-1", .patch = { N(4, first, 0xffffffff) },
	  .ret = DSFS_BAD, .what = "names in a name block" },
	{ "names: too many for the directory from here", .patch = { N(4, first, 1) },
	  .ret = DSFS_BAD, .what = "names in a name block" },
	{ "names: slots up to the end", .arg = 7, .patch = { N(2, count, 6) },
	  .ret = DSFS_BAD, .what = "slots of a name block" },
	{ "names: slots past the block", .arg = 65535, .patch = { N(2, count, 65535) },
	  .ret = DSFS_BAD, .what = "slots of a name block" },
	{ "names: end in the header", .patch = { N(2, end, 7) },
	  .ret = DSFS_BAD, .what = "slots of a name block" },
	{ "names: name in the slots", .patch = { SLOT(0, NAMES_AT - 1, 8) },
	  .ret = DSFS_BAD, .what = "place of a name" },
	{ "names: empty name", .patch = { SLOT(1, NAMES_AT, 8) },
	  .ret = DSFS_BAD, .what = "place of a name" },
	{ "names: name behind the next", .patch = { SLOT(1, NAMES_AT + 4, 8) },
	  .ret = DSFS_BAD, .what = "place of a name" },
	{ "names: last name at the end", .patch = { SLOT(2, NAMES_END, 8) },
	  .ret = DSFS_BAD, .what = "place of a name" },
	{ "names: name past the end", .patch = { SLOT(2, 4095, 8) },
	  .ret = DSFS_BAD, .what = "place of a name" },
	{ "names: end of a full block", .patch = { N(2, end, 4096), SLOT(2, 3841, 8),
						   SLOT(1, 3586, 8), SLOT(0, 3331, 8) } },
	{ "names: end past a block", .patch = { N(2, end, 4097) },
	  .ret = DSFS_BAD, .what = "end of a name block" },
	{ "names: name of 255", .patch = { N(2, end, NAMES_AT + 3 + 255) } },
	{ "names: name of 256", .patch = { N(2, end, NAMES_AT + 3 + 256) },
	  .ret = DSFS_BAD, .what = "place of a name" },
	{ "names: type 0", .patch = { SLOT(0, NAMES_AT, 0) },
	  .ret = DSFS_BAD, .what = "type of a name" },
	{ "names: type 3", .patch = { SLOT(1, NAMES_AT + 1, 3) },
	  .ret = DSFS_BAD, .what = "type of a name" },
	{ "names: type 14", .patch = { SLOT(2, NAMES_AT + 3, 14) },
	  .ret = DSFS_BAD, .what = "type of a name" },
	{ "names: every type, 1", .patch = { SLOT(0, NAMES_AT, 1), SLOT(1, NAMES_AT + 1, 2),
					     SLOT(2, NAMES_AT + 3, 4) } },
	{ "names: every type, 2", .patch = { SLOT(0, NAMES_AT, 6), SLOT(1, NAMES_AT + 1, 10),
					     SLOT(2, NAMES_AT + 3, 12) } },
	{ "names: hard-link entry", .patch = { SLOT(0, NAMES_AT, DSFS_DT_HARDLINK) } },
};

#undef D
#undef N
#undef SLOT
#undef NAMES_AT
#undef NAMES_END

#endif /* FORMAT_CASES_DIR_H */
