/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cases of directory records and name blocks: the rules of dir.c.
 */
#ifndef FORMAT_CASES_DIR_H
#define FORMAT_CASES_DIR_H

#include "cases_super.h"

/* Directory records */
enum {
	DIR_EMPTY,	/* in front of one with entries from 6 on */
	DIR_SMALL,	/* two names, in a shared name block */
	DIR_TWO,	/* two names, in two name blocks, the first within a block */
	DIR_INDEX,	/* ten names, index of two buckets */
};

#define CASE_DIR_SELF	5

static inline void dsfs_case_dir(u32 base, struct dsfs_dir *raw)
{
	memset(raw, 0, sizeof(*raw));
	raw->self = cpu_to_le32(CASE_DIR_SELF);
	raw->parent = cpu_to_le32(1);
	if (base == DIR_EMPTY)
		return;
	raw->first = cpu_to_le32(CASE_INODES - 2);
	raw->count = cpu_to_le32(2);
	raw->names = cpu_to_le64(100);
	raw->name_blocks = cpu_to_le32(1);
	if (base == DIR_TWO)
		raw->name_blocks = cpu_to_le32(2);
	if (base != DIR_INDEX)
		return;
	raw->first = cpu_to_le32(CASE_INODES - 10);
	raw->count = cpu_to_le32(10);
	raw->buckets = cpu_to_le32(2);
	raw->first_bucket = cpu_to_le64(CASE_BUCKETS - 2);
	raw->slot_bits = 4;
	raw->block_bits = 1;
}

/* @arg: length of NAMES instead of the superblock's */
static inline int dsfs_case_run_dir(const struct dsfs_case *c, void *buf, struct dsfs_geo *geo,
				    struct dsfs_err *err)
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

#define D(f, v)	DSFS_P(v, struct dsfs_dir, f)

