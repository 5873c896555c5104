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
		{ "first byte", 12, 1 << 20, 1, NULL },
		{ "in front of the data", 12, (1 << 20) - 1, 1, "start of data" },
		{ "at the end of data", 12, 1ULL << 47, 1, "start of data" },
		{ "past 2^48", 12, ~0ULL, 1, "start of data" },
		{ "all of the data", 12, 1 << 20, (1ULL << 47) - (1 << 20), NULL },
		{ "a byte more", 12, 1 << 20, (1ULL << 47) - (1 << 20) + 1,
		  "end of data" },
		{ "2^64-1 bytes", 12, 1 << 20, ~0ULL, "end of data" },
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
	struct dsfs_err err = {};
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

static void test_inode_values(struct dsfs_source *src)
{
	struct dsfs_err err = {};
	struct dsfs_inode raw;
	struct dsfs_attr a;

	memset(&raw, 0, sizeof(raw));
	raw.mode = cpu_to_le16(S_IFREG | 06751);
	raw.owner = cpu_to_le16(1);
	raw.nlink = cpu_to_le16(65535);
	raw.size_hi = cpu_to_le16(0x1234);
	raw.size_lo = cpu_to_le32(0x56789abc);
	raw.start_hi = cpu_to_le16(0x4321);
	raw.start_lo = cpu_to_le32(0x98765000);
	raw.mtime = cpu_to_le64(1ULL << 63);
	memset(&a, 0xee, sizeof(a));
	ANSWER(dsfs_inode_decode(&src->geo, 9, &raw, &a, &err), 0, NULL,
	       "inode: large file");
	OK(a.ino == 9 && a.mode == (S_IFREG | 06751) && a.owner == 1 &&
	   a.nlink == 65535 && a.size == 0x123456789abcULL &&
	   a.start == 0x432198765000ULL && a.mtime == INT64_MIN && !a.rdev &&
	   !a.extra && !a.flags, "inode: values of a large file");

	raw.mode = cpu_to_le16(S_IFBLK | 0660);
	raw.size_hi = 0;
	raw.size_lo = cpu_to_le32(4095U << 20 | 0xfffff);
	raw.start_hi = 0;
	raw.start_lo = 0;
	raw.mtime = cpu_to_le64(~0ULL >> 1);
	ANSWER(dsfs_inode_decode(&src->geo, 9, &raw, &a, &err), 0, NULL,
	       "inode: device");
	OK(a.rdev == U32_MAX && !a.size && a.mtime == INT64_MAX,
	   "inode: number of a device");

	raw.mode = cpu_to_le16(S_IFLNK | 0777);
	raw.size_lo = cpu_to_le32(DSFS_SYMLINK_MAX);
	raw.start_lo = cpu_to_le32(4096);
	src->geo.regions[DSFS_REGION_SYMLINKS].bytes = 4096 + DSFS_SYMLINK_MAX;
	ANSWER(dsfs_inode_decode(&src->geo, 9, &raw, &a, &err), 0, NULL,
	       "inode: symlink of 4095 at the end of the region");

	memset(&raw, 0, sizeof(raw));
	raw.mode = cpu_to_le16(S_IFCHR);
	raw.flags = cpu_to_le16(DSFS_INODE_HARDLINK);
	raw.start_lo = cpu_to_le32(0xfffffffe);
	src->geo.inodes = DSFS_MAX_INODES + 1;
	ANSWER(dsfs_inode_decode(&src->geo, 9, &raw, &a, &err), 0, NULL,
	       "inode: hard-link entry of the last number");
	OK(dsfs_attr_is_hardlink(&a) && a.start == 0xfffffffe, "inode: is a hard-link entry");
}

static void test_inode_get(void)
{
	const u64 all = DSFS_MAX_INODES + 1;
	struct dsfs_inode raw[4] = {};
	struct dsfs_source src;
	struct dsfs_err err = {};
	struct dsfs_attr a;
	unsigned int i;

	bld_init(&src);
	bld_add(&src, DSFS_REGION_OWNERS, NULL, 16, 8);
	for (i = 0; i < 4; i++) {
		raw[i].mode = cpu_to_le16(S_IFIFO | i);
		raw[i].nlink = cpu_to_le16(1);
	}
	bld_add(&src, DSFS_REGION_INODES, raw, sizeof(raw), 32);
	test_inode_values(&src);
	src.geo.inodes = 4;
	ANSWER(dsfs_inode_get(&src, 0, &a, &err), -ESTALE, "inode number",
	       "inode: number 0");
	ANSWER(dsfs_inode_get(&src, 4, &a, &err), -ESTALE, "inode number",
	       "inode: number past the last");
	ANSWER(dsfs_inode_get(&src, U32_MAX, &a, &err), -ESTALE, "inode number",
	       "inode: number 2^32-1");
	ANSWER(dsfs_inode_get(&src, 1, &a, &err), 0, NULL, "inode: first");
	OK(a.mode == (S_IFIFO | 1) && a.ino == 1, "inode: it is the root");
	ANSWER(dsfs_inode_get(&src, 3, &a, &err), 0, NULL, "inode: last");
	OK(a.mode == (S_IFIFO | 3) && a.ino == 3, "inode: it is that one");
	bld_fail(&src, 0, -EIO);
	ANSWER(dsfs_inode_get(&src, 3, &a, &err), -EIO, "inode record",
	       "inode: cannot be read");
	bld_stretch(&src, DSFS_REGION_INODES, all * 32);
	ANSWER(dsfs_inode_get(&src, DSFS_MAX_INODES, &a, &err), 0, NULL,
	       "inode: number 2^32-2");
	OK(a.mode == (S_IFIFO | 3) && a.ino == DSFS_MAX_INODES,
	   "inode: it is the last record");
	ANSWER(dsfs_inode_get(&src, U32_MAX, &a, &err), -ESTALE, "inode number",
	       "inode: number 2^32-1 of as many");
	((struct dsfs_inode *)bld_at(&src, DSFS_REGION_INODES,
				     (all - 2) * 32))->flags = cpu_to_le16(256);
	ANSWER(dsfs_inode_get(&src, DSFS_MAX_INODES - 1, &a, &err), -EUCLEAN,
	       "inode flags", "inode: broken, and given back");
	bld_free(&src);
}

