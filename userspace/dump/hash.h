/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SHA-256, as fast as the processor has it.
 */
#ifndef DUMP_HASH_H
#define DUMP_HASH_H

#include "dsfs_platform.h"

#define HASH_BYTES	32

/**
 * struct hash - a sum that is being made; for one thread
 * @md: the library's
 */
struct hash {
	void *md;
};

/**
 * hash_library_init - once, before the first sum and the first thread
 *
 * Return: 0, or -EOPNOTSUPP (said) where the library has no SHA-256.
 */
int hash_library_init(void);

/** hash_init - ready for a first byte.  Return: 0 or -ENOMEM. */
int hash_init(struct hash *h);
void hash_free(struct hash *h);

void hash_put(struct hash *h, const void *data, size_t len);

/** hash_put_zeros - so many bytes of zeros */
void hash_put_zeros(struct hash *h, u64 len);

/** hash_end - the sum; then it is ready for the first byte of another one */
void hash_end(struct hash *h, u8 sum[HASH_BYTES]);

#endif /* DUMP_HASH_H */
