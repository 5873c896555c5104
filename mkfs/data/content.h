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
 * @pack: how they are compressed
 * @hash_all: contents are hashed byte by byte: for a derived UUID, or without checksums
 */
struct content_rules {
	unsigned int chunk_bits;
	unsigned int small_bits;
	struct pack_rules pack;
	bool hash_all;
};

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
 * @sum: of the current chunk, which @chunk_left bytes are missing from
 * @stored: bytes so far; @whole: their checksum, while they are no more than a small file
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
	u64 chunk_left;
	u64 stored;
	struct dsfs_datasum sum;
	struct dsfs_datasum whole;
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
