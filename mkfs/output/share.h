/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Blocks that two files share.  A header of its own, because <linux/fs.h> and <sys/uio.h>
 * define the same names.
 */
#ifndef MKFS_SHARE_H
#define MKFS_SHARE_H

#include <stdbool.h>

#include "dsfs_platform.h"

/*
 * Let [@pos, @pos + @bytes) of @to share the blocks of @from, a file of @bytes.  Return:
 * whether the file system could.
 */
bool share_blocks(int to, u64 pos, int from, u64 bytes);

#endif /* MKFS_SHARE_H */
