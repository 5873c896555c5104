/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compression of large files, whose units are tasks of a pool.
 */
#ifndef MKFS_PACK_LARGE_H
#define MKFS_PACK_LARGE_H

#include "array.h"
#include "pack.h"
#include "pool.h"

/* Units of a file that are compressed at once, or wait for it; at least those of a sample */
#define PACK_SLOTS	16

/**
 * struct pack_slot - a unit on its way
 * @unit: @bytes bytes; @own: room for them, as the caller's memory is reused
 * @frame: @len bytes: in @out, or the unit itself
 * @done: it was compressed; @failed: there was no memory for that
 */
struct pack_slot {
	struct pool_task task;
	const char *unit;
	char *own;
	u32 bytes;
	const char *frame;
	char *out;
	u32 len;
	bool done;
	bool failed;
};

/**
 * struct pack_large - a large file on its way through units; one after the other
 * @emit: receives the frames in order
 * @slots: unit n is in slot n % PACK_SLOTS; @memory: of all of them
 * @put, @taken: units that were given to the pool, and whose frames are stored or given up
 * @held: bytes of the unit that is being filled
 * @known: bytes the file begins with that are compressed already
 * @stored: bytes of frames so far
 * @ends: u32, of frames
 */
struct pack_large {
	struct pool *pool;
	struct packer *packer;
	int (*emit)(void *ctx, const char *p, u64 bytes);
	void *ctx;
	struct pack_slot slots[PACK_SLOTS];
	char *memory;
	u64 put;
	u64 taken;
	u32 held;
	u32 known;
	u64 stored;
	struct array ends;
};

/* @packer: of the thread that calls the functions below */
void pack_large_init(struct pack_large *l, struct pool *pool, struct packer *packer);
void pack_large_free(struct pack_large *l);

/**
 * pack_large_begin - compress the sample that a file begins with, if that pays
 * @sample: in memory; all of the content passes to pack_large_data() nevertheless
 *
 * Return: 1: it does, and the file is compressed; 0; -ENOMEM, or the error of @emit.
 */
int pack_large_begin(struct pack_large *l, u64 size, const char *sample,
		     int (*emit)(void *ctx, const char *p, u64 bytes), void *ctx);
/* Pass content; @p NULL: zeros.  Return: 0, -ENOMEM, or the error of @emit. */
int pack_large_data(struct pack_large *l, const char *p, u64 bytes);
/* All has passed: the item gets the ends of frames. */
int pack_large_end(struct pack_large *l, struct item *it);
/* Whatever has become of the file, nobody works on it any more. */
void pack_large_cancel(struct pack_large *l);

#endif /* MKFS_PACK_LARGE_H */
