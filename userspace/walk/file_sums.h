/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checksums of files: several threads compute them, the caller gets them in the order
 * of a walk.
 */
#ifndef FILE_SUMS_H
#define FILE_SUMS_H

#include "walk.h"
#include "sha256.h"

#define SUMS_THREADS_MAX	256

/**
 * struct sums_object - an object of the walk, and the sum of its contents
 * @path: from the root
 * @first: the path it was met by first, if this is a hard-link entry; else NULL
 * @sum: of a regular file
 * @ret: 0, or why there is no @sum: a negative errno, and @err
 */
struct sums_object {
	const char *path;
	const char *first;
	struct image_node node;
	u8 sum[SHA256_BYTES];
	int ret;
	struct dsfs_err err;
};

/**
 * sums_walk - sum every file
 * @threads: 1 to SUMS_THREADS_MAX, this one counted; fewer do, too
 * @fn: called for each object in the order of view_walk(), by this thread; negative:
 *	stop
 *
 * Objects that cannot be read are reported and left out.
 *
 * Return: 0, -ENOMEM, -ECANCELED: it was asked to stop (stop.h), or what @fn returned.
 */
int sums_walk(struct view *v, unsigned int threads,
	      int (*fn)(void *arg, const struct sums_object *o), void *arg);

#endif /* FILE_SUMS_H */
