/* SPDX-License-Identifier: GPL-2.0 */
/* SHA-256, with the instructions of the processor. */
#ifndef SHA256_H
#define SHA256_H

#include "dsfs_platform.h"

#define SHA256_BYTES	32

/**
 * struct sha256 - a hash that is being computed, by one thread
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

/** sha256_put_zeros - add zeros */
void sha256_put_zeros(struct sha256 *h, u64 len);

/** sha256_end - finish the hash, and begin another one */
void sha256_end(struct sha256 *h, u8 sum[SHA256_BYTES]);

#endif /* SHA256_H */
