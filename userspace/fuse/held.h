/* SPDX-License-Identifier: GPL-2.0 */
/* Held files: open ones, some with their contents in memory. */
#ifndef DSFS_FUSE_HELD_H
#define DSFS_FUSE_HELD_H

#include "fuse.h"
#include "reader.h"

struct held;

/**
 * struct held_wait - a request for a part of a held file
 * @next: that waits for the same file
 * @pos: offset in the file; @len: bytes, all in the file
 */
struct held_wait {
	struct held_wait *next;
	fuse_req_t req;
	u64 pos;
	u64 len;
};

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
 * held_read - read a held file as a whole
 * @wait: a request for a part of it, which the caller allocated
 *
 * The first thread that asks reads the file.  One that asks meanwhile leaves its request to the
 * first, and goes on to other requests: to wake it up would cost more than the answer.
 *
 * Return: the requests that the caller is to answer, @wait the first, each with held_put();
 * NULL: another thread will answer.
 */
struct held_wait *held_read(struct held_files *files, struct held *h, struct held_wait *wait);

/**
 * held_data - all bytes of a file after held_read()
 * Return: valid up to held_put(); NULL if the memory is taken or some of it cannot be read.
 */
const u8 *held_data(const struct held *h);

/**
 * held_put - give a held file back
 * @handed: bytes of held_data() that a reader got
 *
 * When all bytes were handed out the kernel has them, and the memory is freed.
 */
void held_put(struct held_files *files, struct held *h, u64 handed);

/** buffer_get - memory of at least @size bytes, aligned for reads past the page cache, or NULL */
static inline void *buffer_get(size_t size)
{
	return aligned_alloc(READ_ALIGN, (size / READ_ALIGN + 1) * READ_ALIGN);
}

#endif /* DSFS_FUSE_HELD_H */
