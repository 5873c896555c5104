/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compression of contents, unit by unit.
 */
#ifndef MKFS_PACK_H
#define MKFS_PACK_H

#include "../options/options.h"
#include "ring.h"

/* Content that decides whether a file is compressed: all of it, or what it begins with. */
#define PACK_SAMPLE	1048576
/* A file of this length or more is not compressed: a record has 32 bits for what is stored. */
#define PACK_LIMIT	0x100000000ULL

/* Whether a file may be compressed, by its size. */
bool pack_fits(const struct pack_rules *rules, u64 size);
/*
 * Whether a file may be compressed, by all but its content.  @dir: it lies there
 */
bool pack_wanted(const struct pack_rules *rules, const struct tree *t, const struct dir *dir,
		 const struct node *n);

/* Version of the library of a codec, as the superblock has it; 0: this build does not have it. */
u32 pack_version(u8 codec);

/* What a thread needs to compress; NULL: out of memory. */
struct packer *packer_new(const struct pack_rules *rules);
void packer_free(struct packer *p);

/* Whether a codec got no memory once: what the calls below said then is of no use. */
bool packer_failed(const struct packer *p);

/**
 * pack_unit - compress a unit
 * @unit: @bytes bytes
 * @frame: set to the frame: memory of the packer, up to the next call, or @unit itself
 *
 * Return: the length of the frame.
 */
u32 pack_unit(struct packer *p, const char *unit, u32 bytes, const char **frame);

/* Bytes of the sample that a file of @size bytes begins with */
static inline u32 pack_sampled(u64 size)
{
	return size < PACK_SAMPLE ? size : PACK_SAMPLE;
}

/* What contents store if they are not compressed: all but their holes */
u32 pack_plain(const char *sample, u32 bytes);

/* What frames of a sample may have at most, so that they pay */
u32 pack_most(const char *sample, u32 bytes);

/* Whether a quick test, which JPEGs and archives do not pass, finds something to save. */
bool pack_quick(struct packer *p, const char *sample, u32 bytes);

/* What the sample that a file of @size bytes begins with gets smaller to; 0: not by enough. */
u32 pack_pays(struct packer *p, u64 size, const char *sample);

/**
 * pack_small - compress a file all of whose bytes are in a buffer, if that pays
 * @buf: it->node->size bytes; they become the frames
 *
 * Return: 1: it was; 0; -ENOMEM.
 */
int pack_small(struct packer *p, struct item *it, char *buf);

/* pack_large.c: large files, whose units are tasks of threads that compress */

/* Units of a file that are compressed at once, or wait for it; at least those of a sample */
#define PACK_SLOTS	16

/**
 * struct pack_slot - a unit on its way
 * @unit: @bytes bytes; @own: room for them, as the caller's memory is reused
 * @frame: @len bytes: in @out, or the unit itself
 * @failed: there was no memory to compress it
 */
struct pack_slot {
	struct work_task task;
	const char *unit;
	char *own;
	u32 bytes;
	const char *frame;
	char *out;
	u32 len;
	bool failed;
};

/**
 * struct pack_large - a large file on its way through units; one after the other
 * @line: of units that threads which compress make frames of
 * @emit: receives the frames in order
 * @slots: unit n is in slot n % PACK_SLOTS, and @put were given to the line; @memory: of all slots
 * @held: bytes of the unit that is being filled
 * @known: bytes the file begins with that are compressed already
 * @stored: bytes of frames so far
 * @ends: u32, of frames
 */
struct pack_large {
	struct work_line line;
	struct packer *packer;
	int (*emit)(void *ctx, const char *p, u64 bytes);
	void *ctx;
	struct pack_slot slots[PACK_SLOTS];
	char *memory;
	u64 put;
	u32 held;
	u32 known;
	u64 stored;
	struct array ends;
};

/* @pool: threads with packers; @packer: of the thread that calls the functions below */
void pack_large_init(struct pack_large *l, struct work *pool, struct packer *packer);
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

#endif /* MKFS_PACK_H */
