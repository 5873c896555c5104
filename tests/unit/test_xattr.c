// SPDX-License-Identifier: GPL-2.0
/*
 * Xattr sets: their length, copies that span blocks, and iteration over sets of the
 * greatest length.
 */
#include "unit.h"

static void set_header(void *p, u32 bytes, u16 count)
{
	struct dsfs_xattr_set set = { cpu_to_le32(bytes), cpu_to_le16(count), 0 };

	memcpy(p, &set, sizeof(set));
}

static void test_bytes(void)
{
	static const struct {
		const char *name;
		u64 at;
		u32 bytes;
		u64 room;
		const char *what;
	} table[] = {
		{ "smallest", 0, 12, 12, NULL },
		{ "header alone", 0, 8, 64, "length of an xattr set" },
		{ "no length", 0, 0, 64, "length of an xattr set" },
		{ "odd length", 0, 18, 64, "length of an xattr set" },
		{ "1 MiB", 4096, 1 << 20, (1 << 20) + 4096, NULL },
		{ "more than 1 MiB", 0, (1 << 20) + 4, 2 << 20,
		  "length of an xattr set" },
		{ "2^32-4", 0, 0xfffffffc, 64, "length of an xattr set" },
		{ "past the region", 16, 52, 64, "end of an xattr set" },
		{ "to the region's end", 16, 48, 64, NULL },
		{ "to the block's end", 4000, 96, 8192, NULL },
		{ "crosses a block", 4000, 100, 8192,
		  "xattr set that crosses a block" },
		{ "a block", 4096, 4096, 8192, NULL },
		{ "a block, not at one", 4, 4096, 8192,
		  "xattr set that crosses a block" },
		{ "more than a block", 4096, 4100, 12288, NULL },
		{ "more than a block, not at one", 4, 4100, 12288,
		  "xattr set that crosses a block" },
		{ "header crosses a block", 4092, 12, 8192, "xattr set" },
		{ "header past the region", 60, 12, 64, "xattr set" },
	};
	struct dsfs_extra_info extra = {};
	unsigned int i;
	u32 bytes;
	int want;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		bld_init(&src);
		bld_add(&src, DSFS_REGION_XATTRS, NULL, table[i].room + 8, 1);
		set_header(bld_at(&src, DSFS_REGION_XATTRS, table[i].at),
			   table[i].bytes, 1);
		src.regions[DSFS_REGION_XATTRS].len = table[i].room;
		src.geo.regions[DSFS_REGION_XATTRS].bytes = table[i].room;
		extra.xattrs = table[i].at;
		want = table[i].what ? -EUCLEAN : 0;
		ANSWER(dsfs_xattr_bytes(&src, &extra, &bytes, &err), want,
		       table[i].what, "xattrs: %s", table[i].name);
		if (!table[i].what)
			OK(bytes == table[i].bytes, "xattrs: length of %s",
			   table[i].name);
		bld_fail(&src, 0, -EIO);
		ANSWER(dsfs_xattr_bytes(&src, &extra, &bytes, &err), -EIO,
		       "xattr set", "xattrs: %s, cannot be read", table[i].name);
		bld_free(&src);
	}
}

static void test_copy(void)
{
	const size_t len = 3 * 4096 + 100;
	u8 *bytes = malloc(len), *to = malloc(len);
	unsigned int n;
	size_t i;

	if (!bytes || !to)
		exit(1);
	for (i = 0; i < len; i++)
		bytes[i] = i * 131 >> 3;
	bld_init(&src);
	bld_add(&src, DSFS_REGION_XATTRS, bytes, len, 1);
	OK(!dsfs_meta_copy(&src, DSFS_REGION_XATTRS, 0, len, to) &&
	   !memcmp(to, bytes, len), "copy: all");
	OK(!dsfs_meta_copy(&src, DSFS_REGION_XATTRS, 4095, 2, to) &&
	   !memcmp(to, bytes + 4095, 2), "copy: over a boundary");
	OK(!dsfs_meta_copy(&src, DSFS_REGION_XATTRS, 100, 8192, to) &&
	   !memcmp(to, bytes + 100, 8192), "copy: two blocks, shifted");
	OK(!dsfs_meta_copy(&src, DSFS_REGION_XATTRS, len, 0, to), "copy: nothing");
	OK(dsfs_meta_copy(&src, DSFS_REGION_XATTRS, 0, len + 1, to) == -EUCLEAN,
	   "copy: past the region");
	for (n = 0; n < 4; n++) {
		bld_fail(&src, n, -EBADMSG);
		OK(dsfs_meta_copy(&src, DSFS_REGION_XATTRS, 0, len, to) ==
		   -EBADMSG && !bld_held, "copy: block %u cannot be read", n);
	}
	bld_free(&src);
	free(bytes);
	free(to);
}

