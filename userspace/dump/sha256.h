/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SHA-256, as fast as the processor has it.
 */
#ifndef DUMP_SHA256_H
#define DUMP_SHA256_H

#include "dsfs_platform.h"

#define SHA256_BYTES	32

/**
 * struct sha256 - a sum that is being made; for one thread
 * @md: the library's
 */
struct sha256 {
	void *md;
};

/**
 * sha256_library_init - once, before the first sum and the first thread
 *
 * Return: 0, or -EOPNOTSUPP (said) where the library has no SHA-256.
 */
int sha256_library_init(void);

/** sha256_init - ready for a first byte.  Return: 0 or -ENOMEM. */
int sha256_init(struct sha256 *h);
void sha256_free(struct sha256 *h);

void sha256_put(struct sha256 *h, const void *data, size_t len);

/** sha256_put_zeros - so many bytes of zeros */
void sha256_put_zeros(struct sha256 *h, u64 len);

/** sha256_end - the sum; then it is ready for the first byte of another one */
void sha256_end(struct sha256 *h, u8 sum[SHA256_BYTES]);

#endif /* DUMP_SHA256_H */
