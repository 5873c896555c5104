// SPDX-License-Identifier: GPL-2.0
/*
 * Inodes, extra records, owners and symlinks, read through a source.
 */
#include "unit.h"

static void test_extent_bounds(void)
{
	static const struct {
		const char *name;
		u8 align_bits;
		u64 start, stored;
		const char *what;
	} table[] = {
		{ "last byte", 12, (1ULL << 47) - 1, 1, NULL },
		{ "unaligned, to the block's end", 12, (1 << 20) + 1, 4095, NULL },
		{ "unaligned, over it", 12, (1 << 20) + 1, 4096,
		  "unaligned data that crosses a block" },
		{ "512: aligned, over blocks", 9, (1 << 20) + 512, 1 << 20, NULL },
		{ "512: unaligned, over a block", 9, (1 << 20) + 4095, 2,
		  "unaligned data that crosses a block" },
		{ "2 MiB: block aligned, small", 21, (1 << 20) + 4096, 4096, NULL },
		{ "2 MiB: block aligned, large", 21, (1 << 20) + 4096, 4097,
		  "unaligned data that crosses a block" },
		{ "2 MiB: aligned, large", 21, 1 << 21, 1ULL << 40, NULL },
		{ "unaligned, wraps with 2^48", 12, (1 << 20) + 1, 1ULL << 46,
		  "unaligned data that crosses a block" },
	};
	struct dsfs_geo geo = { .data_start = 1 << 20, .data_end = 1ULL << 47 };
	unsigned int i;
	int want;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		geo.align_bits = table[i].align_bits;
		want = table[i].what ? -EUCLEAN : 0;
		ANSWER(dsfs_extent_check(&geo, table[i].start, table[i].stored,
					 &err),
		       want, table[i].what, "extent: %s", table[i].name);
	}
}

/* Limits that the geometry of cases_inode.h has no room for; @size and @rdev: what comes out */
static const struct {
	const char *name;
	struct dsfs_attr a;
	u64 size;
	u32 rdev;
} limits[] = {
	{ "large file", { .mode = S_IFREG | 06751, .owner = 1, .nlink = U32_MAX,
			  .size = 0x123456789abcULL, .start = 0x432198765000ULL },
	  .size = 0x123456789abcULL },
	{ "highest device", { .mode = S_IFBLK | 0660, .nlink = 1, .size = U32_MAX },
	  .rdev = U32_MAX },
	{ "symlink of 4095 at the end of the region",
	  { .mode = S_IFLNK | 0777, .nlink = 1, .size = DSFS_SYMLINK_MAX, .start = 4096 },
	  .size = DSFS_SYMLINK_MAX },
	{ "hard-link entry of the last number",
	  { .mode = S_IFCHR, .flags = DSFS_INODE_HARDLINK, .start = DSFS_MAX_INODES } },
};

static void test_limits(void)
{
	bld_init(&src);
	src.geo.owners = 2;
	src.geo.regions[DSFS_REGION_SYMLINKS].bytes = 4096 + DSFS_SYMLINK_MAX;
	for (unsigned int i = 0; i < ARRAY_SIZE(limits); i++) {
		struct dsfs_attr a = limits[i].a;

		a.ino = 9;
		a.rdev = 0xeeeeeeee;
		ANSWER(dsfs_inode_check(&src.geo, &a, &err), 0, NULL, "inode: %s", limits[i].name);
		OK(a.size == limits[i].size && a.rdev == limits[i].rdev &&
		   a.start == limits[i].a.start, "inode: %s: its values", limits[i].name);
	}
	bld_free(&src);
}

/* Two directories of a file each, the second of which has the number @last */
static void make(u32 last)
{
	static const char *const names[] = { "n" };
	struct bld_dir want = { .names = names, .count = 1, .self = 2, .parent = 1,
				.first = last - 1 };

	bld_init(&src);
	bld_dir(&src, &want);
	want.self = 3;
	want.first = last;
	bld_dir(&src, &want);
	bld_add(&src, DSFS_REGION_OWNERS, NULL, 16, 8);
	src.geo.inodes = last + 1ULL;
	src.geo.root.mode = cpu_to_le16(S_IFDIR | 0755);
	src.geo.root.nlink = cpu_to_le32(4);
	src.geo.root.mtime = cpu_to_le64(1);
}

/* Change the second file: its row has two bytes, which are zero, so its fields are bases alone. */
static void set_base(enum dsfs_column column, u64 value)
{
	const u64 rows = src.geo.regions[DSFS_REGION_NAMES].bytes - sizeof(__le16) -
			 sizeof(struct dsfs_rows);
	const __le64 raw = cpu_to_le64(value);

	memcpy(bld_at(&src, DSFS_REGION_NAMES, rows + offsetof(struct dsfs_rows, base[column])),
	       &raw, sizeof(raw));
}

