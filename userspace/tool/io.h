/* SPDX-License-Identifier: GPL-2.0 */
/* Reading and writing of whole ranges, whatever interrupts a call or makes it shorter. */
#ifndef DSFS_IO_H
#define DSFS_IO_H

#include <stddef.h>

#include "dsfs_platform.h"

/*
 * Both return how many bytes were read or written.  If these are not all, errno says why; 0: the
 * file ends there.
 */
size_t io_pread(int fd, void *p, size_t bytes, u64 pos);
size_t io_pwrite(int fd, const void *p, size_t bytes, u64 pos);

#endif /* DSFS_IO_H */
