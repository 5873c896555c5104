/* SPDX-License-Identifier: GPL-2.0 */
/* A part: an image in a range of a file or a device, which has other parts, too. */
#ifndef DSFS_PART_H
#define DSFS_PART_H

#include "image.h"

/**
 * part_parse - the name of a part of a file or a device: "TARGET@OFFSET" or "TARGET@OFFSET+SIZE"
 * @start: set to where it begins
 * @room: set to the bytes that it may have; 0: the name does not say
 *
 * Of a file that there is, the whole name is that of the file.
 *
 * Return: length of TARGET; 0: it is no such name, and nothing is set.
 */
size_t part_parse(const char *name, u64 *start, u64 *room);

/*
 * part_number - take decimal digits, and maybe a letter K to P; UINT64_MAX: more than 64 bits hold
 *
 * Return: whether there are any.
 */
bool part_number(const char **at, u64 *n);

/**
 * part_open - open the reader of a path, be it a part or not
 * @img: gets @reader, @start and @bytes
 * @what: as of reader_file()
 *
 * Return: 0 or a negative errno.
 */
int part_open(const char *path, struct image *img, const char **what);

#endif /* DSFS_PART_H */
