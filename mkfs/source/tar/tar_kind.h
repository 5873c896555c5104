/* SPDX-License-Identifier: GPL-2.0 */
/* What a file begins with. */
#ifndef MKFS_TAR_KIND_H
#define MKFS_TAR_KIND_H

#include <stddef.h>

/* How a file is decompressed; TAR_PLAIN: it is not */
enum tar_codec { TAR_PLAIN, TAR_GZIP, TAR_BZIP2, TAR_XZ, TAR_ZSTD, TAR_LZ4, TAR_LZIP };

/* The kind of file that begins with these bytes.  NULL: not known. */
const char *tar_kind(const void *p, size_t n, enum tar_codec *codec);

#endif /* MKFS_TAR_KIND_H */
