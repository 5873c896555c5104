/* SPDX-License-Identifier: GPL-2.0 */
/* Contents of files, as directories and manifests read them. */
#ifndef MKFS_FILE_H
#define MKFS_FILE_H

#include <fcntl.h>

#include "source.h"

#define FILE_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

/**
 * struct file_input - the file that an input reads
 * @fd: descriptor; -1: none
 * @base: offset of the content in the file
 * @size, @check: size and file_check() when the file was listed
 * @holes: the file has holes, which next_data() finds; valid once @asked is set
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

/* A hash of identity, type, size and ctime, which detects another or a changed file. */
u32 file_check(const struct stat *st);

/**
 * file_same - whether a file is still the one that it was
 * @check: file_check() of it then
 * @st: of it now
 * @dirfd, @path, @flags: where, as for file_stat(): where numbers of inodes are not kept they do
 *	not count
 */
bool file_same(u32 check, const struct stat *st, int dirfd, const char *path, int flags);

/*
 * Open a file for reading.  Its access time is left alone if this process may do that.
 * Return: the descriptor or -errno.
 */
int file_open_read(int dirfd, const char *name, int flags);

/**
 * file_stat - get attributes as the file server has them now, not as they are cached here
 * @flags: AT_SYMLINK_NOFOLLOW or AT_EMPTY_PATH
 * @st: gets what file_check() goes by, the owner and the time of modification
 *
 * Return: 0 or -errno.
 */
int file_stat(int dirfd, const char *path, int flags, struct stat *st);

/* Of struct source_ops */
bool file_read(struct input *in, char *p, size_t bytes, u64 pos);
u64 file_next_data(struct input *in, u64 *pos);
bool file_unchanged(struct input *in);

/**
 * empty_check - check that a file of size 0 has no content
 * @follow: @path may be a symlink
 * @err: set with a message: -errno or 0
 *
 * Return: NULL, or a message why the file cannot be packed.
 */
const char *empty_check(const struct source *src, int dirfd, const char *path,
			bool follow, const struct stat *st, int *err);

#endif /* MKFS_FILE_H */
