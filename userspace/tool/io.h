/* SPDX-License-Identifier: GPL-2.0 */
/* Reading and writing of whole ranges, whatever interrupts a call or makes it shorter. */
#ifndef DSFS_IO_H
#define DSFS_IO_H

#include "dsfs_platform.h"

/*
 * Both return how many bytes were read or written.  If these are not all, errno says why; 0: the
 * file ends there.
 */
size_t io_pread(int fd, void *p, size_t bytes, u64 pos);
size_t io_pwrite(int fd, const void *p, size_t bytes, u64 pos);

/** io_fwrite - write bytes to a stream; without @data zeros.  Return: 0, or -errno. */
int io_fwrite(FILE *out, const void *data, u64 bytes);

#endif /* DSFS_IO_H */
