// SPDX-License-Identifier: GPL-2.0
/*
 * Checksums of metadata, from the blocks up to the superblock.  What they cover
 * may be broken in any way, so nothing is decoded here.
 */
#include "fields.h"
#include "sums.h"

void sums_blocks(u8 *image, const struct sums_area *area)
{
	const u64 blocks = area->meta_bytes >> DSFS_BLOCK_BITS;
	u64 pos = area->meta_start, i;

	for (i = 0; i < blocks && 4 * i + 4 <= area->bytes; i++) {
		if (pos + DSFS_BLOCK_SIZE <= area->pos ||
		    pos >= area->pos + area->bytes)
			field_put(image + area->pos + 4 * i, 4,
				  dsfs_crc32c(0, image + pos, DSFS_BLOCK_SIZE));
		pos += DSFS_BLOCK_SIZE;
	}
}

void sums_sums(u8 *image, const struct sums_area *area)
{
	const u64 bytes = (area->bytes + DSFS_BLOCK_SIZE - 1) & ~(DSFS_BLOCK_SIZE - 1ULL);
	const u32 sum = dsfs_crc32c(0, image + area->pos, bytes);

	for (int slot = 0; slot < DSFS_SB_SLOTS; slot++)
		field_put(image + DSFS_SB_POS(slot) + offsetof(struct dsfs_super, sums_checksum),
			  4, sum);
}

void sums_super(u8 *image, int slot)
{
	u8 *raw = image + DSFS_SB_POS(slot);
	struct dsfs_super copy;

	memcpy(&copy, raw, sizeof(copy));
	field_put(raw + offsetof(struct dsfs_super, checksum), 4,
		  dsfs_super_sum(&copy));
}
