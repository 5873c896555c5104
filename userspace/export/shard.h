/* SPDX-License-Identifier: GPL-2.0 */
/* A shard of a WebDataset: a tar archive of regular files, in a file of its own. */
#ifndef SHARD_H
#define SHARD_H

#include "walk.h"
#include "newfile.h"
#include "pax.h"

/* Bytes of the end of an archive */
#define SHARD_END_BYTES	(2ULL * PAX_BLOCK)

/**
 * struct shard - the shard that is written; all zero before the first one
 * @file: not open if @out is NULL
 * @buf: of @out
 * @scratch: gets headers to measure them, in memory: @scratch_text
 * @bytes: of its members so far
 * @written: bytes of the file that is being written
 */
struct shard {
	struct newfile file;
	FILE *out;
	char *buf;
	FILE *scratch;
	char *scratch_text;
	size_t scratch_len;
	struct pax_records records;
	u64 bytes;
	u64 written;
};

/**
 * shard_measure - bytes that a file takes in a shard
 * @path: without a slash in front
 *
 * Return: 0 or -ENOMEM.
 */
int shard_measure(struct shard *s, const char *path, const struct image_node *node, u64 *bytes);

/**
 * shard_open - begin a shard
 * @dir: where it is going to be; not copied
 *
 * Return: NULL, or the step that failed, with errno.
 */
const char *shard_open(struct shard *s, int dir);

/**
 * shard_put - add a file
 * @src: of the image
 * @err: filled in if the file cannot be read; nothing is in it if it cannot be written
 *
 * Return: 0 or a negative errno; shard_cut() then removes the part that was written.
 */
int shard_put(struct shard *s, struct dsfs_source *src, const char *path,
	      const struct image_node *node, struct dsfs_err *err);

/** shard_cut - take away all behind @bytes; Return: 0, or a negative errno */
int shard_cut(struct shard *s, u64 bytes);

/**
 * shard_publish - end the shard and give it its name, which must not exist
 *
 * Return: NULL, or the step that failed, with errno; nothing is left then.
 */
const char *shard_publish(struct shard *s, const char *name);

/** shard_free - free the memory, and drop a shard that has no name yet */
void shard_free(struct shard *s);

#endif /* SHARD_H */
