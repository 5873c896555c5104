// SPDX-License-Identifier: GPL-2.0
/*
 * Valid directories of any size: lookups find every name and no other, with and
 * without an index, and an iteration from any position gives the remaining names in
 * order.
 */
#include "unit.h"

/* Names made of a number, sorted, of varying length. */
struct namelist {
	u32 count;
	char (*text)[32];
	const char **names;
};

static int cmp_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void names_make(struct namelist *l, u32 count)
{
	u32 i;

	l->count = count;
	l->text = calloc(count + 1, sizeof(*l->text));
	l->names = calloc(count + 1, sizeof(*l->names));
	if (!l->text || !l->names)
		exit(1);
	for (i = 0; i < count; i++) {
		snprintf(l->text[i], sizeof(*l->text), "n%u%.*s", i * 7919,
			 (int)(i % 17), "-abcdefghijklmnopq");
		l->names[i] = l->text[i];
	}
	qsort(l->names, count, sizeof(*l->names), cmp_names);
}

static void names_free(struct namelist *l)
{
	free(l->text);
	free(l->names);
}

/* How many of the names are not found where they are. */
static u32 count_lost(const struct dsfs_dir_info *dir, const struct namelist *l)
{
	u32 i, pos, lost = 0;
	u8 type;

	for (i = 0; i < l->count; i++)
		lost += dsfs_dir_lookup(&src, dir, l->names[i],
					strlen(l->names[i]), &pos, &type,
					&err) || pos != i || type != DT_REG;
	return lost;
}

/* How many names are found that are not there: a sample, each with a byte more or another. */
static u32 count_invented(const struct dsfs_dir_info *dir, const struct namelist *l)
{
	const u32 step = l->count / 5000 + 1;
	u32 i, pos, found = 0;
	char name[40];
	u8 type;

	for (i = 0; i < l->count; i += step) {
		snprintf(name, sizeof(name), "%s~", l->names[i]);
		found += dsfs_dir_lookup(&src, dir, name, strlen(name), &pos,
					 &type, &err) != -ENOENT;
		snprintf(name, sizeof(name), "%s", l->names[i]);
		name[0] = 'N';
		found += dsfs_dir_lookup(&src, dir, name, strlen(name), &pos,
					 &type, &err) != -ENOENT;
	}
	found += dsfs_dir_lookup(&src, dir, "", 0, &pos, &type, &err) != -ENOENT;
	found += dsfs_dir_lookup(&src, dir, "\xff", 1, &pos, &type, &err) != -ENOENT;
	return found;
}

static bool walk_is(const struct dsfs_dir_info *dir, const struct namelist *l, u32 from)
{
	struct dsfs_dir_iter it;
	struct dsfs_name name;
	bool same = true;
	u32 i = from;
	int ret;

	dsfs_dir_iter_init(&it, &src, dir, from);
	while ((ret = dsfs_dir_iter_next(&it, &name, &err)) > 0) {
		if (i >= l->count || name.pos != i || name.type != DT_REG ||
		    name.len != strlen(l->names[i]) ||
		    memcmp(name.name, l->names[i], name.len))
			same = false;
		i++;
	}
	same &= !ret && i >= l->count && !dsfs_dir_iter_next(&it, &name, &err);
	dsfs_dir_iter_end(&it);
	return same && !bld_held;
}

static void check_dir(u64 record, const struct namelist *l, const char *how)
{
	struct dsfs_attr a = { .ino = 2, .start = record };
	struct dsfs_dir_info dir;
	u32 i, step = l->count / 1000 + 1, bad = 0;

	ANSWER(dsfs_dir_get(&src, &a, &dir, &err), 0, NULL, "dir: %u %s: record",
	       l->count, how);
	OK(!count_lost(&dir, l), "dir: %u %s: every name is found",
	   l->count, how);
	OK(!count_invented(&dir, l), "dir: %u %s: no other is",
	   l->count, how);
	OK(!bld_held, "dir: %u %s: all given back", l->count, how);
	OK(walk_is(&dir, l, 0), "dir: %u %s: walk", l->count, how);
	if (l->count <= 5000)	/* each walk goes to the end */
		for (i = 0; i <= l->count + 1; i += step)
			bad += !walk_is(&dir, l, i);
	bad += !walk_is(&dir, l, U32_MAX);
	OK(!bad, "dir: %u %s: walk from any position", l->count, how);
}

/* What looking up every name takes. */
static unsigned long count_gets(u64 record, const struct namelist *l)
{
	struct dsfs_attr a = { .ino = 2, .start = record };
	struct dsfs_dir_info dir;

	if (dsfs_dir_get(&src, &a, &dir, &err))
		return 0;
	src.gets = 0;
	count_lost(&dir, l);
	return src.gets;
}

