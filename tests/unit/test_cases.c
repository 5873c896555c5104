// SPDX-License-Identifier: GPL-2.0
/*
 * The cases and the vectors of checksum and hash that KUnit runs in the kernel, run
 * with the userspace platform header.
 */
#include "cases_dir.h"
#include "cases_history.h"
#include "cases_inode.h"
#include "cases_note.h"
#include "cases_rows.h"
#include "cases_super.h"
#include "cases_xattr.h"
#include "unit.h"

bool unit_answer(int got, int want, const struct dsfs_err *said,
		 const char *what)
{
	const bool named = what ? said->what && !strcmp(said->what, what) :
				  !said->what;

	if (got == want && named && !bld_held)
		return true;
	tap_note("answer %d (%s), expected %d (%s); %d pieces held", got,
		 said->what ? said->what : "nothing", want,
		 what ? what : "nothing", bld_held);
	bld_held = 0;
	return false;
}

static void run_case(const char *kind, const struct dsfs_case *c, dsfs_case_fn run)
{
	struct dsfs_geo geo;
	void *buf = malloc(CASE_BUF);
	int ret;

	if (!buf)
		exit(1);
	err = (struct dsfs_err){};
	dsfs_case_super(buf);
	if (dsfs_super_decode(buf, 0, &geo, &err))
		OK(false, "the good superblock");
	ret = run(c, buf, &geo, &err);
	OK(unit_answer(ret, dsfs_case_ret(c), &err, c->what), "%s: %s", kind, c->name);
	free(buf);
}

#define RUN_CASES(kind) do { \
	unsigned int i_; \
	for (i_ = 0; i_ < ARRAY_SIZE(dsfs_##kind##_cases); i_++) \
		run_case(#kind, &dsfs_##kind##_cases[i_], dsfs_case_run_##kind); \
} while (0)

static void test_vectors(void)
{
	const struct dsfs_vector *v;
	unsigned int i;
	u64 got;

	for (i = 0; i < ARRAY_SIZE(dsfs_crc_vectors); i++) {
		v = &dsfs_crc_vectors[i];
		got = dsfs_crc32c(v->seed, v->text, strlen(v->text));
		OK(got == v->value, "crc32c: \"%s\"", v->text);
	}
	OK(dsfs_crc32c(dsfs_crc32c(0, "1234", 4), "56789", 5) ==
	   dsfs_crc32c(0, "123456789", 9), "crc32c: in two steps");
	for (i = 0; i < ARRAY_SIZE(dsfs_datasum_vectors); i++) {
		v = &dsfs_datasum_vectors[i];
		OK(dsfs_datasum(v->text, strlen(v->text)) == v->value &&
		   dsfs_datasum_in_two(v->text) == v->value, "data: \"%s\"", v->text);
	}
	for (i = 0; i < ARRAY_SIZE(dsfs_hash_vectors); i++) {
		v = &dsfs_hash_vectors[i];
		got = dsfs_name_hash(v->text, strlen(v->text));
		OK(got == v->value, "hash: \"%s\"", v->text);
	}
}

static void test_index_math(void)
{
	const u64 hash = 0xfedcba9876543210ULL;

	OK(dsfs_index_bucket(hash, 1, 0) == 0 && dsfs_index_bucket(hash, 1, 1) == 0,
	   "index: one bucket");
	OK(dsfs_index_bucket(hash, 16, 0) == 7, "index: bucket by the low half");
	OK(dsfs_index_bucket(hash, 16, 1) == 15, "index: bucket by the high half");
	OK(dsfs_index_bucket(~0ULL, U32_MAX, 1) == U32_MAX - 1,
	   "index: last of 2^32-1 buckets");
	OK(dsfs_index_fp(hash, 28) == 0, "index: four bits of fingerprint");
	OK(dsfs_index_fp(hash, 12) == 0x43210000, "index: fingerprint");
	OK(dsfs_index_entry(hash, 5, 6, 4, 8) == 0x43210057, "index: entry");
}

/* Every byte at every place of names of every length up to 40 */
static void test_name_bytes(void)
{
	unsigned int wrong = 0;
	char name[40];

	for (unsigned int len = 3; len <= sizeof(name); len++) {
		for (unsigned int at = 0; at < len; at++) {
			for (int byte = 0; byte < 256; byte++) {
				memset(name, 'n', sizeof(name));
				name[at] = byte;
				wrong += dsfs_name_valid(name, len) !=
					 (byte && byte != '/');
			}
		}
	}
	OK(!wrong, "name: NUL and slash at any place, and no other byte");
}

static void test_names(void)
{
	char name[256];

	memset(name, 'n', sizeof(name));
	OK(!dsfs_name_valid("", 0), "name: empty");
	OK(!dsfs_name_valid(".", 1), "name: .");
	OK(!dsfs_name_valid("..", 2), "name: ..");
	OK(dsfs_name_valid("...", 3), "name: ...");
	OK(dsfs_name_valid(".a", 2), "name: .a");
	OK(dsfs_name_valid(name, 255), "name: of 255");
	OK(!dsfs_name_valid(name, 256), "name: of 256");
	OK(dsfs_name_cmp("a", 1, "ab", 2) < 0, "order: beginning first");
	OK(dsfs_name_cmp("ab", 2, "a", 1) > 0, "order: beginning first, reversed");
	OK(dsfs_name_cmp("\xff", 1, "z", 1) > 0, "order: unsigned bytes");
	OK(dsfs_name_cmp("ab", 2, "ab", 2) == 0, "order: equal");
	OK(dsfs_name_cmp("b", 1, "ab", 2) > 0, "order: bytes before length");
}

static void test_types(void)
{
	static const u16 modes[] = { S_IFREG, S_IFDIR, S_IFLNK, S_IFCHR, S_IFBLK,
				     S_IFIFO, S_IFSOCK };
	static const u8 types[] = { DT_REG, DT_DIR, DT_LNK, DT_CHR, DT_BLK,
				    DT_FIFO, DT_SOCK };
	unsigned int i, mode, known = 0;

	for (i = 0; i < ARRAY_SIZE(modes); i++)
		OK(dsfs_mode_to_dt(modes[i] | 07777) == types[i],
		   "type: of mode %o", modes[i]);
	for (mode = 0; mode < 16; mode++)
		known += !!dsfs_mode_to_dt(mode << 12);
	OK(known == 7, "type: none for any other mode");
}

TESTS(cases)
{
	RUN_CASES(super);
	RUN_CASES(history);
	RUN_CASES(inode);
	RUN_CASES(root);
	RUN_CASES(extra);
	RUN_CASES(frame);
	RUN_CASES(dir);
	RUN_CASES(names);
	RUN_CASES(rows);
	RUN_CASES(xattr);
	RUN_CASES(note);
	test_vectors();
	test_index_math();
	test_names();
	test_name_bytes();
	test_types();
}
