/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contents that come from files: what directories and manifests share.
 */
#ifndef MKFS_FILE_H
#define MKFS_FILE_H

#include <fcntl.h>
#include <sys/stat.h>

#include "source.h"

#define FILE_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

/**
 * struct file_input - the file that an input reads from
 * @fd: -1: none is open
 * @base: where in it the content begins
 * @size, @check: what it was when it was listed
 * @holes: it has holes that next_data() asks for, once @asked
 */
struct file_input {
	struct input in;
	int fd;
	u64 base;
	u64 size;
	u32 check;
	bool asked;
	bool holes;
};

/* A number that tells a file from another one and from itself changed. */
u32 file_check(const struct stat *st);

/* Of struct source_ops */
bool file_read(struct input *in, char *p, size_t bytes, u64 pos);
u64 file_next_data(struct input *in, u64 *pos);
bool file_unchanged(struct input *in);

/**
 * empty_check - whether a file that says that it is empty is so
 * @follow: @path may be a symlink
 * @err: set to -errno or 0 if it is not
 *
 * Return: NULL, or why it cannot be packed.
 */
const char *empty_check(const struct options *o, int dirfd, const char *path,
			bool follow, const struct stat *st, int *err);

#endif /* MKFS_FILE_H */
