/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mkcorrupt: what its parts share.
 */
#ifndef CORRUPT_H
#define CORRUPT_H

#include "fields.h"

/**
 * struct dsfs_source - an image in memory
 * @good: as it was read: where things are is looked up here
 * @bad: what is changed and written
 * @len: bytes of both; @out of them are written
 */
struct dsfs_source {
	u8 *good;
	u8 *bad;
	u64 len;
	u64 out;
	struct dsfs_geo geo;
};

/* When a statement is done: what comes later sees checksums made earlier. */
enum phase {
	PHASE_CONTENT,
	PHASE_BLOCKSUMS,	/* behind the checksums of blocks */
	PHASE_SUPER,		/* behind the checksums of regions */
	PHASE_RAW,		/* behind all checksums */
};

/**
 * place_find - what a statement is about
 * @src: the image
 * @words: kind and arguments
 * @n: how many words there are
 * @place: filled in
 * @phase: filled in
 *
 * Dies with a message if there is no such thing.
 *
 * Return: words used.
 */
int place_find(struct dsfs_source *src, char **words, int n,
	       struct place *place, enum phase *phase);

/* Print what is wrong with the statement being done, and exit. */
void __attribute__((__noreturn__)) __printf(1, 2) die(const char *fmt, ...);

/* A part of a region, or no return */
struct place in_region(struct dsfs_source *src, enum dsfs_region_id id, u64 off, u64 bytes,
		       const struct field *fields);

/* The inode number that a name stands for, a hard-link entry's own one */
u32 find_ino(struct dsfs_source *src, const char *path);

/* rows.c: the column of a field of an inode gets room for any value; before anything is changed */
void row_widen(struct dsfs_source *src, u32 ino, const char *field);
struct place place_rows(struct dsfs_source *src, u32 ino);
/* The fields of an inode for which row_widen() made room */
struct place place_row(struct dsfs_source *src, u32 ino);

/* Region by its name; -1 for none. */
int region_id(const char *name);

#endif /* CORRUPT_H */
