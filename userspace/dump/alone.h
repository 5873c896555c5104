/* SPDX-License-Identifier: GPL-2.0 */
/*
 * --alone: the bytes of an image that one generation alone has.
 */
#ifndef DUMP_ALONE_H
#define DUMP_ALONE_H

#include "array.h"
#include "dump.h"

/**
 * struct alone - a generation
 * @bytes: its metadata, and the stored data that no other generation has
 */
struct alone {
	u64 generation;
	u64 bytes;
};

/**
 * alone_measure - measure all generations
 * @list: gets struct alone, the newest one first; to be freed with array_free()
 *
 * Reads the inodes of all generations.  If one cannot be read, which is said and counted as an
 * error, the list is empty.
 *
 * Return: 0 or -ENOMEM.
 */
int alone_measure(struct dump *d, struct array *list);

#endif /* DUMP_ALONE_H */