static const struct dsfs_case dsfs_dir_cases[] = {
	{ "empty", DIR_EMPTY },
	{ "small", DIR_SMALL },
	{ "with index", DIR_INDEX },
	{ "number 0", DIR_SMALL, "directory's own number", { D(self, 0) } },
	{ "number that is not there", DIR_EMPTY, "directory's own number",
	  { D(self, CASE_INODES) } },
	{ "parent 0", DIR_EMPTY, "directory's parent", { D(parent, 0) } },
	{ "parent that is not there", DIR_EMPTY, "directory's parent", { D(parent, CASE_INODES) } },
	{ "its own parent", DIR_EMPTY, "directory's parent", { D(parent, CASE_DIR_SELF) } },
	{ "last number below it as parent", DIR_EMPTY, NULL, { D(parent, CASE_DIR_SELF - 1) } },
	{ "root", DIR_EMPTY, NULL, { D(self, 1) } },
	{ "root with another parent", DIR_EMPTY, "directory's parent",
	  { D(self, 1), D(parent, 2) } },
	{ "first reserved byte", DIR_EMPTY, "directory record reserved bytes",
	  { D(reserved[0], 1) } },
	{ "last reserved byte", DIR_INDEX, "directory record reserved bytes",
	  { D(reserved[13], 1) } },
	{ "empty with names", DIR_EMPTY, "name blocks of a directory", { D(name_blocks, 1) } },
	{ "names without block", DIR_SMALL, "name blocks of a directory", { D(name_blocks, 0) } },
	{ "more blocks than names", DIR_SMALL, "name blocks of a directory",
	  { D(name_blocks, 3) } },
	{ "empty with first", DIR_EMPTY, "fields of an empty directory", { D(first, 6) } },
	{ "empty with place", DIR_EMPTY, "fields of an empty directory", { D(names, 4) } },
	{ "empty with buckets", DIR_EMPTY, "fields of an empty directory", { D(buckets, 1) } },
	{ "empty with first bucket", DIR_EMPTY, "fields of an empty directory",
	  { D(first_bucket, 1) } },
	{ "empty with slot bits", DIR_EMPTY, "fields of an empty directory", { D(slot_bits, 1) } },
	{ "empty with block bits", DIR_EMPTY, "fields of an empty directory",
	  { D(block_bits, 1) } },
	{ "its own entry", DIR_SMALL, "first entry of a directory", { D(first, CASE_DIR_SELF) } },
	{ "entries past the last inode", DIR_SMALL, "first entry of a directory",
	  { D(first, CASE_INODES - 1) } },
	{ "2^32-1 entries", DIR_SMALL, "first entry of a directory",
	  { D(count, 0xffffffff), D(first, 0xfffffffe) } },
	{ "as many entries as records", DIR_SMALL, "first entry of a directory",
	  { D(count, CASE_INODES) } },
	{ "names at an odd place", DIR_SMALL, "alignment of names", { D(names, 102) } },
	{ "two blocks", DIR_TWO, NULL, .arg = 4097 },
	{ "second block past the names", DIR_TWO, "place of names", .arg = 4096 },
	{ "two blocks, at an odd place", DIR_TWO, "alignment of names", { D(names, 102) },
	  .arg = 8192 },
	{ "two blocks, at 2^64-4", DIR_TWO, "place of names", { D(names, ~3ULL) }, .arg = 8192 },
	{ "blocks of 2^44 bytes", DIR_TWO, "name blocks of a directory",
	  { D(name_blocks, 0xffffffff) }, .arg = 8192 },
	{ "place past the names", DIR_SMALL, "place of names", { D(names, 4000) } },
	{ "place at 2^64-4096", DIR_SMALL, "place of names",
	  { D(names, ~0ULL << DSFS_BLOCK_BITS) } },
	{ "no buckets but a first", DIR_SMALL, "fields of a missing index",
	  { D(first_bucket, 1) } },
	{ "no buckets but slot bits", DIR_SMALL, "fields of a missing index", { D(slot_bits, 1) } },
	{ "no buckets but block bits", DIR_SMALL, "fields of a missing index",
	  { D(block_bits, 1) } },
	{ "all buckets", DIR_INDEX, NULL, { D(first_bucket, 0), D(buckets, CASE_BUCKETS) } },
	{ "too many buckets", DIR_INDEX, "place of an index",
	  { D(first_bucket, 0), D(buckets, CASE_BUCKETS + 1) } },
	{ "buckets past the region", DIR_INDEX, "place of an index",
	  { D(first_bucket, CASE_BUCKETS - 1) } },
	{ "first bucket 2^64-1", DIR_INDEX, "place of an index", { D(first_bucket, ~0ULL) } },
	{ "no slot bits", DIR_INDEX, "bits of an index entry", { D(slot_bits, 0) } },
	{ "13 slot bits", DIR_INDEX, "bits of an index entry", { D(slot_bits, 13) } },
	{ "four bits of fingerprint", DIR_INDEX, NULL, { D(slot_bits, 12), D(block_bits, 16) } },
	{ "three bits of fingerprint", DIR_INDEX, "bits of an index entry",
	  { D(slot_bits, 12), D(block_bits, 17) } },
	{ "255 block bits", DIR_INDEX, "bits of an index entry", { D(block_bits, 255) } },
	{ "no block bits", DIR_INDEX, NULL, { D(block_bits, 0) } },
};

/* Name blocks: "a", "bb", "ccc", which are a whole directory */
#define CASE_NAMES_AT	(sizeof(struct dsfs_names) + 3 * 2)
#define CASE_NAMES_END	(CASE_NAMES_AT + 6)

