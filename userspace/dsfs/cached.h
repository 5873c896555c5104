/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Number of bytes of a file in the page cache.
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

#endif /* DSFS_CACHED_H */
