// SPDX-License-Identifier: GPL-2.0
/*
 * Rows by the number of their inode: the search of NUMBERS, the way through the name blocks of a
 * block, and the step from one number to the next. The rules of a row alone are in cases_rows.h.
 */
#include "unit.h"

/*
 * Directories, by their numbers of entries: some are empty, also the first and the last ones. By
 * one a block, they have more blocks than a block of NUMBERS has numbers.
 */
static const u32 counts[] = { 0, 0, 3, 0, 700, 0, 0, 0, 1, 1, 20, 0, 260, 105, 0, 0 };

#define DIRS	ARRAY_SIZE(counts)
#define NAMES	1000
#define FIRST	(2 + DIRS)	/* behind the numbers of all directories */

static u32 end;			/* the first number that there is not */

/* @per_block: names a block at most, 0: what fits */
static void make(u32 per_block)
{
	static char text[NAMES][8];
	static const char *names[NAMES];
	u32 first = FIRST;

	for (unsigned int i = 0; i < NAMES; i++) {
		snprintf(text[i], sizeof(text[i]), "n%04u", i);
		names[i] = text[i];
	}
	bld_init(&src);
	for (unsigned int i = 0; i < DIRS; first += counts[i++]) {
		struct bld_dir want = { .names = names, .count = counts[i], .self = 2 + i,
					.parent = 1, .first = first, .per_block = per_block,
					.index = counts[i] > 16 };

		bld_dir(&src, &want);
	}
	src.geo.owners = 1;
	end = first;
	src.geo.inodes = end;
}

static struct dsfs_names *block_of(u64 place)
{
	return bld_at(&src, DSFS_REGION_NAMES, dsfs_row_block(place));
}

/* Every number has its own row, and each way leads to it. */
static void test_numbers(u32 per_block)
{
	u64 next = DSFS_NO_PLACE, place = DSFS_NO_PLACE;
	u32 lost = 0, other = 0, backward = 0;
	struct dsfs_attr a;

	make(per_block);
	for (u32 ino = FIRST; ino < end; ino++) {
		lost += dsfs_inode_get(&src, ino, &a, &err) || a.ino != ino || a.mtime != ino;
		other += dsfs_row_find(&src, ino, &place, &err) ||
			 dsfs_row_next(&src, ino, &next, &err) || place != next;
		next = place;
	}
	for (u32 ino = end; ino-- > FIRST;)
		backward += dsfs_inode_get(&src, ino, &a, &err) || a.mtime != ino;
	OK(end == FIRST + 1090 && !lost && !backward, "rows: %u a block: each number has its row",
	   per_block);
	OK(!other, "rows: %u a block: the next row is where the search finds it", per_block);
	OK(!bld_held, "rows: %u a block: all given back", per_block);
	bld_free(&src);
}

/* A lookup says where the row is. */
static void test_lookups(void)
{
	struct dsfs_attr a = { .ino = 2 };
	u32 wrong = 0, looked = 0;
	struct dsfs_dir_info dir;
	struct dsfs_found found;
	char name[16];

	make(0);
	for (unsigned int i = 0; i < DIRS; i++) {
		a = (struct dsfs_attr){ .ino = 2 + i, .start = i };
		wrong += !!dsfs_dir_get(&src, &a, &dir, &err);
		for (u32 pos = 0; pos < dir.count; pos++, looked++) {
			u64 place;

			snprintf(name, sizeof(name), "n%04u", pos);
			wrong += dsfs_dir_find(&src, &dir, name, 5, &found, &err) ||
				 found.pos != pos ||
				 dsfs_row_find(&src, dir.first + pos, &place, &err) ||
				 place != found.place;
			src.gets = 0;
			wrong += dsfs_inode_at(&src, dir.first + pos, found.place, &a, &err) ||
				 a.mtime != dir.first + pos || src.gets != 1;
		}
	}
	OK(looked == 1090 && !wrong, "rows: a lookup leads to them, and one read gets them");
	bld_free(&src);
}

