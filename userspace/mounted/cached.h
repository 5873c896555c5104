/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file and the page cache.
 */
#ifndef DSFS_CACHED_H
#define DSFS_CACHED_H

#include "dsfs_platform.h"

/**
 * cached_bytes - number of bytes of a range that are in memory
 * @fd: a regular file, open for reading
 * @size: of the file
 * @pos: a multiple of the page size
 * @len: up to the end of the file
 *
 * Does not read.
 *
 * Return: bytes, or -1 where the kernel does not say it to this user.
 */
s64 cached_bytes(int fd, u64 size, u64 pos, u64 len);

/** cached_open - open a file for that, without a new access time if possible */
int cached_open(const char *path);

/**
 * cached_bring - bring a range into the page cache
 * @null: /dev/null for writing, or -1
 *
 * Return: 0, also if the file has become shorter, or a negative errno.
 */
int cached_bring(int null, int fd, u64 pos, u64 len);

#endif /* DSFS_CACHED_H */