static void one_size(u32 count, u32 per_block)
{
	struct bld_dir want = { .count = count, .self = 2, .parent = 1, .first = 3,
				.per_block = per_block };
	const char *blocks = per_block ? ", many blocks" : "";
	char how[40];
	struct namelist l;
	u64 record;

	names_make(&l, count);
	want.names = l.names;
	bld_init(&src);
	/* A neighbour in front, so that nothing is at offset 0 by chance. */
	bld_add(&src, DSFS_REGION_NAMES, "xxxx", 4, 4);
	snprintf(how, sizeof(how), "sorted%s", blocks);
	check_dir(bld_dir(&src, &want), &l, how);
	bld_free(&src);
	if (count) {
		bld_init(&src);
		bld_add(&src, DSFS_REGION_NAMES, "xxxx", 4, 4);
		want.index = true;
		record = bld_dir(&src, &want);
		snprintf(how, sizeof(how), "indexed%s", blocks);
		check_dir(record, &l, how);
		OK(count_gets(record, &l) < 4UL * count,
		   "dir: %u: a lookup by index stays cheap", count);
		bld_free(&src);
	}
	names_free(&l);
}

/* All names in one bucket. */
static void test_full_bucket(void)
{
	struct bld_dir want = { .self = 2, .parent = 1, .first = 3,
				.index = true, .per_block = 5, .count = 16,
				.buckets = 1 };
	struct namelist l;

	names_make(&l, want.count);
	want.names = l.names;
	bld_init(&src);
	check_dir(bld_dir(&src, &want), &l, "indexed, one full bucket");
	bld_free(&src);
	names_free(&l);
}

/* As little as may be is left of the fingerprint, so other names look alike. */
static void test_alike(void)
{
	struct bld_dir want = { .self = 2, .parent = 1, .first = 3,
				.index = true, .count = 3000 };
	struct dsfs_attr a = { .ino = 2 };
	struct dsfs_dir_info dir;
	struct namelist l;
	unsigned long gets;

	names_make(&l, want.count);
	want.names = l.names;
	bld_init(&src);
	a.start = bld_dir(&src, &want);
	gets = count_gets(a.start, &l);
	if (!OK(!dsfs_dir_get(&src, &a, &dir, &err), "dir: whole fingerprint"))
		return;
	want.place_bits_more = 32 - DSFS_INDEX_FP_MIN - dir.slot_bits -
			       dir.block_bits;
	a.start = bld_dir(&src, &want);
	check_dir(a.start, &l, "indexed, equal fingerprints");
	OK(gets && count_gets(a.start, &l) > gets + l.count / 4,
	   "dir: equal fingerprints are met");
	bld_free(&src);
	names_free(&l);
}

static void test_types(void)
{
	static const char *const names[] = { "b", "c", "d", "f", "l", "p", "s", "z" };
	static const u8 types[] = { DT_BLK, DT_CHR, DT_DIR, DT_REG, DT_LNK,
				    DT_FIFO, DT_SOCK, DSFS_DT_HARDLINK };
	struct bld_dir want = { names, types, 8, 2, 1, 3 };
	struct dsfs_attr a = { .ino = 2 };
	struct dsfs_dir_info dir;
	unsigned int i, bad = 0;
	u32 pos;
	u8 type;

	bld_init(&src);
	a.start = bld_dir(&src, &want);
	if (!OK(!dsfs_dir_get(&src, &a, &dir, &err), "dir: of every type"))
		return;
	for (i = 0; i < 8; i++)
		bad += dsfs_dir_lookup(&src, &dir, names[i], 1, &pos, &type,
				       &err) || type != types[i] || pos != i;
	OK(!bad, "dir: types of names");
	a.ino = 3;
	ANSWER(dsfs_dir_get(&src, &a, &dir, &err), -EUCLEAN,
	       "directory's own number", "dir: record of another directory");
	a.start = 1;
	ANSWER(dsfs_dir_get(&src, &a, &dir, &err), -EUCLEAN,
	       "directory record", "dir: record that is not there");
	bld_free(&src);
}

/* Name blocks of several directories in one block, and longest names. */
static void test_shared(void)
{
	struct bld_dir want = { .self = 2, .parent = 1, .first = 3 };
	char longest[20][256];
	const char *names[20];
	struct dsfs_attr a = { .ino = 2 };
	struct dsfs_dir_info dir;
	struct namelist l[3];
	u64 record[3];
	unsigned int i;

	bld_init(&src);
	for (i = 0; i < 3; i++) {
		names_make(&l[i], i + 1);
		want.names = l[i].names;
		want.count = i + 1;
		record[i] = bld_dir(&src, &want);
	}
	for (i = 0; i < 3; i++)
		check_dir(record[i], &l[i], "in a shared block");
	a.start = record[2];
	OK(!dsfs_dir_get(&src, &a, &dir, &err) && dir.names > 0 &&
	   dir.names < DSFS_BLOCK_SIZE, "dir: they do share a block");
	for (i = 0; i < 3; i++)
		names_free(&l[i]);

	for (i = 0; i < 20; i++) {
		memset(longest[i], 0xff, 255);
		longest[i][254] = i + 1;
		longest[i][255] = 0;
		names[i] = longest[i];
	}
	l[0].names = names;
	l[0].count = 20;
	want.names = names;
	want.count = 20;
	check_dir(bld_dir(&src, &want), &l[0], "of 255 bytes");
	bld_free(&src);
}

TESTS(dir)
{
	static const u32 sizes[] = { 0, 1, 2, 16, 17, 300, 5000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		one_size(sizes[i], 0);
	one_size(17, 1);
	one_size(300, 7);
	test_full_bucket();
	test_alike();
	test_types();
	test_shared();
}

TESTS(dir_large)
{
	one_size(100000, 0);
}
