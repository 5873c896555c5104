// SPDX-License-Identifier: GPL-2.0
/*
 * Target: name blocks with rows: the search for the row of a number, the row of a name, and
 * what it says, without the image around them, so that one execution takes microseconds.
 *
 *   0		N, the number of directories
 *   then	N times struct dsfs_dir, then NUMBERS and NAMES, which has a block for each number
 *
 * Metadata is copied for each read, so that the sanitizer sees one past its end.
 */
#include <stdio.h>
#include <stdlib.h>

#include "engine.h"
#include "format.h"

#define INODES	5000	/* numbers that there are */

static struct {
	struct dsfs_geo geo;
	const u8 *dirs, *numbers, *names;
} file;

const struct dsfs_geo *dsfs_source_geo(const struct dsfs_source *src)
{
	return &file.geo;
}

int dsfs_meta_get(struct dsfs_source *src, enum dsfs_region_id region, u64 off, size_t len,
		  struct dsfs_mref *ref)
{
	const u64 bytes = file.geo.regions[region].bytes;
	const u8 *from = region == DSFS_REGION_DIRS ? file.dirs :
			 region == DSFS_REGION_NUMBERS ? file.numbers : file.names;

	if (region != DSFS_REGION_DIRS && region != DSFS_REGION_NUMBERS &&
	    region != DSFS_REGION_NAMES)
		finding("another region is read");
	if (off > bytes || len > bytes - off)
		return -EUCLEAN;
	if ((off & (DSFS_BLOCK_SIZE - 1)) + len > DSFS_BLOCK_SIZE)
		finding("a read that crosses a block");
	ref->priv = malloc(len);
	if (!ref->priv)
		exit(1);
	memcpy(ref->priv, from + off, len);
	ref->p = ref->priv;
	return 0;
}

void dsfs_meta_release(struct dsfs_mref *ref)
{
	free(ref->priv);
}

static bool good(int ret, const struct dsfs_err *err)
{
	if (ret && (ret != -EUCLEAN || !err->what))
		finding("an errno that nobody promised");
	return !ret;
}

/* Read the row at a place; what it says has to fit the image. */
static bool get_row(u32 ino, u64 place, struct dsfs_attr *a)
{
	struct dsfs_err err = { 0 };

	if (!good(dsfs_row_get(NULL, ino, place, a, &err), &err))
		return false;
	if (a->size >= DSFS_MAX_OFFSET || a->start >= DSFS_MAX_OFFSET)
		finding("an inode with a size or a place of 2^48");
	if (S_ISREG(a->mode) && !a->flags && a->size &&
	    (a->start < file.geo.data_start || a->size > file.geo.data_end - a->start))
		finding("a file outside of the data area");
	return true;
}

/* By number, and from each one to the next */
static void walk_numbers(void)
{
	u64 place, next = DSFS_NO_PLACE;
	struct dsfs_err err = { 0 };
	struct dsfs_attr a;
	u32 ino;

	for (ino = DSFS_ROOT_INO + 1; ino < 200; ino++) {
		if (good(dsfs_row_find(NULL, ino, &place, &err), &err)) {
			if (dsfs_row_block(place) >= file.geo.regions[DSFS_REGION_NAMES].bytes)
				finding("a row behind the names");
			get_row(ino, place, &a);
		}
		if (good(dsfs_row_next(NULL, ino, &next, &err), &err))
			get_row(ino, next, &a);
		else if (next != DSFS_NO_PLACE)
			finding("a place after an error");
	}
}

/* A lookup leads to the row that an iteration comes to. */
static void walk_name(const struct dsfs_dir_info *dir, const struct dsfs_dir_iter *it,
		      const struct dsfs_name *name)
{
	const u64 place = dsfs_row_place(dsfs_names_pos(dir, it->block),
					 name->pos - it->names.first);
	const u64 avail = dsfs_names_avail(&file.geo, dsfs_names_pos(dir, it->block));
	struct dsfs_err err = { 0 };
	struct dsfs_attr a, b;
	struct dsfs_found found;
	int ret;

	if (dsfs_rows_bytes(it->names.raw, avail) > avail)
		finding("rows that end behind their block");
	if (get_row(dir->first + name->pos, place, &a) &&
	    !dsfs_rows_bytes(it->names.raw, avail))
		finding("a row without bytes");
	ret = dsfs_dir_find(NULL, dir, name->name, name->len, &found, &err);
	if (ret == -ENOENT || !good(ret, &err) || found.pos != name->pos)
		return;
	if (found.place != place)
		finding("another place by a lookup");
	if (get_row(dir->first + name->pos, found.place, &b) && a.mtime != b.mtime)
		finding("another row by a lookup");
}

static void walk_dir(u64 index)
{
	struct dsfs_err err = { 0 };
	struct dsfs_dir_info dir;
	struct dsfs_dir_iter it;
	struct dsfs_name name;
	int ret, left = 300;
	struct dsfs_dir raw;

	memcpy(&raw, file.dirs + sizeof(raw) * index, sizeof(raw));
	if (!good(dsfs_dir_decode(&file.geo, index, &raw, &dir, &err), &err))
		return;
	dsfs_dir_iter_init(&it, NULL, &dir, 0);
	while (left-- && (ret = dsfs_dir_iter_next(&it, &name, &err)) > 0)
		walk_name(&dir, &it, &name);
	dsfs_dir_iter_end(&it);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	const u64 dirs = size ? data[0] : 0;
	u64 i, numbers;

	if (!dirs || size < 1 + dirs * sizeof(struct dsfs_dir))
		return 0;
	file.dirs = data + 1;
	file.numbers = file.dirs + dirs * sizeof(struct dsfs_dir);
	numbers = (data + size - file.numbers + DSFS_BLOCK_SIZE + 3) / (DSFS_BLOCK_SIZE + 4) * 4;
	file.names = file.numbers + numbers;
	if (file.names >= data + size)
		return 0;
	file.geo = (struct dsfs_geo){
		.inodes = INODES, .dirs = dirs, .owners = 4, .extras = 4,
		.units = 4, .incompat = DSFS_INCOMPAT_COMPRESSED,
		.data_start = DSFS_DATA_START_MIN, .data_end = 1 << 20, .align_bits = 12,
		.chunk_bits = 15, .small_bits = 15, .large_bits = 15,
	};
	file.geo.regions[DSFS_REGION_DIRS].bytes = dirs * sizeof(struct dsfs_dir);
	file.geo.regions[DSFS_REGION_NUMBERS].bytes = numbers;
	file.geo.regions[DSFS_REGION_NAMES].bytes = data + size - file.names;
	file.geo.regions[DSFS_REGION_SYMLINKS].bytes = 4096;
	walk_numbers();
	for (i = 0; i < dirs; i++)
		walk_dir(i);
	return 0;
}
