/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A directory as a source: declarations for its source files.
 */
#ifndef MKFS_DIRECTORY_H
#define MKFS_DIRECTORY_H

#include "dirfd.h"
#include "../source.h"

/**
 * struct directory - a directory tree
 * @pattern_used: for each --exclude, whether it has matched
 */
struct directory {
	struct source src;
	struct dirfd_cache dirs;
	bool *pattern_used;
};

/* Of struct source_ops: scan.c, directory_input.c and recheck.c */
int scan_tree(struct source *src);
struct input *directory_input_new(struct source *src);
void directory_input_free(struct input *in);
bool directory_open(struct input *in, struct dir *dir, struct node *n);
void directory_close(struct input *in);
int directory_recheck(struct source *src);

#endif /* MKFS_DIRECTORY_H */