static inline void dsfs_case_names(void *buf)
{
	static const char text[] = "abbccc";
	struct dsfs_names *raw = buf;
	u32 at = CASE_NAMES_AT;
	unsigned int i;

	memset(buf, 'x', CASE_BUF);
	raw->first = 0;
	raw->count = cpu_to_le16(3);
	raw->end = cpu_to_le16(CASE_NAMES_END);
	memset(&raw->form, 0, 4);
	for (i = 0; i < 3; at += ++i)
		raw->slots[i] = cpu_to_le16(at | 8 << DSFS_SLOT_TYPE_SHIFT);
	memcpy((u8 *)buf + CASE_NAMES_AT, text, 6);
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
		dsfs_names_prefix(names, &good);
		dsfs_names_good_slot(names, i, &good);
		if (one.pos != good.pos || one.len != good.len || one.type != good.type ||
		    memcmp(one.name, good.name, one.len))
			return -EINVAL;
	}
	return dsfs_names_good(names) ? 0 : -EINVAL;
}

/* @base: available bytes, 0: all; @arg: names in the directory, 0: 3 */
static inline int dsfs_case_run_names(const struct dsfs_case *c, void *buf, struct dsfs_geo *geo,
				      struct dsfs_err *err)
{
	struct dsfs_dir_info dir = { .count = c->arg ? c->arg : 3 };
	struct dsfs_names_info names;
	struct dsfs_name name;
	int ret;
	u32 i;

	dsfs_case_names(buf);
	dsfs_case_patch(buf, c);
	ret = dsfs_names_decode(buf, c->base ? c->base : CASE_BUF, &dir,
				&names, err);
	if (!ret)
		ret = dsfs_case_names_good(&names);
	for (i = 0; !ret && i < names.count; i++)
		ret = dsfs_names_slot(&names, i, &name, err);
	return ret;
}

#define N(f, v)		DSFS_P(v, struct dsfs_names, f)
#define SLOT(i, at, type)	N(slots[i], (at) | (type) << DSFS_SLOT_TYPE_SHIFT)
#define NAMES_AT		CASE_NAMES_AT
#define NAMES_END		CASE_NAMES_END

