/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is computed over a content, wherever its bytes come from: holes, checksums
 * and the hash that deduplication goes by.
 */
#ifndef MKFS_CONTENT_H
#define MKFS_CONTENT_H

#include "data.h"
#include "pack.h"
#include "ring.h"

/* holes.c: detection of the holes of a file */

/**
 * struct holes - a filter that the bytes of a file pass through
 * @emit: receives the stored bytes in order; NULL stands for zeros
 * @extents: struct dsfs_extent_record
 * @logical, @stored: offsets reached in file and stored data, without the last @zeros
 * @sparse: the file has a hole
 */
struct holes {
	int (*emit)(void *ctx, const char *p, u64 bytes);
	void *ctx;
	struct array extents;
	u64 logical;
	u64 stored;
	u64 zeros;
	bool sparse;
	bool open;
};

void holes_init(struct holes *h, int (*emit)(void *, const char *, u64), void *ctx);
void holes_free(struct holes *h);
/* Every piece but the last is a multiple of 4 KiB.  Return: 0 or the error of @emit. */
int holes_data(struct holes *h, const char *p, u64 bytes);
int holes_zeros(struct holes *h, u64 bytes);
int holes_end(struct holes *h);

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
 * struct file_sums - the checksums of a file whose stored bytes come in pieces
 * @bytes: so far; @whole: their checksum, while they are no more than a small file
 * @sum: of the chunks that a file of the size has that is known; @few: of those that it has if it
 *	turns out to store no more than 2^DSFS_LARGE_BITS: @nfew in @few_sums; without bits @sum is
 *	right for that, too
 */
struct file_sums {
	const struct content_rules *rules;
	u64 bytes;
	struct dsfs_datasum whole;
	struct chunk_sum sum;
	struct chunk_sum few;
	u32 nfew;
	u32 few_sums[PIECE_SUMS];
};

/* @size: of the file, which may store fewer bytes */
void file_sums_begin(struct file_sums *s, const struct content_rules *rules, u64 size);
/* Add stored bytes.  Return: how many sums of full chunks are in @out. */
u32 file_sums_add(struct file_sums *s, const char *p, u64 bytes, u32 *out);
/*
 * All bytes have passed.  @all: set if those in @out are all there are, instead of those before.
 * Return: their number.
 */
u32 file_sums_end(struct file_sums *s, u32 *out, bool *all);

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
 * @hash: of bytes; @sums: of the checksums of its chunks, which are in @of
 */
struct large {
	const struct content_rules *rules;
	struct ring *ring;
	struct job *job;
	struct holes holes;
	struct pack_large *pack;
	struct fill *piece;
	u64 hash;
	u64 sums;
	struct file_sums of;
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