static u8 *add_attr(u8 *at, u8 prefix, u8 name_len, u32 value_len)
{
	struct dsfs_xattr raw = { prefix, name_len, 0, cpu_to_le32(value_len) };
	const size_t used = (sizeof(raw) + name_len + value_len + 3) & ~3UL;

	memset(at, 0, used);
	memcpy(at, &raw, sizeof(raw));
	memset(at + sizeof(raw), 'a' + prefix, name_len);
	memset(at + sizeof(raw) + name_len, 'v', value_len);
	return at + used;
}

/* Sixteen attributes of almost 64 KiB: the longest set there can be. */
static void test_longest(void)
{
	const size_t bytes = DSFS_XATTR_SET_MAX;
	struct dsfs_xattr_info info;
	u8 *set = malloc(bytes), *at;
	u32 count, cursor, n = 0, values = 0, last;
	int ret;

	if (!set)
		exit(1);
	at = set + sizeof(struct dsfs_xattr_set);
	at = add_attr(at, DSFS_XATTR_USER, 250, 65536);
	at = add_attr(at, DSFS_XATTR_TRUSTED, 247, 0);
	for (; bytes - (at - set) > 70000; n++)
		at = add_attr(at, DSFS_XATTR_SECURITY, 246, 65536);
	last = bytes - (at - set) - sizeof(struct dsfs_xattr);
	at = add_attr(at, DSFS_XATTR_ACL_DEFAULT, 0, last);
	set_header(set, bytes, n + 3);
	ANSWER(dsfs_xattr_first(set, bytes, &count, &cursor, &err), 0, NULL,
	       "xattrs: longest set");
	while ((ret = dsfs_xattr_next(set, bytes, &cursor, &info, &err)) > 0) {
		values++;
		if (info.name_len && info.name[info.name_len - 1] != 'a' + info.prefix)
			break;
		if (info.value_len &&
		    ((const u8 *)info.value)[info.value_len - 1] != 'v')
			break;
	}
	OK(!ret && values == count && count == n + 3 && cursor == bytes,
	   "xattrs: all of the longest set");
	OK(info.prefix == DSFS_XATTR_ACL_DEFAULT && info.value_len == last,
	   "xattrs: last of the longest set");
	free(set);
}

/* Names and values are exactly what was put in. */
static void test_values(void)
{
	static const u8 set[] = {
		36, 0, 0, 0, 2, 0, 0, 0,
		DSFS_XATTR_USER, 3, 0, 0, 2, 0, 0, 0, 'a', 'b', 'c', 'X', 'Y', 0, 0, 0,
		DSFS_XATTR_SECURITY, 1, 0, 0, 3, 0, 0, 0, 'd', 'U', 'V', 'W',
	};
	struct dsfs_xattr_info info;
	u32 count, cursor;

	OK(!dsfs_xattr_first(set, sizeof(set), &count, &cursor, &err) &&
	   count == 2, "xattrs: two");
	OK(dsfs_xattr_next(set, sizeof(set), &cursor, &info, &err) == 1 &&
	   info.prefix == DSFS_XATTR_USER && info.name_len == 3 &&
	   !memcmp(info.name, "abc", 3) && info.value_len == 2 &&
	   !memcmp(info.value, "XY", 2), "xattrs: the first");
	OK(dsfs_xattr_next(set, sizeof(set), &cursor, &info, &err) == 1 &&
	   info.prefix == DSFS_XATTR_SECURITY && info.name_len == 1 &&
	   *info.name == 'd' && info.value_len == 3 &&
	   !memcmp(info.value, "UVW", 3), "xattrs: the second");
	OK(!dsfs_xattr_next(set, sizeof(set), &cursor, &info, &err),
	   "xattrs: no third");
}

static void test_prefixes(void)
{
	unsigned int i, known = 0;

	for (i = 0; i < 256; i++)
		known += !!dsfs_xattr_prefix(i);
	OK(known == 5, "xattrs: five prefixes");
	OK(!strcmp(dsfs_xattr_prefix(1), "user.") &&
	   !strcmp(dsfs_xattr_prefix(2), "trusted.") &&
	   !strcmp(dsfs_xattr_prefix(3), "security.") &&
	   !strcmp(dsfs_xattr_prefix(4), "system.posix_acl_access") &&
	   !strcmp(dsfs_xattr_prefix(5), "system.posix_acl_default"),
	   "xattrs: they stand for what they stand for");
}

TESTS(xattr)
{
	test_bytes();
	test_copy();
	test_longest();
	test_values();
	test_prefixes();
}
