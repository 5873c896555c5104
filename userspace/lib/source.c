// SPDX-License-Identifier: GPL-2.0
/*
 * Metadata by region and offset, for the decoders that the kernel shares.  Where a block
 * is kept, a cache or memory, is the source's business; what may be asked for is decided
 * here.
 */
#include "internal.h"

const struct dsfs_geo *dsfs_source_geo(const struct dsfs_source *src)
{
	return &src->geo;
}

int dsfs_meta_get(struct dsfs_source *src, enum dsfs_region_id region, u64 off,
		  size_t len, struct dsfs_mref *ref)
{
	const struct dsfs_region_info *r = &src->geo.regions[region];
	const u64 block = (r->pos + off - src->geo.meta_start) >> DSFS_BLOCK_BITS;
	const u64 in = off & (DSFS_BLOCK_SIZE - 1);
	int ret;

	if (!len || off > r->bytes || len > r->bytes - off ||
	    in + len > DSFS_BLOCK_SIZE)
		return -EUCLEAN;
	/* BLOCKSUMS has one checksum over all: image_region_sum() */
	ret = src->block(src, block, region != DSFS_REGION_BLOCKSUMS, ref);
	if (!ret)
		ref->p = (const u8 *)ref->p + in;
	return ret;
}
