/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cases for the decoders of libdsfs that take bytes: one table for KUnit and
 * for the unit tests in userspace, so that a rule has one test and both
 * compilers, both platform headers and both sanitizers see it.
 *
 * A case takes a good structure, overwrites a few fields and says what the
 * decoder has to answer: an errno and the rule that it names.  To be included
 * by a test only; what reads through dsfs_meta_get() is tested elsewhere.
 */
#ifndef LIBDSFS_CASES_H
#define LIBDSFS_CASES_H

#include "libdsfs.h"

#define DSFS_CASE_BUF	DSFS_BLOCK_SIZE	/* bytes of scratch that a runner needs */

/**
 * struct dsfs_patch - overwrite a field
 * @off: where, in bytes from the structure's begin
 * @size: bytes, 0 behind the last patch
 * @value: written little-endian
 */
struct dsfs_patch {
	u32 off;
	u32 size;
	u64 value;
};

/**
 * struct dsfs_case - a defect and what is to be said about it
 * @name: of the case
 * @base: which good structure it starts from
 * @arg: what else the decoder is given
 * @patch: the defect
 * @ret: 0 or a negative errno
 * @what: the rule that it breaks; NULL if it breaks none
 */
struct dsfs_case {
	const char *name;
	u32 base;
	u64 arg;
	struct dsfs_patch patch[7];
	int ret;
	const char *what;
};

/* A field of @n bytes; byte @i of a field. */
#define DSFS_P(n, s, f, v)	{ offsetof(struct s, f), n, v }
#define DSFS_P8(s, f, i, v)	{ offsetof(struct s, f) + (i), 1, v }

static inline void dsfs_case_patch(void *to, const struct dsfs_case *c)
{
	const struct dsfs_patch *p;
	u64 value;
	u32 i;

	for (p = c->patch; p < c->patch + 7 && p->size; p++)
		for (i = 0, value = p->value; i < p->size; i++, value >>= 8)
			((u8 *)to)[p->off + i] = value;
}

#define DSFS_BAD	(-EUCLEAN)

/*
 * Values that the format fixes for ever.
 */
struct dsfs_vector {
	const char *text;
	u64 seed;
	u64 value;
};

static const struct dsfs_vector dsfs_crc_vectors[] = {
	{ "", 0, 0 },
	{ "123456789", 0, 0xe3069283 },		/* the check value of CRC-32C */
};

static const struct dsfs_vector dsfs_hash_vectors[] = {
	{ "", 0, 0xef46db3751d8e999ULL },
	{ "a", 0, 0xd24ec4f1a98c6e5bULL },
	{ "abc", 0, 0x44bc2cf5ad770999ULL },
	{ "Nobody inspects the spammish repetition", 0, 0xfbcea83c8a378bf1ULL },
	{ "ILSVRC2012_val_00000001.JPEG", 0, 0xd6df5af660af9d67ULL },
	{ "ILSVRC2012_val_00000001.JPEG", 1, 0xa80cc0cdc55ec625ULL },
	{ "ILSVRC2012_val_00000001.JPEG", ~0ULL, 0xfc52212c0a849e5bULL },
};

#endif /* LIBDSFS_CASES_H */
