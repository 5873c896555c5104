/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Test cases of the decoders of the format: one table for KUnit and for the unit
 * tests in userspace, so that both compilers, both platform headers and both
 * sets of sanitizers run each case.
 *
 * A case patches a valid structure and gives the expected errno and rule.
 * Functions that read through dsfs_meta_get() are tested elsewhere.
 */
#ifndef FORMAT_CASES_H
#define FORMAT_CASES_H

#include "format.h"

#define CASE_BUF	DSFS_BLOCK_SIZE	/* bytes of memory for a case */

/**
 * struct dsfs_patch - a field to overwrite
 * @off: offset in the structure
 * @size: bytes; 0 after the last patch
 * @value: the new value, written in little-endian order
 */
struct dsfs_patch {
	u32 off;
	u32 size;
	u64 value;
};

/**
 * struct dsfs_case - a test case
 * @name: its name
 * @base: the valid structure that it patches
 * @what: expected rule; NULL if no rule is broken
 * @patch: the defect
 * @arg: further argument of the decoder
 * @ret: expected errno; 0: -EUCLEAN, if a rule is broken
 */
struct dsfs_case {
	const char *name;
	u32 base;
	const char *what;
	struct dsfs_patch patch[8];
	u64 arg;
	int ret;
};

typedef int (*dsfs_case_fn)(const struct dsfs_case *c, void *buf, struct dsfs_geo *geo,
			    struct dsfs_err *err);

#ifndef sizeof_field
#define sizeof_field(type, f...)	sizeof(((type *)0)->f)
#endif

/* Patch of a field of a structure: its new value, its type and its name */
#define DSFS_P(v, ...)	{ offsetof(__VA_ARGS__), sizeof_field(__VA_ARGS__), v }

static inline void dsfs_case_patch(void *to, const struct dsfs_case *c)
{
	const struct dsfs_patch *p;
	u64 value;
	u32 i;

	for (p = c->patch; p < c->patch + 8 && p->size; p++)
		for (i = 0, value = p->value; i < p->size; i++, value >>= 8)
			((u8 *)to)[p->off + i] = value;
}

static inline int dsfs_case_ret(const struct dsfs_case *c)
{
	return c->what && !c->ret ? -EUCLEAN : c->ret;
}

/* Test vectors of checksum and name hash */
struct dsfs_vector {
	const char *text;
	u64 seed;
	u64 value;
};

static const struct dsfs_vector dsfs_crc_vectors[] = {
	{ "", 0, 0 },
	{ "123456789", 0, 0xe3069283 },		/* the check value of CRC-32C */
};

/* Of chunks of data; the last one is longer than a stripe of XXH64. */
static const struct dsfs_vector dsfs_datasum_vectors[] = {
	{ "", 0, 0x51d8e999 },
	{ "123456789", 0, 0x40e6ae83 },
	{ "Nobody inspects the spammish repetition", 0, 0x8a378bf1 },
};

/* In two pieces, as a chunk comes in folios */
static inline u32 dsfs_datasum_in_two(const char *text)
{
	const size_t at = strlen(text) * 6 / 7;
	struct dsfs_datasum sum;

	dsfs_datasum_begin(&sum);
	dsfs_datasum_add(&sum, text, at);
	dsfs_datasum_add(&sum, text + at, strlen(text) - at);
	return dsfs_datasum_end(&sum);
}

static const struct dsfs_vector dsfs_hash_vectors[] = {
	{ "", 0, 0xef46db3751d8e999ULL },
	{ "a", 0, 0xd24ec4f1a98c6e5bULL },
	{ "abc", 0, 0x44bc2cf5ad770999ULL },
	{ "Nobody inspects the spammish repetition", 0, 0xfbcea83c8a378bf1ULL },
	{ "ILSVRC2012_val_00000001.JPEG", 0, 0xd6df5af660af9d67ULL },
};

#endif /* FORMAT_CASES_H */
