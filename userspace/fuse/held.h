/* SPDX-License-Identifier: GPL-2.0 */
/* Files that are being read: open, and some as a whole in memory. */
#ifndef DSFS_FUSE_HELD_H
#define DSFS_FUSE_HELD_H

#include "fuse.h"

struct held;

/**
 * held_new - room for files
 * @bytes: of memory that whole files may take together
 * Return: NULL without memory.
 */
struct held_files *held_new(u64 bytes);
void held_free(struct held_files *files);

/**
 * held_find - a file that is held
 * Return: it, to be given back with held_put(); NULL if it is not held.
 */
struct held *held_find(struct held_files *files, u64 ino);

/**
 * held_add - hold a file
 * @file: open; belongs to the held file from now on, or is closed if there is one already
 *
 * Return: to be given back with held_put(); NULL without memory, and @file is closed.
 */
struct held *held_add(struct held_files *files, u64 ino, struct dsfs_file *file);

/** held_file - for reading parts of it */
struct dsfs_file *held_file(const struct held *h);

/**
 * held_data - all bytes of a held file
 * @fresh: gets whether this call read them
 *
 * The first that asks reads the file, others wait for it.
 *
 * Return: valid up to held_put(); NULL if the memory is taken or some of it cannot be read.
 */
const u8 *held_data(struct held_files *files, struct held *h, bool *fresh);

/**
 * held_put - give a held file back
 * @handed: bytes of held_data() that a reader got
 *
 * When all bytes were handed out the kernel has them, and the memory is freed.
 */
void held_put(struct held_files *files, struct held *h, u64 handed);

#endif /* DSFS_FUSE_HELD_H */