static void test_inode_get(void)
{
	struct dsfs_attr a;
	u64 place = DSFS_NO_PLACE;

	make(5);
	ANSWER(dsfs_inode_get(&src, 1, &a, &err), 0, NULL, "inode: the root");
	OK(a.ino == 1 && a.mode == (S_IFDIR | 0755) && a.mtime == 1 && !src.gets,
	   "inode: the root is in the superblock");
	for (u32 ino = 0; ino < 7; ino++) {
		static const int want[] = { -ESTALE, 0, -EUCLEAN, -EUCLEAN, 0, 0, -ESTALE };

		a.mtime = 0;
		OK(dsfs_inode_next(&src, ino, &place, &a, &err) == want[ino] &&
		   (want[ino] || (a.ino == ino && a.mtime == ino)), "inode: next: %u", ino);
	}
	bld_fail(&src, 0, -EIO);
	ANSWER(dsfs_inode_get(&src, 5, &a, &err), -EIO, "first inode number",
	       "inode: cannot be read");
	set_base(DSFS_COLUMN_KIND, 1ULL << 32 | 1U << 31 | S_IFREG);
	ANSWER(dsfs_inode_get(&src, 5, &a, &err), -EUCLEAN, "inode flags",
	       "inode: broken, and given back");
	src.geo.root.nlink = 0;
	ANSWER(dsfs_inode_get(&src, 1, &a, &err), -EUCLEAN, "link count", "inode: broken root");
	bld_free(&src);

	make(DSFS_MAX_INODES);
	ANSWER(dsfs_inode_get(&src, DSFS_MAX_INODES, &a, &err), 0, NULL, "inode: number 2^32-2");
	OK(a.mtime == DSFS_MAX_INODES && a.ino == DSFS_MAX_INODES, "inode: it is the last one");
	ANSWER(dsfs_inode_get(&src, U32_MAX, &a, &err), -ESTALE, "inode number",
	       "inode: number 2^32-1 of as many");
	bld_free(&src);
}

/* The number and type of a name, before and behind dsfs_hardlink_follow(). */
static void test_hardlink_follow(void)
{
	u8 type = DT_REG;
	u32 ino = 5;
	u64 place;

	make(5);
	set_base(DSFS_COLUMN_KIND, DSFS_INODE_HARDLINK << 16 | S_IFIFO);
	set_base(DSFS_COLUMN_START, 4);
	set_base(DSFS_COLUMN_MTIME, 0);
	OK(!dsfs_row_find(&src, ino, &place, &err), "hard-link entry: its row");
	src.gets = 0;
	ANSWER(dsfs_hardlink_follow(&src, place, &ino, &type, &err), 0, NULL,
	       "hard-link entry: a name that is none stays");
	OK(ino == 5 && type == DT_REG && !src.gets, "hard-link entry: as it was");
	type = DSFS_DT_HARDLINK;
	bld_fail(&src, 0, -EIO);
	ANSWER(dsfs_hardlink_follow(&src, place, &ino, &type, &err), -EIO, "name block",
	       "hard-link entry: cannot be read");
	ANSWER(dsfs_hardlink_follow(&src, place, &ino, &type, &err), 0, NULL,
	       "hard-link entry: leads to the first name");
	OK(ino == 4 && type == DT_FIFO && src.gets == 2, "hard-link entry: of its row alone");
	type = DSFS_DT_HARDLINK;
	OK(!dsfs_row_find(&src, ino, &place, &err), "hard-link entry: the row of its file");
	set_base(DSFS_COLUMN_KIND, 1ULL << 32 | S_IFREG);
	set_base(DSFS_COLUMN_START, 0);
	ANSWER(dsfs_hardlink_follow(&src, place, &ino, &type, &err), -EUCLEAN,
	       "name of a hard-link entry leads to an inode", "hard-link entry: an inode");
	bld_free(&src);
}

