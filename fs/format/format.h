/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code that the kernel module and the tools share, compiled once
 * for each.
 *
 * It decodes and checks untrusted bytes. The functions allocate nothing, take
 * no lock and keep no state, so they can be called from any context. They
 * return 0 or a negative errno, and fill in struct dsfs_err on failure. Those that read
 * from @src, a metadata source, pass on the errors of dsfs_meta_get(). The others are
 * - -EUCLEAN: a structure breaks a rule of format.rst
 * - -EINVAL: not this file system
 * - -EOPNOTSUPP: a format version or feature that this code does not know
 * - -EBADMSG: a wrong checksum
 * - -EFBIG: an image longer than its device
 *
 * Metadata is read by dsfs_meta_get(), which each platform implements: the
 * kernel over resident metadata and a page cache, the tools over the image
 * file, the unit tests over memory.
 */
#ifndef DSFS_FORMAT_H
#define DSFS_FORMAT_H

#include "data.h"
#include "dir.h"

#endif /* DSFS_FORMAT_H */
