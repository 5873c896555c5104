// SPDX-License-Identifier: GPL-2.0
/*
 * Names and index as mkfs makes them, looked up by fs/format: every name is
 * found, nothing else is, and the bytes do not depend on anything but names.
 */
#include "layout.h"
#include "mkfs.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(node_name(a), node_name(b));
}

/* Names of each form: packed; of equal lengths; with slots. */
static void dir_make(struct dir *dir, struct arena *a, u32 count, unsigned int form)
{
	static const char *const formats[] = {
		[DSFS_NAMES_SLOTS] = "ILSVRC2012_val_%1$08u%3$.*2$s",
		[DSFS_NAMES_EQUAL] = "%1$08u-%4$c%4$c.JPEG",
		[DSFS_NAMES_PACKED] = "n01440764_%1$u.JPEG",
	};
	char name[64];
	u32 i;

	memset(dir, 0, sizeof(*dir));
	dir->nodes = unit_alloc(count * sizeof(*dir->nodes));
	dir->count = count;
	dir->ino = 2;
	dir->first = 3;
	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), formats[form], i, (int)(i % 30),
			 "-a-longer-name-for-some-of-them", 'a' + (int)(i % 26));
		unit_name(a, &dir->nodes[i], name);
		dir->nodes[i].mode = S_IFREG;
	}
	qsort(dir->nodes, count, sizeof(*dir->nodes), by_name);
}

static int no_row(void *arg, struct node *n, s64 *row)
{
	memset(row, 0, DSFS_COLUMNS * sizeof(*row));
	row[DSFS_COLUMN_MTIME] = node_len(n);
	return 0;
}

/* Names into NAMES, as mkfs would write them.  Return: how many are in each block, malloc'ed. */
static u16 *dir_names(struct dsfs_source *src, struct dir *dir, u64 end)
{
	u16 *fills = unit_alloc((dir->count + 1) * sizeof(*fills));
	struct rows *r = rows_new(no_row, NULL);
	int count = rows_begin(r, dir, end);
	u8 block[DSFS_BLOCK_SIZE];
	u32 bytes, lost = 0;
	u64 at;

	if (dir->names)
		bld_add(src, DSFS_REGION_NAMES, NULL, dir->names, 1);
	for (; count > 0; count = rows_next(r)) {
		fills[dir->name_blocks - 1] = count;
		at = rows_at(r, &bytes);
		rows_write(r, block);
		lost += bld_add(src, DSFS_REGION_NAMES, block, bytes,
				dir->name_blocks > 1 ? DSFS_BLOCK_SIZE : 4) != at;
	}
	OK(!count && !lost, "index: %u names: in blocks", dir->count);
	rows_free(r);
	return fills;
}

/* The index and the record, as mkfs would write them. */
static void dir_write(struct dsfs_source *src, const struct dir *dir,
		      const struct dsfs_bucket *buckets)
{
	struct dsfs_dir raw = {
		.self = cpu_to_le32(dir->ino), .parent = cpu_to_le32(1),
		.first = cpu_to_le32(dir->first),
		.count = cpu_to_le32(dir->count),
		.names = cpu_to_le64(dir->names),
		.name_blocks = cpu_to_le32(dir->name_blocks),
		.buckets = cpu_to_le32(dir->buckets),
		.slot_bits = dir->slot_bits, .block_bits = dir->block_bits,
	};

	if (dir->buckets)
		bld_add(src, DSFS_REGION_INDEX, buckets,
			dir->buckets * sizeof(*buckets), 64);
	bld_add(src, DSFS_REGION_DIRS, &raw, sizeof(raw), 64);
}

static void check_found(struct dsfs_source *src, const struct dir *dir,
			u32 limit_reads)
{
	struct dsfs_attr attr = { .ino = dir->ino };
	u32 i, pos, lost = 0, invented = 0;
	struct dsfs_dir_info info;
	struct dsfs_err err = {};
	unsigned long gets;
	char name[300];
	u8 type;

	if (!OK(!dsfs_dir_get(src, &attr, &info, &err),
		"index: %u names: the record is good", dir->count)) {
		tap_note("%s: %llu, limit %llu", err.what,
			 (unsigned long long)err.value,
			 (unsigned long long)err.limit);
		return;
	}
	src->gets = 0;
	for (i = 0; i < dir->count; i++)
		lost += dsfs_dir_lookup(src, &info, node_name(&dir->nodes[i]),
					node_len(&dir->nodes[i]), &pos, &type,
					&err) || pos != i || type != DT_REG;
	gets = src->gets;
	for (i = 0; i < dir->count; i++) {
		snprintf(name, sizeof(name), "%s!", node_name(&dir->nodes[i]));
		invented += dsfs_dir_lookup(src, &info, name, strlen(name), &pos,
					    &type, &err) != -ENOENT;
	}
	OK(!lost, "index: %u names: every name is found", dir->count);
	OK(!invented, "index: %u names: no other is", dir->count);
	if (limit_reads)
		OK(gets * 10 < (unsigned long)limit_reads * dir->count,
		   "index: %u names: few lookups read both buckets", dir->count);
	OK(!bld_held, "index: %u names: all given back", dir->count);
}

static void one_dir(u32 count, u64 end, unsigned int form)
{
	struct dsfs_bucket *buckets = NULL, *again = NULL;
	struct arena a = { 0 };
	struct dsfs_source src;
	struct dir dir;
	u16 *fills;

	dir_make(&dir, &a, count, form);
	bld_init(&src);
	fills = dir_names(&src, &dir, end);
	OK(!index_build(&dir, fills, &buckets), "index: %u names: built", count);
	OK(!!dir.buckets == (count >= DSFS_INDEX_MIN_NAMES) &&
	   !!buckets == !!dir.buckets, "index: %u names: there %s one", count,
	   dir.buckets ? "is" : "is not");
	if (dir.buckets) {
		OK(dir.buckets <= index_buckets(count) + count / 100 + 8 &&
		   dir.buckets >= count / DSFS_BUCKET_ENTRIES,
		   "index: %u names: %u buckets", count, dir.buckets);
		OK(!index_build(&dir, fills, &again) &&
		   !memcmp(buckets, again, dir.buckets * sizeof(*buckets)),
		   "index: %u names: the same twice", count);
	}
	dir_write(&src, &dir, buckets);
	/* A bucket and a name block a lookup; a second bucket in a quarter. */
	check_found(&src, &dir, count > 1000 ? 25 : 0);
	bld_free(&src);
	free(buckets);
	free(again);
	free(fills);
	free(dir.nodes);
	arena_free(&a);
}

static void test_bits(void)
{
	const u32 count = 1 << 30, blocks = 1 << 20;
	u8 slot, block;

	OK(index_bits(count, 255, blocks, &slot, &block) && slot == 8 && block == 20,
	   "index: 2^28 places");
	OK(!index_bits(count, 255, blocks + 1, &slot, &block) && !slot && !block,
	   "index: none for more places than an entry holds");
	OK(!index_bits(count, 256, blocks, &slot, &block), "index: none for one slot more");
	OK(index_bits(count, 17, 1, &slot, &block) && !block, "index: one block, no bits");
	OK(!index_bits(16, 16, 1, &slot, &block), "index: none for 16 names");
}

TESTS(index)
{
	static const u32 sizes[] = { 1, 16, 17, 18, 100, 1000, 5000, 100000 };
	unsigned int i, form;

	test_bits();
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		for (form = DSFS_NAMES_SLOTS; form <= DSFS_NAMES_PACKED; form++) {
			one_dir(sizes[i], 0, form);
			one_dir(sizes[i], 3001, form);
		}
}
