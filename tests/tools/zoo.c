// SPDX-License-Identifier: GPL-2.0
/*
 * The catalogue of mktree: which objects the zoo holds, and why.
 *
 * Each directory is one topic, so that a failing path names what is broken.
 * Sizes are at boundaries: of a sector, a block, a checksum chunk, a folio, and
 * the limit up to which files are read whole.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mktree.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static void numbered_dir(const char *name, unsigned int count)
{
	char entry[32];
	unsigned int i;

	enter(name, 0755);
	for (i = 0; i < count; i++) {
		snprintf(entry, sizeof(entry), "entry-%06u", i);
		put_file(entry, i % 7 ? 0 : 1 + i % 50);
	}
	leave();
}

static void zoo_types(void)
{
	enter("types", 0755);
	put_file("regular", 1000);
	enter("directory", 0755);
	leave();
	put_symlink("symlink-1", 1);
	put_symlink("symlink-59", 59);
	put_symlink("symlink-60", 60);
	put_symlink("symlink-100", 100);
	/* Together more than a block, so that one of them crosses a boundary. */
	put_symlink("symlink-4094", 4094);
	put_symlink("symlink-4095", 4095);
	put_symlink("symlink-4095-too", 4095);
	put_node("char-1-3", S_IFCHR, 1, 3);
	put_node("char-0-0", S_IFCHR, 0, 0);
	put_node("char-255-255", S_IFCHR, 255, 255);
	put_node("char-256-256", S_IFCHR, 256, 256);
	put_node("char-4095-1048575", S_IFCHR, 4095, 1048575);
	put_node("block-8-1", S_IFBLK, 8, 1);
	put_node("block-259-65536", S_IFBLK, 259, 65536);
	put_node("block-4095-1048575", S_IFBLK, 4095, 1048575);
	put_node("fifo", S_IFIFO, 0, 0);
	put_socket("socket");
	leave();
}

static void zoo_links(void)
{
	enter("links", 0755);
	put_file("a-first", 5000);
	put_link("a-first", "b-second");
	put_link("a-first", "third");
	enter("sub", 0755);
	put_link("../a-first", "fourth");
	put_file("in-sub", 30);
	put_link("in-sub", "in-sub-again");
	leave();
	/* Sorts in front of its other names, but lies deeper or later. */
	put_link("sub/in-sub", "0-from-sub");
	put_node("fifo", S_IFIFO, 0, 0);
	put_link("fifo", "fifo-again");
	put_symlink("symlink", 20);
	if (!opts.ext4)
		put_link("symlink", "symlink-again");
	put_file("empty", 0);
	put_link("empty", "empty-again");
	leave();
	enter("links-elsewhere", 0755);
	put_link("../links/a-first", "fifth");
	put_link("../types/regular", "regular");
	leave();
}

static void zoo_many_links(void)
{
	char name[32];
	int i;

	enter("many-links", 0755);
	put_file("0", 77);
	for (i = 1; i < 1000; i++) {
		snprintf(name, sizeof(name), "link-%d", i);
		put_link("0", name);
	}
	leave();
}

static void zoo_modes(void)
{
	static const mode_t modes[] = { 0, 0400, 0444, 0200, 0111, 0600, 0777,
					01777, 02755, 04755, 06755, 07777, 04000, 02000, 01000 };
	char name[32];
	int i;

	enter("modes", 0755);
	for (i = 0; i < (int)ARRAY_SIZE(modes); i++) {
		snprintf(name, sizeof(name), "file-%04o", modes[i]);
		put_file(name, 10 + i);
		set_mode(name, modes[i]);
		snprintf(name, sizeof(name), "dir-%04o", modes[i]);
		enter(name, 0755);
		put_file("inside", 3);
		leave();
		set_mode(name, modes[i]);
	}
	leave();
}

static void zoo_owners(void)
{
	static const uint32_t ids[] = { 1, 1000, 65534, 65535, 65536, 100000,
					0x7fffffff, 0x80000000, 0xfffffffe };
	char name[48];
	int i, j;

	enter("owners", 0755);
	for (i = 0; i < (int)ARRAY_SIZE(ids); i++) {
		for (j = 0; j < (int)ARRAY_SIZE(ids); j += 4) {
			snprintf(name, sizeof(name), "%u-%u", ids[i], ids[j]);
			put_file(name, i);
			set_owner(name, ids[i], ids[j]);
		}
	}
	put_symlink("symlink", 9);
	set_owner("symlink", 4000000000U, 4000000001U);
	enter("dir", 02775);
	leave();
	set_owner("dir", 70000, 70001);
	set_mode("dir", 02775);
	leave();
}

