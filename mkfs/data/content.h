/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is computed over a content, wherever its bytes come from: holes, checksums
 * and the hash that deduplication goes by.
 */
#ifndef MKFS_CONTENT_H
#define MKFS_CONTENT_H

#include "holes.h"
#include "pack_large.h"
#include "ring.h"

/**
 * struct content_rules - what is computed over contents
 * @chunk_bits: log2 of the bytes that a checksum covers; 0: no checksums
 * @small_bits: log2 of the bytes up to which a file has one checksum
 * @large_bits: as @chunk_bits, of a file that stores more than 2^DSFS_LARGE_BITS bytes
 * @pack: how they are compressed
 * @hash_all: contents are hashed byte by byte: for a derived UUID, or without checksums
 */
struct content_rules {
	unsigned int chunk_bits;
	unsigned int small_bits;
	unsigned int large_bits;
	struct pack_rules pack;
	bool hash_all;
};

/**
 * struct chunk_sum - the checksum of a chunk whose bytes come in pieces
 * @bits: log2 of the bytes of a chunk; 0: there are no checksums
 * @left: bytes that are missing
 */
struct chunk_sum {
	struct dsfs_datasum sum;
	u64 left;
	unsigned int bits;
};

static inline void chunk_sum_begin(struct chunk_sum *c, unsigned int bits)
{
	c->bits = bits;
	c->left = 1ULL << bits;
	dsfs_datasum_begin(&c->sum);
}

/* Add bytes up to the end of the chunk.  Return: how many those are. */
static inline u64 chunk_sum_add(struct chunk_sum *c, const char *p, u64 bytes)
{
	const u64 n = bytes < c->left ? bytes : c->left;

	dsfs_datasum_add(&c->sum, p, n);
	c->left -= n;
	return n;
}

/* The checksum of a chunk, full or the last one of its file; the next one begins. */
static inline u32 chunk_sum_end(struct chunk_sum *c)
{
	const u32 sum = dsfs_datasum_end(&c->sum);

	chunk_sum_begin(c, c->bits);
	return sum;
}

/**
 * chunk_sums_begin - the checksums of a file of @size bytes, which may store fewer
 * @few: those that it has if it turns out to store no more than 2^DSFS_LARGE_BITS;
 *	none: the others are right for that, too
 */
static inline void chunk_sums_begin(const struct content_rules *rules, u64 size,
				    struct chunk_sum *sum, struct chunk_sum *few)
{
	const bool large = size > 1ULL << DSFS_LARGE_BITS;

	chunk_sum_begin(sum, large ? rules->large_bits : rules->chunk_bits);
	chunk_sum_begin(few, sum->bits == rules->chunk_bits ? 0 : rules->chunk_bits);
}

/* Say in the item what is wrong with its file. */
static inline void content_bad(struct item *it, const char *why, int err)
{
	it->why = why;
	it->err = err;
}

/**
 * content_small - a file all of whose bytes are in the job's buffer
 * @packer: compresses it, if that pays; NULL: it stays as it is
 *
 * Holes of a file that is not compressed are taken out of the buffer.  No memory for that: the
 * item says so.
 */
void content_small(const struct content_rules *rules, struct packer *packer, struct job *job,
		   struct item *it);

/**
 * struct large - a large file on its way through the pieces of its job
 * @holes: gets the content, in order; what it stores goes into @piece
 * @pack: gets it instead; NULL: it is not compressed
 * @hash: of bytes; @sums: of the checksums of its chunks
 * @stored: bytes so far; @whole: their checksum, while they are no more than a small file
 * @few_sums: the @nfew checksums by @few, while those bytes are no more than 2^DSFS_LARGE_BITS
 */
struct large {
	const struct content_rules *rules;
	struct ring *ring;
	struct job *job;
	struct holes holes;
	struct pack_large *pack;
	struct piece *piece;
	u64 hash;
	u64 sums;
	u64 stored;
	struct dsfs_datasum whole;
	struct chunk_sum sum;
	struct chunk_sum few;
	u32 nfew;
	u32 few_sums[PIECE_SUMS];
};

/* Return: whether there is a piece; else it is the end of the run. */
bool large_begin(struct large *l, const struct content_rules *rules, struct ring *ring,
		 struct job *job);
/*
 * Compress the content if that pays, by the @sample that its @size bytes begin with; none of it has
 * passed, and all will.  0 or -errno
 */
int large_pack(struct large *l, struct pack_large *pack, u64 size, const char *sample);
/* Pass content, as to struct holes; NULL: zeros. */
int large_data(void *large, const char *p, u64 bytes);
/* All of the content has passed: the item gets what was computed.  0 or -errno */
int large_finish(struct large *l, struct item *it);
/* Whatever has become of it, the writer gets the last piece. */
void large_end(struct large *l);

#endif /* MKFS_CONTENT_H */
