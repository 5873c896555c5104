// SPDX-License-Identifier: GPL-2.0
/*
 * Synchronous reads of the block device, past its page cache: superblocks and blocks of
 * metadata.
 */
#include "internal.h"

#include <linux/mm.h>

/**
 * dsfs_bdev_read - read from the device and wait
 * @sb: the mount
 * @pos: byte offset, a multiple of the logical block size
 * @p: destination, in one page of low memory
 * @len: bytes, a multiple of the logical block size, at most PAGE_SIZE
 *
 * Return: 0, or -EIO for any error of the device.
 */
int dsfs_bdev_read(struct super_block *sb, u64 pos, void *p, unsigned int len)
{
	struct bio_vec vec;
	struct bio bio;
	int ret;

	bio_init(&bio, sb->s_bdev, &vec, 1, REQ_OP_READ | REQ_META);
	bio.bi_iter.bi_sector = pos >> SECTOR_SHIFT;
	__bio_add_page(&bio, virt_to_page(p), len, offset_in_page(p));
	ret = submit_bio_wait(&bio);
	bio_uninit(&bio);
	return ret ? -EIO : 0;
}
