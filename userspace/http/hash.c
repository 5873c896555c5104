// SPDX-License-Identifier: GPL-2.0
/*
 * SHA-256 by libgcrypt, which is in a process of somebody else: so its initialization is begun and
 * not finished, as a program finishes it, which may want memory for secrets before.  What is called
 * allocates nothing, so it cannot fail.
 */
#include <gcrypt.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "hash.h"

#define BLOCK	64

static void begin(void)
{
	gcry_check_version(NULL);
}

static void hash_parts(const gcry_buffer_t *parts, int n, uint8_t sum[HASH_BYTES])
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, begin);
	gcry_md_hash_buffers(GCRY_MD_SHA256, 0, sum, parts, n);
}

void hash_sha256(const void *data, size_t len, uint8_t sum[HASH_BYTES])
{
	const gcry_buffer_t part = { .data = (void *)data, .len = len };

	hash_parts(&part, 1, sum);
}

static void keyed(const uint8_t key[BLOCK], uint8_t with, const void *data, size_t len,
		  uint8_t sum[HASH_BYTES])
{
	uint8_t pad[BLOCK];
	const gcry_buffer_t parts[] = {
		{ .data = pad, .len = BLOCK }, { .data = (void *)data, .len = len },
	};

	for (int i = 0; i < BLOCK; i++)
		pad[i] = key[i] ^ with;
	hash_parts(parts, 2, sum);
}

void hash_hmac(const void *key, size_t key_len, const void *data, size_t len,
	       uint8_t sum[HASH_BYTES])
{
	uint8_t block[BLOCK] = { }, inner[HASH_BYTES];

	if (key_len > BLOCK)
		hash_sha256(key, key_len, block);
	else
		memcpy(block, key, key_len);
	keyed(block, 0x36, data, len, inner);
	keyed(block, 0x5c, inner, sizeof(inner), sum);
}

void hash_hex(const uint8_t sum[HASH_BYTES], char text[HASH_HEX])
{
	for (int i = 0; i < HASH_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", sum[i]);
}

void hash_text(const void *data, size_t len, char text[HASH_HEX])
{
	uint8_t sum[HASH_BYTES];

	hash_sha256(data, len, sum);
	hash_hex(sum, text);
}
