/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a directory to a tree in memory.
 */
#ifndef MKFS_SCAN_H
#define MKFS_SCAN_H

#include <sys/stat.h>

#include "../options.h"
#include "../params.h"
#include "../tree/tree.h"
#include "xattr.h"
#include "dirfd.h"

/**
 * struct source - what a scan fills in, and streaming reads from
 * @base: the image that gets a new generation, or is packed anew; NULL: none
 * @manifest: the tree comes from a list; NULL: from a directory
 * @threads: as many of those asked for as there are descriptors for
 * @start, @data_start: where what is written begins, and where all data does
 * @pattern_used: for each --exclude, whether it has matched something
 * @image_dev, @image_ino: what must not be packed into itself; 0: nothing
 * @skipped: objects left out by --skip-unreadable
 * @clamped: times that did not fit
 */
struct source {
	const struct options *o;
	struct params params;
	unsigned int threads;
	struct tree tree;
	struct dirfd_cache dirs;
	struct manifest *manifest;
	struct base *base;
	bool *pattern_used;
	u64 start;
	u64 data_start;
	u64 image_dev;
	u64 image_ino;
	u64 skipped;
	u64 clamped;
	u64 xattrs_ignored;
};

/**
 * scan_tree - read names and attributes of everything below the source
 *
 * Messages are written.  Return: 0 or -errno.
 */
int scan_tree(struct source *src);

/* Tells a file from another one and from itself changed. */
u32 scan_check(const struct stat *st);

/**
 * empty_check - whether a file that says that it is empty is so
 * @err: set to -errno or 0 if it is not
 *
 * Return: NULL, or why it cannot be packed.
 */
const char *empty_check(const struct source *src, int dirfd, const char *path,
			const struct stat *st, int *err);

/**
 * source_unreadable - say that something cannot be packed
 * @node: NULL for the directory itself
 * @why: "cannot open: ..."
 *
 * With --skip-unreadable a warning, and 0 is returned: leave it out and go on.
 */
int source_unreadable(struct source *src, const struct dir *dir,
		      const struct node *node, const char *why, int err);

int source_init(struct source *src, const struct options *o);
void source_free(struct source *src);

#endif /* MKFS_SCAN_H */