static void test_extra_get(void)
{
	struct dsfs_attr a = { .mode = S_IFREG, .flags = DSFS_INODE_XATTRS, .extra = 2 };
	struct dsfs_extra raw[2] = { { .extents = cpu_to_le32(1) },
				     { .xattrs = cpu_to_le64(8) } };
	struct dsfs_extra_info extra;

	bld_init(&src);
	bld_add(&src, DSFS_REGION_XATTRS, NULL, 12, 4);
	bld_add(&src, DSFS_REGION_EXTRAS, raw, sizeof(raw), 32);
	ANSWER(dsfs_extra_get(&src, &a, &extra, &err), 0, NULL, "extra: second");
	OK(extra.xattrs == 8 && !extra.stored && !extra.first_extent && !extra.extents,
	   "extra: its value");
	a.extra = 1;
	ANSWER(dsfs_extra_get(&src, &a, &extra, &err), -EUCLEAN,
	       "extents of a file without holes", "extra: another's");
	a.extra = 3;
	ANSWER(dsfs_extra_get(&src, &a, &extra, &err), -EUCLEAN, "extra record",
	       "extra: past the region");
	a.extra = 2;
	bld_fail(&src, 0, -ENOMEM);
	ANSWER(dsfs_extra_get(&src, &a, &extra, &err), -ENOMEM, "extra record",
	       "extra: cannot be read");
	a.extra = 0;
	memset(&extra, 0xee, sizeof(extra));
	ANSWER(dsfs_extra_get(&src, &a, &extra, &err), 0, NULL, "extra: none");
	OK(!extra.xattrs && !extra.stored && !extra.first_extent && !extra.extents,
	   "extra: none is all zero");
	a.extra = U32_MAX;
	bld_stretch(&src, DSFS_REGION_EXTRAS, 32ULL * U32_MAX);
	ANSWER(dsfs_extra_get(&src, &a, &extra, &err), 0, NULL, "extra: number 2^32-1");
	bld_free(&src);
}

static void test_owner_get(void)
{
	struct dsfs_owner raw[2] = { { 0, 0 }, { cpu_to_le32(70000),
						 cpu_to_le32(0xfffffffe) } };
	struct dsfs_attr a = { .owner = 1 };
	u32 uid = 0, gid = 0;

	bld_init(&src);
	bld_add(&src, DSFS_REGION_OWNERS, raw, sizeof(raw), 8);
	ANSWER(dsfs_owner_get(&src, &a, &uid, &gid, &err), 0, NULL, "owner: second");
	OK(uid == 70000 && gid == 0xfffffffe, "owner: its values");
	bld_fail(&src, 0, -EBADMSG);
	ANSWER(dsfs_owner_get(&src, &a, &uid, &gid, &err), -EBADMSG,
	       "owner record", "owner: cannot be read");
	a.owner = U32_MAX - 1;
	bld_stretch(&src, DSFS_REGION_OWNERS, 8ULL * U32_MAX);
	ANSWER(dsfs_owner_get(&src, &a, &uid, &gid, &err), 0, NULL, "owner: number 2^32-2");
	bld_free(&src);
}

static void test_symlink(void)
{
	struct dsfs_attr a = { .mode = S_IFLNK, .size = 6 };
	struct dsfs_mref ref;
	char longest[DSFS_SYMLINK_MAX];
	bool same;
	int ret;

	bld_init(&src);
	memset(longest, 't', sizeof(longest));
	bld_add(&src, DSFS_REGION_SYMLINKS, "targettar\0et", 12, 1);
	bld_add(&src, DSFS_REGION_SYMLINKS, longest, sizeof(longest), 4096);
	ret = dsfs_symlink_get(&src, &a, &ref, &err);
	same = !ret && !memcmp(ref.p, "target", 6);
	if (!ret)
		dsfs_meta_put(&ref);
	OK(same, "symlink: target");
	a.start = 6;
	ANSWER(dsfs_symlink_get(&src, &a, &ref, &err), -EUCLEAN,
	       "NUL in a symlink target", "symlink: with a NUL");
	a.start = 4096;
	a.size = DSFS_SYMLINK_MAX;
	ret = dsfs_symlink_get(&src, &a, &ref, &err);
	same = !ret && !memcmp(ref.p, longest, sizeof(longest));
	if (!ret)
		dsfs_meta_put(&ref);
	OK(same, "symlink: target of 4095 bytes");
	a.start = 4090;
	a.size = 7;
	ANSWER(dsfs_symlink_get(&src, &a, &ref, &err), -EUCLEAN,
	       "symlink target", "symlink: crosses a block");
	a.start = 0;
	a.size = 6;
	bld_fail(&src, 0, -EIO);
	ANSWER(dsfs_symlink_get(&src, &a, &ref, &err), -EIO, "symlink target",
	       "symlink: cannot be read");
	bld_free(&src);
}

TESTS(inode)
{
	test_extent_bounds();
	test_limits();
	test_inode_get();
	test_hardlink_follow();
	test_extra_get();
	test_owner_get();
	test_symlink();
}
