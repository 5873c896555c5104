// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the format code: decoders of bytes in memory, with the compiler,
 * checksum and hash of the kernel. The unit tests in userspace run the same
 * cases. Code that needs an image is tested by mounting one.
 */
#include <kunit/test.h>

#include "cases_dir.h"
#include "cases_history.h"
#include "cases_inode.h"
#include "cases_note.h"
#include "cases_rows.h"
#include "cases_super.h"
#include "cases_xattr.h"

static void dsfs_case_desc(const struct dsfs_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

static void dsfs_case_check(struct kunit *test, dsfs_case_fn run)
{
	const struct dsfs_case *c = test->param_value;
	struct dsfs_err err = {};
	struct dsfs_geo *geo;
	void *buf;

	buf = kunit_kzalloc(test, CASE_BUF, GFP_KERNEL);
	geo = kunit_kzalloc(test, sizeof(*geo), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, buf);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, geo);
	dsfs_case_super(buf);
	KUNIT_ASSERT_EQ(test, dsfs_super_decode(buf, 0, geo, &err), 0);

	KUNIT_EXPECT_EQ(test, run(c, buf, geo, &err), dsfs_case_ret(c));
	if (c->what && err.what)
		KUNIT_EXPECT_STREQ(test, err.what, c->what);
	else
		KUNIT_EXPECT_PTR_EQ(test, err.what, c->what);
}

#define DSFS_CASES(kind) \
KUNIT_ARRAY_PARAM(dsfs_##kind, dsfs_##kind##_cases, dsfs_case_desc); \
static void dsfs_test_##kind(struct kunit *test) \
{ \
	dsfs_case_check(test, dsfs_case_run_##kind); \
}

DSFS_CASES(super)
DSFS_CASES(history)
DSFS_CASES(inode)
DSFS_CASES(root)
DSFS_CASES(extra)
DSFS_CASES(frame)
DSFS_CASES(dir)
DSFS_CASES(names)
DSFS_CASES(rows)
DSFS_CASES(xattr)
DSFS_CASES(note)

/* The checksums and the hash of the platform are those of the format. */
static void dsfs_test_vectors(struct kunit *test)
{
	const struct dsfs_vector *v;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(dsfs_crc_vectors); i++) {
		v = &dsfs_crc_vectors[i];
		KUNIT_EXPECT_EQ(test, v->value,
				(u64)dsfs_crc32c(v->seed, v->text, strlen(v->text)));
	}
	for (i = 0; i < ARRAY_SIZE(dsfs_datasum_vectors); i++) {
		v = &dsfs_datasum_vectors[i];
		KUNIT_EXPECT_EQ(test, v->value, (u64)dsfs_datasum(v->text, strlen(v->text)));
		KUNIT_EXPECT_EQ(test, v->value, (u64)dsfs_datasum_in_two(v->text));
	}
	for (i = 0; i < ARRAY_SIZE(dsfs_hash_vectors); i++) {
		v = &dsfs_hash_vectors[i];
		KUNIT_EXPECT_EQ(test, v->value,
				dsfs_name_hash(v->text, strlen(v->text)));
	}
	KUNIT_EXPECT_EQ(test, dsfs_crc32c(dsfs_crc32c(0, "1234", 4), "56789", 5),
			dsfs_crc32c(0, "123456789", 9));
}

static void dsfs_test_index(struct kunit *test)
{
	const u64 hash = 0xfedcba9876543210ULL;

	KUNIT_EXPECT_EQ(test, dsfs_index_bucket(hash, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, dsfs_index_bucket(hash, 1, 1), 0);
	KUNIT_EXPECT_EQ(test, dsfs_index_bucket(hash, 16, 0), 7);
	KUNIT_EXPECT_EQ(test, dsfs_index_bucket(hash, 16, 1), 15);
	KUNIT_EXPECT_EQ(test, dsfs_index_bucket(~0ULL, 0xffffffff, 1), 0xfffffffe);
	KUNIT_EXPECT_EQ(test, dsfs_index_fp(hash, 28), 0);
	KUNIT_EXPECT_EQ(test, dsfs_index_fp(hash, 12), 0x43210000);
	KUNIT_EXPECT_EQ(test, dsfs_index_entry(hash, 5, 6, 4, 8), 0x43210057);
}

static void dsfs_test_names_valid(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, dsfs_name_valid("", 0));
	KUNIT_EXPECT_FALSE(test, dsfs_name_valid(".", 1));
	KUNIT_EXPECT_FALSE(test, dsfs_name_valid("..", 2));
	KUNIT_EXPECT_TRUE(test, dsfs_name_valid("...", 3));
	KUNIT_EXPECT_FALSE(test, dsfs_name_valid("a/b", 3));
	KUNIT_EXPECT_FALSE(test, dsfs_name_valid("a\0b", 3));
	KUNIT_EXPECT_LT(test, dsfs_name_cmp("a", 1, "ab", 2), 0);
	KUNIT_EXPECT_GT(test, dsfs_name_cmp("\xff", 1, "z", 1), 0);
	KUNIT_EXPECT_EQ(test, dsfs_name_cmp("ab", 2, "ab", 2), 0);
}

static struct kunit_case dsfs_test_cases[] = {
	KUNIT_CASE_PARAM(dsfs_test_super, dsfs_super_gen_params),
	KUNIT_CASE_PARAM(dsfs_test_history, dsfs_history_gen_params),
	KUNIT_CASE_PARAM(dsfs_test_inode, dsfs_inode_gen_params),
	KUNIT_CASE_PARAM(dsfs_test_root, dsfs_root_gen_params),
	KUNIT_CASE_PARAM(dsfs_test_extra, dsfs_extra_gen_params),
	KUNIT_CASE_PARAM(dsfs_test_frame, dsfs_frame_gen_params),
	KUNIT_CASE_PARAM(dsfs_test_dir, dsfs_dir_gen_params),
	KUNIT_CASE_PARAM(dsfs_test_names, dsfs_names_gen_params),
	KUNIT_CASE_PARAM(dsfs_test_rows, dsfs_rows_gen_params),
	KUNIT_CASE_PARAM(dsfs_test_xattr, dsfs_xattr_gen_params),
	KUNIT_CASE_PARAM(dsfs_test_note, dsfs_note_gen_params),
	KUNIT_CASE(dsfs_test_vectors),
	KUNIT_CASE(dsfs_test_index),
	KUNIT_CASE(dsfs_test_names_valid),
	{}
};

static struct kunit_suite dsfs_test_suite = {
	.name = "dsfs",
	.test_cases = dsfs_test_cases,
};

kunit_test_suite(dsfs_test_suite);
