// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks that two files share, on XFS, Btrfs and others: an archive in an image costs no
 * space where it stays a file as well.
 */
#include <linux/fs.h>
#include <sys/ioctl.h>

#include "dsfs_fs.h"
#include "share.h"

bool share_blocks(int to, u64 pos, int from, u64 bytes)
{
	struct file_clone_range range = { .src_fd = from, .dest_offset = pos };

	/* a length that is no multiple of a block is allowed as "up to the end" alone */
	if (!(bytes & (DSFS_BLOCK_SIZE - 1)))
		range.src_length = bytes;
	return !ioctl(to, FICLONERANGE, &range);
}
