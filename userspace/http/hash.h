/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SHA-256 (FIPS 180-4) and HMAC (RFC 2104) of short texts: what signs a request, names a file of
 * the cache, and tells a manifest.  Digests of data sets are libgcrypt's (userspace/digest), which
 * has the processor's instructions for it: that is several times as fast over terabytes, and
 * here, over some hundred bytes, no difference.  libdsfs does not link it: a program of others
 * that uses libgcrypt has to initialise it first, and a library in the same process must not
 * do so behind its back.
 */
#ifndef HTTP_HASH_H
#define HTTP_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_BYTES	32
#define HASH_HEX	(2 * HASH_BYTES + 1)	/* as text, terminated */

/** hash_sha256 - the SHA-256 of @len bytes */
void hash_sha256(const void *data, size_t len, uint8_t sum[HASH_BYTES]);

/** hash_hmac - the HMAC-SHA-256 of @len bytes; @sum may be @key */
void hash_hmac(const void *key, size_t key_len, const void *data, size_t len,
	       uint8_t sum[HASH_BYTES]);

/** hash_hex - a sum as text */
void hash_hex(const uint8_t sum[HASH_BYTES], char text[HASH_HEX]);

#endif /* HTTP_HASH_H */