static const struct dsfs_case dsfs_names_cases[] = {
	{ "good" },
	{ "a slash, which is not looked for here", 0, NULL, { { NAMES_AT + 1, 1, '/' } } },
	{ "no byte behind", NAMES_END },
	{ "one byte missing", NAMES_END - 1, "end of a name block" },
	{ "no room for the header", sizeof(struct dsfs_names) - 1, "room for a name block" },
	{ "room for the header alone", sizeof(struct dsfs_names), "end of a name block" },
	{ "no name", 0, "names in a name block", { N(count, 0) } },
	{ "more than the directory has", 0, "names in a name block", .arg = 2 },
	{ "last ones of more", 0, NULL, { N(first, 1000) }, .arg = 1003 },
	{ "position past the directory", 0, "names in a name block", { N(first, 3) } },
	{ "position 2^32-1", 0, "names in a name block", { N(first, 0xffffffff) } },
	{ "too many for the directory from here", 0, "names in a name block", { N(first, 1) } },
	{ "slots past the end", 0, "slots of a name block", { N(count, 7) }, .arg = 7 },
	{ "slots past the block", 0, "slots of a name block", { N(count, 65535) }, .arg = 65535 },
	{ "end in the header", 0, "slots of a name block", { N(end, 7) } },
	{ "name in the slots", 0, "place of a name", { SLOT(0, NAMES_AT - 1, 8) } },
	{ "empty name, which is not looked for here", 0, NULL, { SLOT(1, NAMES_AT, 8) } },
	{ "name behind the next", 0, "place of a name", { SLOT(1, NAMES_AT + 4, 8) } },
	{ "last middle at the end", 0, NULL, { N(prefix, 1), N(end, NAMES_END + 1),
	  SLOT(0, NAMES_AT + 1, 8), SLOT(2, NAMES_END + 1, 8) } },
	{ "middle in the suffix", 0, "place of a name", { N(suffix, 1) } },
	{ "prefix past the end", 0, "slots of a name block", { N(prefix, 7) } },
	{ "name of 255 with prefix and suffix", 0, NULL, { N(prefix, 1), N(suffix, 2),
	  N(end, NAMES_AT + 6 + 252), SLOT(0, NAMES_AT + 4, 8), SLOT(1, NAMES_AT + 5, 8),
	  SLOT(2, NAMES_AT + 6, 8) } },
	{ "name of 256 with prefix and suffix", 0, "place of a name", { N(prefix, 1),
	  N(suffix, 2), N(end, NAMES_AT + 6 + 253), SLOT(0, NAMES_AT + 4, 8),
	  SLOT(1, NAMES_AT + 5, 8), SLOT(2, NAMES_AT + 6, 8) } },
	{ "form of another version", 0, "form of a name block", { N(form, 0x38) } },
	{ "slots and a type for all", 0, "form of a name block", { N(form, 8) } },
	{ "slots and a width", 0, "form of a name block", { N(width, 1) } },
	{ "equal middles", 0, NULL, { N(form, 0x18), N(prefix, 1), N(suffix, 2), N(width, 3) } },
	{ "equal middles past the end", 0, "end of a name block", { N(form, 0x18), N(width, 5) } },
	{ "a gap behind equal middles", 0, "end of a name block", { N(form, 0x18), N(width, 3) } },
	{ "names that are all the same", 0, "names without a difference",
	  { N(form, 0x18), N(prefix, CASE_NAMES_END - sizeof(struct dsfs_names)) } },
	{ "equal middles of type 3", 0, "type of a name", { N(form, 0x13), N(width, 4) } },
	{ "equal middles of 256 with the rest", 0, "bytes of a name",
	  { N(form, 0x18), N(prefix, 1), N(width, 255) } },
	{ "packed middles", 0, NULL,
	  { N(form, 0x28), N(prefix, 1), N(width, 2), N(end, NAMES_AT + 10 + 1 + 3 * 2) } },
	{ "packed middles of type 0", 0, "type of a name",
	  { N(form, 0x20), N(width, 2), N(end, NAMES_AT + 10 + 3 * 2) } },
	{ "no room for symbols", 0, "end of a name block", { N(form, 0x28), N(width, 2) } },
	{ "packed middles of 256 with the rest", 0, "bytes of a name",
	  { N(form, 0x28), N(prefix, 2), N(width, 127) } },
	{ "name past the end", 0, "place of a name", { SLOT(2, 4095, 8) } },
	{ "end of a full block", 0, NULL,
	  { N(end, 4096), SLOT(2, 3841, 8), SLOT(1, 3586, 8), SLOT(0, 3331, 8) } },
	{ "end past a block", 0, "end of a name block", { N(end, 4097) } },
	{ "name of 255", 0, NULL, { N(end, NAMES_AT + 3 + 255) } },
	{ "name of 256", 0, "place of a name", { N(end, NAMES_AT + 3 + 256) } },
	{ "type 0", 0, "type of a name", { SLOT(0, NAMES_AT, 0) } },
	{ "type 3", 0, "type of a name", { SLOT(1, NAMES_AT + 1, 3) } },
	{ "type 14", 0, "type of a name", { SLOT(2, NAMES_AT + 3, 14) } },
	{ "every type, 1", 0, NULL,
	  { SLOT(0, NAMES_AT, 1), SLOT(1, NAMES_AT + 1, 2), SLOT(2, NAMES_AT + 3, 4) } },
	{ "every type, 2", 0, NULL,
	  { SLOT(0, NAMES_AT, 6), SLOT(1, NAMES_AT + 1, 10), SLOT(2, NAMES_AT + 3, 12) } },
	{ "hard-link entry", 0, NULL, { SLOT(0, NAMES_AT, DSFS_DT_HARDLINK) } },
};

#undef D
#undef N
#undef SLOT
#undef NAMES_AT
#undef NAMES_END

#endif /* FORMAT_CASES_DIR_H */
