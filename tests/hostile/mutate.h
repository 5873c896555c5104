/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mutations of DSFS images that know the format: what a fuzzer of bytes would
 * need ages for, since nearly every byte is under a checksum.
 *
 * Both functions take any bytes, and end whatever is in them.
 */
#ifndef HOSTILE_MUTATE_H
#define HOSTILE_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DSFS_MUTATION_TEXT	1024

/**
 * struct dsfs_mutation - what a mutation did
 * @changes: how many; 0 if the image is too short for one
 * @data_sums: checksums of data were made right again too
 * @raw: something was changed behind the last checksum
 * @text: a line a change, cut off where it is full
 */
struct dsfs_mutation {
	unsigned int changes;
	bool data_sums;
	bool raw;
	char text[DSFS_MUTATION_TEXT];
};

/**
 * dsfs_mutate - change an image a little, and make its checksums right again
 * @image: @max bytes of memory, of which @size are the image
 * @size: bytes of the image
 * @max: bytes that it may grow to
 * @seed: the same one does the same to the same image
 * @what: filled in; may be NULL
 *
 * One to four changes: of fields, to values at bounds, by one, of a bit, to
 * what a neighbour has, to the number of another structure; swaps, copies and
 * zeros of records and blocks; types of inodes with their names; data of files
 * up to the end of the data area; the length of the image.  Checksums of data
 * follow one change in two, and one in sixteen comes behind all checksums.
 *
 * Return: bytes of the image now.
 */
size_t dsfs_mutate(void *image, size_t size, size_t max, uint64_t seed,
		   struct dsfs_mutation *what);

/**
 * dsfs_fix_checksums - make all checksums right that can be
 * @data: those of data too
 *
 * dsfs_mutate() has done so; this is for what changes images in other ways.
 */
void dsfs_fix_checksums(void *image, size_t size, bool data);

#endif /* HOSTILE_MUTATE_H */
