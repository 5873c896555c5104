/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SHA-256 (FIPS 180-4) and HMAC (RFC 2104) of short texts: signatures of requests, names of
 * cache files, digests of manifests.
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

/** hash_text - the SHA-256 as hexadecimal digits */
void hash_text(const void *data, size_t len, char text[HASH_HEX]);

/** hash_hex - write a sum as hexadecimal digits */
void hash_hex(const uint8_t sum[HASH_BYTES], char text[HASH_HEX]);

#endif /* HTTP_HASH_H */
