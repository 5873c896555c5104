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

#endif /* MKFS_PACK_H */
