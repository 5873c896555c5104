/* SPDX-License-Identifier: GPL-2.0 */
/* A bit an inode: memory comes with the bits that are set. */
#ifndef FSCK_BITS_H
#define FSCK_BITS_H

#include <stdlib.h>

#include "dsfs_platform.h"

#define BITS_WORD	64

struct bits {
	u64 *word;
};

/** bits_init - @n bits, all clear; 0 or -ENOMEM */
static inline int bits_init(struct bits *b, u64 n)
{
	b->word = calloc(n / BITS_WORD + 1, sizeof(*b->word));
	return b->word ? 0 : -ENOMEM;
}

static inline void bits_set(struct bits *b, u32 i)
{
	b->word[i / BITS_WORD] |= 1ULL << i % BITS_WORD;
}

static inline bool bits_test(const struct bits *b, u32 i)
{
	return b->word[i / BITS_WORD] >> i % BITS_WORD & 1;
}

static inline void bits_free(struct bits *b)
{
	free(b->word);
	b->word = NULL;
}

#endif /* FSCK_BITS_H */