/* The number and type of a name, before and behind dsfs_hardlink_follow(). */
static void test_hardlink_follow(void)
{
	struct dsfs_inode raw[4] = {};
	struct dsfs_source src;
	struct dsfs_err err = {};
	const u8 fifo = dsfs_mode_to_dt(S_IFIFO);
	u8 type = fifo;
	u32 ino = 3;

	bld_init(&src);
	bld_add(&src, DSFS_REGION_OWNERS, NULL, 16, 8);
	raw[2].mode = cpu_to_le16(S_IFIFO);
	raw[2].nlink = cpu_to_le16(2);
	raw[3].mode = cpu_to_le16(S_IFIFO);
	raw[3].flags = cpu_to_le16(DSFS_INODE_HARDLINK);
	raw[3].start_lo = cpu_to_le32(2);
	bld_add(&src, DSFS_REGION_INODES, raw, sizeof(raw), 32);
	src.geo.inodes = 4;
	ANSWER(dsfs_hardlink_follow(&src, &ino, &type, &err), 0, NULL,
	       "hard-link entry: a name that is none stays");
	OK(ino == 3 && type == fifo && !src.gets, "hard-link entry: as it was");
	type = DSFS_DT_HARDLINK;
	bld_fail(&src, 0, -EIO);
	ANSWER(dsfs_hardlink_follow(&src, &ino, &type, &err), -EIO, "inode record",
	       "hard-link entry: cannot be read");
	ANSWER(dsfs_hardlink_follow(&src, &ino, &type, &err), 0, NULL,
	       "hard-link entry: leads to the first name");
	OK(ino == 2 && type == fifo, "hard-link entry: its number and type");
	type = DSFS_DT_HARDLINK;
	ANSWER(dsfs_hardlink_follow(&src, &ino, &type, &err), -EUCLEAN,
	       "name of a hard-link entry leads to an inode", "hard-link entry: an inode");
	bld_free(&src);
}

static void test_extra_get(void)
{
	struct dsfs_attr a = { .mode = S_IFREG, .flags = DSFS_INODE_EXTRA_NLINK,
			       .extra = 2 };
	struct dsfs_extra raw[2] = {};
	struct dsfs_extra_info extra;
	struct dsfs_source src;
	struct dsfs_err err = {};

	bld_init(&src);
	raw[1].nlink = cpu_to_le32(U32_MAX);
	bld_add(&src, DSFS_REGION_EXTRAS, raw, sizeof(raw), 64);
	ANSWER(dsfs_extra_get(&src, &a, &extra, &err), 0, NULL, "extra: second");
	OK(extra.nlink == U32_MAX && !extra.xattrs && !extra.stored && !extra.uid &&
	   !extra.gid && !extra.extents, "extra: its value");
	a.extra = 1;
	ANSWER(dsfs_extra_get(&src, &a, &extra, &err), -EUCLEAN,
	       "link count in the extra record", "extra: another's");
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
	OK(!extra.nlink && !extra.uid && !extra.gid && !extra.stored && !extra.xattrs,
	   "extra: none is all zero");
	a.extra = U32_MAX;
	bld_stretch(&src, DSFS_REGION_EXTRAS, 64ULL * U32_MAX);
	ANSWER(dsfs_extra_get(&src, &a, &extra, &err), 0, NULL, "extra: number 2^32-1");
	bld_free(&src);
}

static void test_owner_get(void)
{
	struct dsfs_owner raw[2] = { { 0, 0 }, { cpu_to_le32(70000),
						 cpu_to_le32(0xfffffffe) } };
	struct dsfs_extra_info extra = { .uid = 5, .gid = 6 };
	struct dsfs_attr a = { .owner = 1 };
	struct dsfs_source src;
	struct dsfs_err err = {};
	u32 uid, gid;

	bld_init(&src);
	bld_add(&src, DSFS_REGION_OWNERS, raw, sizeof(raw), 8);
	ANSWER(dsfs_owner_get(&src, &a, &extra, &uid, &gid, &err), 0, NULL,
	       "owner: from the table");
	OK(uid == 70000 && gid == 0xfffffffe, "owner: its values");
	bld_fail(&src, 0, -EBADMSG);
	ANSWER(dsfs_owner_get(&src, &a, &extra, &uid, &gid, &err), -EBADMSG,
	       "owner record", "owner: cannot be read");
	a.owner = 0;
	a.flags = DSFS_INODE_EXTRA_OWNER;
	bld_fail(&src, 0, -EIO);
	ANSWER(dsfs_owner_get(&src, &a, &extra, &uid, &gid, &err), 0, NULL,
	       "owner: from the extra record");
	OK(uid == 5 && gid == 6, "owner: its values there");
	bld_free(&src);
}

static void test_symlink(void)
{
	struct dsfs_attr a = { .mode = S_IFLNK, .size = 6 };
	struct dsfs_source src;
	struct dsfs_err err = {};
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
	test_inode_get();
	test_hardlink_follow();
	test_extra_get();
	test_owner_get();
	test_symlink();
}