static void zoo_times(void)
{
	static const struct {
		const char *name;
		int64_t sec;
		long nsec;
		bool ext4;
	} t[] = {
		{ "epoch", 0, 0, true },
		{ "one-ns", 0, 1, false },
		{ "before-1970", -1, 999999999, false },
		{ "before-1970-whole", -86400, 0, true },
		{ "1902", -2147483647, 5, true },
		{ "before-1901", -3000000000LL, 123456789, false },
		{ "1700", -8520336000LL, 1, false },
		{ "end-of-int32", 2147483647, 999999999, true },
		{ "after-2038", 2147483648LL, 1, false },
		{ "end-of-uint32", 4294967295LL, 999999999, false },
		{ "after-2106", 4294967296LL, 1, false },
		{ "2200", 7258118400LL, 500000000, false },
		{ "2262", 9223372036LL, 854775807, false },
		{ "before-1678", -9223372036LL, 145224192, false },
	};
	int i;

	enter("times", 0755);
	for (i = 0; i < (int)ARRAY_SIZE(t); i++) {
		if (opts.ext4 && !t[i].ext4)
			continue;
		put_file(t[i].name, 4);
		set_mtime(t[i].name, t[i].sec, t[i].nsec);
	}
	put_symlink("symlink", 5);
	set_mtime("symlink", opts.ext4 ? 2147483640LL : 2147483650LL, 7);
	leave();
}

static void zoo_names(void)
{
	static const char * const names[] = {
		"a", " ", "  two", "trailing ", "-rf", "--", "*", "?", "'", "\"", "\\", "\\n",
		"new\nline", "tab\there", "\r", "\x01", "\x7f", "\x80", "\xff", "\xff\xfe",
		"\xc3\xa4", "\xc3", "\xe2\x82", "\xed\xa0\x80", "...", "..a", ".hidden", "~",
		"$HOME", "`id`", ";", "&", "|", "%s%n", "#", "=", "comma,colon:",
		/* Order by bytes: shorter first, unsigned. */
		"same", "samea", "same\x01", "same\xff", "Same", "SAME",
	};
	char name[256];
	int i, c;

	enter("names", 0755);
	for (i = 0; i < (int)ARRAY_SIZE(names); i++)
		put_file(names[i], 1 + i);
	for (c = 1; c < 256; c += 9) {
		memset(name, c == '/' || c == '.' ? 'x' : c, 255);
		name[255] = 0;
		put_file(name, c);
		name[254] = 0;
		put_file(name, c);
	}
	leave();

	/* Every name the longest: few names a block. */
	enter("long-names", 0755);
	for (i = 0; i < 100; i++) {
		memset(name, 'n', 255);
		snprintf(name, sizeof(name), "%0254d", i);
		name[254] = 'z';
		name[255] = 0;
		put_file(name, i % 3);
	}
	leave();
}

static void zoo_sizes(void)
{
	static const uint64_t at[] = { 512, 1024, 4096, 8192, 32768, 65536, 131072, 262144,
				       524288, 1048576 };
	char name[32];
	int i, d;

	enter("sizes", 0755);
	put_file("0", 0);
	put_file("1", 1);
	put_file("2", 2);
	put_file("61440", 61440);
	put_file("100000", 100000);
	put_file("3000001", 3000001);
	put_file("5242880", 5242880);
	/* more than the kernel reads in one piece */
	put_file("8400123", 8400123);
	for (i = 0; i < (int)ARRAY_SIZE(at); i++) {
		for (d = -1; d <= 1; d++) {
			snprintf(name, sizeof(name), "%llu", (unsigned long long)at[i] + d);
			put_file(name, at[i] + d);
		}
	}
	leave();
}

static void zoo_sparse(void)
{
	static const uint64_t first[][2] = { { 65536, 8192 } };
	static const uint64_t last[][2] = { { 0, 8192 } };
	static const uint64_t between[][2] = { { 4096, 4096 }, { 65536, 65536 },
					       { 1044480, 4096 }, { 1056768, 100 } };
	static const uint64_t tail[][2] = { { 0, 4096 }, { 131072, 1 } };
	static const uint64_t unaligned[][2] = { { 5000, 1000 }, { 40000, 30 }, { 99999, 1 } };
	static const uint64_t big[][2] = { { 0, 5 }, { 4294967296ULL - 10, 20 },
					   { 5368709120ULL, 4096 } };
	static const uint64_t edges[][2] = { { 0, 4096 }, { 65536, 4096 }, { 135168, 4096 },
					     { 204800, 100 }, { 270500, 5000 } };
	uint64_t many[150][2];
	int i;

	enter("sparse", 0755);
	put_sparse("hole-first", 73728, first, 1);
	put_sparse("hole-last", 1048576, last, 1);
	put_sparse("hole-last-unaligned", 100001, last, 1);
	put_sparse("holes-between", 1056868, between, 4);
	put_sparse("all-hole", 1048576, NULL, 0);
	put_sparse("all-hole-1", 1, NULL, 0);
	put_sparse("all-hole-5000", 5000, NULL, 0);
	put_sparse("tail-1-byte", 131073, tail, 2);
	put_sparse("unaligned", 100000, unaligned, 3);
	/* Holes of 60, 64 and 64 KiB and unaligned ends: about where they pay. */
	put_sparse("edges", 300000, edges, 5);
	for (i = 0; i < 150; i++) {
		many[i][0] = i * 73728ULL;
		many[i][1] = i % 3 ? 4096 : 8192;
	}
	put_sparse("many", 150 * 73728, many, 150);
	if (opts.big)
		put_sparse("over-4G", 5368713217ULL, big, 3);
	leave();
}