static void test_refused(void)
{
	u64 place = 0, room;
	struct dsfs_attr a;

	make(0);
	room = src.geo.regions[DSFS_REGION_NAMES].bytes;
	ANSWER(dsfs_inode_get(&src, 0, &a, &err), -ESTALE, "inode number", "rows: inode 0");
	ANSWER(dsfs_inode_get(&src, end, &a, &err), -ESTALE, "inode number",
	       "rows: number past the last");
	ANSWER(dsfs_inode_get(&src, U32_MAX, &a, &err), -ESTALE, "inode number",
	       "rows: number 2^32-1");
	src.geo.inodes = end + 1;
	ANSWER(dsfs_inode_get(&src, end, &a, &err), -EUCLEAN, "row of an inode",
	       "rows: number behind the last directory");
	ANSWER(dsfs_inode_get(&src, FIRST - 1, &a, &err), -EUCLEAN, "first inode number",
	       "rows: number before the first directory");
	place = dsfs_row_place(0, 2);
	ANSWER(dsfs_row_next(&src, end, &place, &err), -EUCLEAN, "row of an inode",
	       "rows: no row behind the last number");
	OK(place == DSFS_NO_PLACE, "rows: and no place");
	ANSWER(dsfs_row_get(&src, FIRST, dsfs_row_place(0, 3), &a, &err), -EUCLEAN, "slot",
	       "rows: slot behind the last");
	ANSWER(dsfs_row_get(&src, FIRST, dsfs_row_place(0, 4095), &a, &err), -EUCLEAN, "slot",
	       "rows: slot 4095");
	ANSWER(dsfs_row_get(&src, FIRST, dsfs_row_place((room + 3) & ~3ULL, 0), &a, &err), -EUCLEAN,
	       "place of names", "rows: place at the end of NAMES");
	ANSWER(dsfs_row_get(&src, FIRST, dsfs_row_place((room - 5) & ~3ULL, 0), &a, &err), -EUCLEAN,
	       "room for a name block", "rows: place with no room for names");
	ANSWER(dsfs_row_get(&src, FIRST, dsfs_row_place(DSFS_META_MAX, 0), &a, &err), -EUCLEAN,
	       "place of names", "rows: place 2^44");
	ANSWER(dsfs_row_get(&src, FIRST, dsfs_row_place(4092, 0), &a, &err), -EUCLEAN,
	       "room for a name block", "rows: place before the end of a block");
	bld_free(&src);
}

/* Numbers that do not ascend, and name blocks that lead nowhere */
static void test_misled(void)
{
	struct dsfs_names *names;
	struct dsfs_attr a;
	__le32 *numbers;
	u64 place, last;
	u32 left = 0, n;

	make(20);
	numbers = bld_at(&src, DSFS_REGION_NUMBERS, 0);
	n = src.geo.regions[DSFS_REGION_NUMBERS].bytes / sizeof(*numbers);
	OK(n > 30, "rows: blocks of 20 names");
	/* Where the search looks first */
	numbers[n / 2] = cpu_to_le32(FIRST);
	for (u32 ino = FIRST; ino < end; ino++)
		left += dsfs_inode_get(&src, ino, &a, &err) == -EUCLEAN &&
			!strcmp(err.what, "row of an inode");
	OK(left && left < 1090, "rows: a number out of order hides those in front of it");
	bld_free(&src);

	make(20);

	OK(!dsfs_row_find(&src, FIRST + 3 + 18, &place, &err), "rows: last row but one of a block");
	src.gets = 0;
	OK(!dsfs_row_next(&src, FIRST + 3 + 19, &place, &err) && src.gets == 1,
	   "rows: the next one of a block needs no search");
	/* Directories of 3, 1, 1 and 20 entries share the blocks of others. */
	OK(!dsfs_row_find(&src, FIRST + 3 + 700 + 1, &place, &err) &&
	   !dsfs_row_find(&src, FIRST + 3 + 700 + 2, &last, &err) &&
	   last >> DSFS_BLOCK_BITS << 2 > dsfs_row_block(place) &&
	   (dsfs_row_block(last) ^ dsfs_row_block(place)) < DSFS_BLOCK_SIZE,
	   "rows: name blocks that follow one another");
	names = block_of(place);
	names->count = 0;
	ANSWER(dsfs_row_find(&src, FIRST + 3 + 700 + 2, &last, &err), -EUCLEAN, "row of an inode",
	       "rows: no way behind a name block without names");
	names->count = cpu_to_le16(1);
	names->end = cpu_to_le16(0xffff);
	ANSWER(dsfs_row_find(&src, FIRST + 3 + 700 + 2, &last, &err), -EUCLEAN, "row of an inode",
	       "rows: no way behind a name block without an end");
	bld_free(&src);
}

/* Every read fails once: the error comes out, no place does, and all is given back. */
static void test_io_errors(void)
{
	static const int errors[] = { -EIO, -EBADMSG, -ENOMEM };
	struct dsfs_attr a;
	unsigned int bad = 0, failed = 0;

	make(20);
	for (unsigned int i = 0; i < ARRAY_SIZE(errors); i++)
		for (int n = 0; n < 30; n++) {
			u64 place = DSFS_NO_PLACE;
			int ret;

			bld_fail(&src, n, errors[i]);
			ret = dsfs_inode_get(&src, FIRST + 333, &a, &err);
			bad += bld_held || (ret ? ret != errors[i] : src.fail_after < 0);
			failed += !!ret;
			bld_fail(&src, -1, 0);
			dsfs_row_find(&src, FIRST + 332, &place, &err);
			bld_fail(&src, n, errors[i]);
			ret = dsfs_row_next(&src, FIRST + 333, &place, &err);
			bad += bld_held || (ret ? ret != errors[i] || place != DSFS_NO_PLACE :
					    src.fail_after < 0);
		}
	OK(!bad && failed > 9, "rows: errors of reading come out");
	bld_free(&src);
}

TESTS(rows)
{
	test_numbers(0);
	test_numbers(1);
	test_numbers(20);
	test_lookups();
	test_refused();
	test_misled();
	test_io_errors();
}
