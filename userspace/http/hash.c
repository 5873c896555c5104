// SPDX-License-Identifier: GPL-2.0
/*
 * SHA-256 and HMAC in plain C: a signature hashes a few hundred bytes for each request.
 */
#include <string.h>

#include "hash.h"

#define BLOCK	64

/* Fractional parts of the cube roots of the first 64 primes */
static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/**
 * struct hash - state of a SHA-256
 * @block: the last @used bytes, less than a block
 * @bytes: all bytes so far
 */
struct hash {
	uint32_t state[8];
	uint8_t block[BLOCK];
	size_t used;
	uint64_t bytes;
};

static uint32_t ror(uint32_t v, int n)
{
	return v >> n | v << (32 - n);
}

static void schedule(const uint8_t *block, uint32_t w[64])
{
	uint32_t a, b;
	int i;

	for (i = 0; i < 16; i++, block += 4)
		w[i] = (uint32_t)block[0] << 24 | block[1] << 16 | block[2] << 8 | block[3];
	for (; i < 64; i++) {
		a = ror(w[i - 15], 7) ^ ror(w[i - 15], 18) ^ w[i - 15] >> 3;
		b = ror(w[i - 2], 17) ^ ror(w[i - 2], 19) ^ w[i - 2] >> 10;
		w[i] = w[i - 16] + a + w[i - 7] + b;
	}
}

static void add_block(struct hash *h, const uint8_t *block)
{
	uint32_t w[64], s[8], t, u;
	int i;

	schedule(block, w);
	memcpy(s, h->state, sizeof(s));
	for (i = 0; i < 64; i++) {
		t = s[7] + (ror(s[4], 6) ^ ror(s[4], 11) ^ ror(s[4], 25)) +
		    ((s[4] & s[5]) ^ (~s[4] & s[6])) + constants[i] + w[i];
		u = (ror(s[0], 2) ^ ror(s[0], 13) ^ ror(s[0], 22)) +
		    ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += t;
		s[0] = t + u;
	}
	for (i = 0; i < 8; i++)
		h->state[i] += s[i];
}

static void begin(struct hash *h)
{
	/* Fractional parts of the square roots of the first 8 primes */
	static const uint32_t first[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};

	*h = (struct hash){ };
	memcpy(h->state, first, sizeof(first));
}

static void put(struct hash *h, const void *data, size_t len)
{
	const uint8_t *from = data;
	size_t n;

	for (h->bytes += len; len; len -= n, from += n) {
		n = BLOCK - h->used < len ? BLOCK - h->used : len;
		memcpy(h->block + h->used, from, n);
		h->used += n;
		if (h->used == BLOCK) {
			add_block(h, h->block);
			h->used = 0;
		}
	}
}

static void end(struct hash *h, uint8_t sum[HASH_BYTES])
{
	static const uint8_t padding[BLOCK] = { 0x80 };
	const uint64_t bits = h->bytes * 8;
	uint8_t length[8];
	int i;

	for (i = 0; i < 8; i++)
		length[i] = bits >> (56 - 8 * i);
	put(h, padding, (h->used < 56 ? 56 : 120) - h->used);
	put(h, length, sizeof(length));
	for (i = 0; i < HASH_BYTES; i++)
		sum[i] = h->state[i / 4] >> (24 - 8 * (i % 4));
}

void hash_sha256(const void *data, size_t len, uint8_t sum[HASH_BYTES])
{
	struct hash h;

	begin(&h);
	put(&h, data, len);
	end(&h, sum);
}

static void keyed(const uint8_t key[BLOCK], uint8_t with, const void *data, size_t len,
		  uint8_t sum[HASH_BYTES])
{
	uint8_t pad[BLOCK];
	struct hash h;

	for (int i = 0; i < BLOCK; i++)
		pad[i] = key[i] ^ with;
	begin(&h);
	put(&h, pad, sizeof(pad));
	put(&h, data, len);
	end(&h, sum);
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
	static const char digits[] = "0123456789abcdef";

	for (int i = 0; i < HASH_BYTES; i++) {
		text[2 * i] = digits[sum[i] >> 4];
		text[2 * i + 1] = digits[sum[i] & 15];
	}
	text[2 * HASH_BYTES] = '\0';
}