/* Neighbours in a block: what stands behind the end of one is another's. */
static void zoo_secrets(void)
{
	char name[48], text[80];
	int i, size;

	enter("secrets", 0755);
	for (i = 0; i < 200; i++) {
		size = 1 + i * 37 % 1900;
		snprintf(name, sizeof(name), "%03d-%s", i, i % 2 ? "secret" : "public");
		snprintf(text, sizeof(text), "%s %03d must not be seen elsewhere. ",
			 i % 2 ? "SECRET" : "PUBLIC", i);
		put_text(name, text, size);
		set_mode(name, i % 2 ? 0600 : 0644);
	}
	/* Tails of larger files beside them. */
	put_file("tail-4097", 4097);
	put_file("tail-8200", 8200);
	put_file("tail-32769", 32769);
	leave();
}

static void zoo_duplicates(void)
{
	static const struct {
		const char *name;
		int size;
	} sizes[] = { { "1", 1 }, { "100", 100 }, { "4096", 4096 }, { "10000", 10000 },
		      { "100000", 100000 } };
	char name[48];
	int i, j;

	enter("duplicates", 0755);
	for (i = 0; i < (int)ARRAY_SIZE(sizes); i++) {
		for (j = 0; j < 3; j++) {
			snprintf(name, sizeof(name), "%s-copy-%d", sizes[i].name, j);
			put_text(name, "the same in every copy, ", sizes[i].size);
		}
	}
	/* Equal but for the last byte, or but for the length. */
	put_text("4095-prefix", "the same in every copy, ", 4095);
	put_text("10000-other", "the same in every copy; ", 10000);
	leave();
}

static void zoo_dirs(void)
{
	enter("dirs", 0755);
	numbered_dir("0", 0);
	numbered_dir("1", 1);
	numbered_dir("16", 16);
	numbered_dir("17", 17);
	numbered_dir("300", 300);
	numbered_dir("5000", 5000);
	leave();
}

static void zoo_deep(void)
{
	char name[256];
	int i;

	enter("deep", 0755);
	for (i = 0; i < 1000; i++)
		enter("d", 0755);
	put_file("bottom", 10);
	for (i = 0; i < 1000; i++)
		leave();
	leave();

	/* Longer than PATH_MAX. */
	memset(name, 'p', 255);
	name[255] = 0;
	enter("long-path", 0755);
	for (i = 0; i < 20; i++)
		enter(name, 0755);
	put_file("bottom", 11);
	for (i = 0; i < 20; i++)
		leave();
	leave();
}

static void zoo_xattrs(void)
{
	static unsigned char value[65536];
	char name[256];
	int i;

	fill_pattern(value, sizeof(value), 42, 0);
	enter("xattrs", 0755);
	put_file("none", 5);
	put_file("one", 5);
	set_xattr("one", "user.comment", "hello", 5);
	put_file("empty-value", 5);
	set_xattr("empty-value", "user.empty", "", 0);
	put_file("binary", 5);
	set_xattr("binary", "user.bin", "\0\n\t=,\\\xff", 7);
	put_file("all-prefixes", 5);
	set_xattr("all-prefixes", "user.a", "u", 1);
	set_xattr("all-prefixes", "trusted.a", "t", 1);
	set_xattr("all-prefixes", "security.dsfs-test", "s", 1);
	put_file("capability", 5);
	set_xattr("capability", "security.capability",
		  "\1\0\0\2\0\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
	put_file("many", 5);
	for (i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "user.attribute-%02d", i);
		set_xattr("many", name, value + i, i);
	}
	put_file("long-name", 5);
	memset(name, 'x', 255);
	memcpy(name, "user.", 5);
	name[255] = 0;
	set_xattr("long-name", name, "v", 1);
	put_file("1000", 5);
	set_xattr("1000", "user.big", value, 1000);
	/* The same set at two files, as security modules make them. */
	put_file("same-1", 5);
	put_file("same-2", 6);
	set_xattr("same-1", "user.label", "the same everywhere", 19);
	set_xattr("same-2", "user.label", "the same everywhere", 19);
	enter("dir", 0755);
	leave();
	set_xattr("dir", "user.on-directory", "yes", 3);
	put_symlink("symlink", 8);
	set_xattr("symlink", "trusted.on-symlink", "yes", 3);
	put_file("3900", 5);
	set_xattr("3900", "user.big", value, 3900);
	if (!opts.ext4) {
		put_file("4096", 5);
		set_xattr("4096", "user.big", value, 4096);
		put_file("60000", 5);
		set_xattr("60000", "user.big", value, 60000);
		put_file("65536", 5);
		set_xattr("65536", "trusted.big", value, 65536);
		put_file("several-large", 5);
		set_xattr("several-large", "user.a", value, 20000);
		set_xattr("several-large", "user.b", value + 1, 30000);
		set_xattr("several-large", "trusted.c", value + 2, 40000);
	}
	leave();
}

#define UO(p)		{ ACL_USER_OBJ, p, ACL_NO_ID }
#define U(p, id)	{ ACL_USER, p, id }
#define GO(p)		{ ACL_GROUP_OBJ, p, ACL_NO_ID }
#define G(p, id)	{ ACL_GROUP, p, id }
#define M(p)		{ ACL_MASK, p, ACL_NO_ID }
#define O(p)		{ ACL_OTHER, p, ACL_NO_ID }

/* tests/guest/attrs.c knows the names and ids here. */
static void zoo_acls(void)
{
	static const struct posix_acl user[] = {
		UO(6), U(4, 1001), U(0, 1002), GO(0), M(4), O(0) };
	static const struct posix_acl group[] = {
		UO(6), GO(0), G(4, 2001), G(0, 2002), M(4), O(4) };
	static const struct posix_acl masked[] = {
		UO(6), U(6, 1001), GO(4), M(1), O(4) };
	static const struct posix_acl wide[] = {
		UO(7), U(5, 0x80000001), GO(5), G(5, 0xfffffff0), M(5), O(0) };
	static const struct posix_acl def[] = {
		UO(7), U(7, 1001), GO(5), M(7), O(5) };

	enter("acls", 0755);
	put_file("none", 50);
	set_mode("none", 0640);
	put_file("user-1001", 50);
	set_acl("user-1001", false, user, ARRAY_SIZE(user));
	put_file("group-2001", 50);
	set_acl("group-2001", false, group, ARRAY_SIZE(group));
	put_file("masked", 50);
	set_acl("masked", false, masked, ARRAY_SIZE(masked));
	enter("dir-wide", 0750);
	put_file("inside", 50);
	leave();
	set_acl("dir-wide", false, wide, ARRAY_SIZE(wide));
	enter("dir-default", 0755);
	leave();
	set_acl("dir-default", true, def, ARRAY_SIZE(def));
	set_acl("dir-default", false, wide, ARRAY_SIZE(wide));
	put_file("and-xattr", 50);
	set_acl("and-xattr", false, user, ARRAY_SIZE(user));
	set_xattr("and-xattr", "user.beside", "the ACL", 7);
	leave();
}

void make_zoo(void)
{
	zoo_types();
	zoo_links();
	zoo_many_links();
	zoo_modes();
	zoo_owners();
	zoo_times();
	zoo_names();
	zoo_sizes();
	zoo_sparse();
	zoo_secrets();
	zoo_duplicates();
	zoo_dirs();
	zoo_deep();
	zoo_xattrs();
	zoo_acls();
	put_file("root-file", 12345);
	enter("zz-empty-dir", 0700);
	leave();
}

/* More owners, and more names of one file, than a record of an inode can say. */
void make_wide(void)
{
	char name[32];
	int i;

	enter("owners", 0755);
	for (i = 0; i < WIDE; i++) {
		snprintf(name, sizeof(name), "%d", i);
		put_file(name, 0);
		set_owner(name, 100000 + i, 200000 + i);
	}
	leave();
	enter("links", 0755);
	put_file("0", 77);
	for (i = 1; i < WIDE; i++) {
		snprintf(name, sizeof(name), "%d", i);
		put_link("0", name);
	}
	leave();
}

/* What a call of its own can walk for long: runs of a file, names of a directory. */
void make_many(void)
{
	static uint64_t runs[MANY][2];
	char name[32];
	int i;

	for (i = 0; i < MANY; i++) {
		/* A block, and a hole that is just long enough */
		runs[i][0] = i * (4096 + 65536ULL);
		runs[i][1] = 4096;
	}
	put_sparse("sparse", MANY * (4096 + 65536ULL), runs, MANY);
	enter("dirs", 0755);
	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%d", i);
		enter(name, 0755);
		leave();
	}
	leave();
}
