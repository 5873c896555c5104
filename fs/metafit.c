// SPDX-License-Identifier: GPL-2.0
/*
 * Which metadata is resident: all of it, or what a budget has room for.
 *
 * A cold lookup and read need a piece of each region that grows with the files: of the
 * index, of the names and inodes, of the checksums. So a byte of memory saves
 * most requests where a region is smallest. Regions are resident from the smallest to
 * the largest, the last of them from its start on as far as there is room.
 */
#include "internal.h"

/* The smallest region of those in @left, or 0 */
static unsigned int dsfs_smallest_region(const struct dsfs_source *src, unsigned long left)
{
	unsigned int id, smallest = 0;

	for_each_set_bit(id, &left, DSFS_REGIONS_USED)
		if (!smallest || dsfs_region_bytes(src, id) < dsfs_region_bytes(src, smallest))
			smallest = id;
	return smallest;
}

static void dsfs_make_resident(struct dsfs_source *src, u64 start, u64 bytes)
{
	src->resident[src->nr_resident++] = (struct dsfs_resident){
		.start = start, .bytes = bytes, .at = src->mem_bytes,
	};
	src->mem_bytes += bytes;
}

/**
 * dsfs_meta_fit - choose the metadata that is resident
 * @src: metadata source, with its geometry
 * @budget: bytes, BLOCKSUMS and NUMBERS counted, which are resident in any case
 */
void dsfs_meta_fit(struct dsfs_source *src, u64 budget)
{
	/* BLOCKSUMS is there already. */
	unsigned long left = GENMASK(DSFS_REGIONS_USED - 1, DSFS_REGION_BLOCKSUMS + 1);
	const u64 sums = dsfs_region_bytes(src, DSFS_REGION_BLOCKSUMS);
	unsigned int id = DSFS_REGION_NUMBERS;
	u64 bytes;

	src->nr_resident = 0;
	src->mem_bytes = 0;
	if (budget >= dsfs_meta_most(src)) {
		dsfs_make_resident(src, 0, src->geo.meta_bytes);
		return;
	}
	budget = round_down(budget - min(budget, sums), DSFS_BLOCK_SIZE);
	for (bytes = dsfs_region_bytes(src, id); id; id = dsfs_smallest_region(src, left)) {
		if (id != DSFS_REGION_NUMBERS)
			bytes = min(budget, dsfs_region_bytes(src, id));
		if (bytes)
			dsfs_make_resident(src, src->geo.regions[id].pos - src->geo.meta_start,
					   bytes);
		budget -= min(budget, bytes);
		__clear_bit(id, &left);
		if (!budget)
			break;
	}
}

/**
 * dsfs_meta_resident - get resident metadata
 * @src: metadata source
 * @at: byte offset in the metadata area
 *
 * Return: its address, good to the end of the block; NULL if it is not resident.
 */
void *dsfs_meta_resident(const struct dsfs_source *src, u64 at)
{
	const struct dsfs_resident *r = src->resident;
	unsigned int i;

	for (i = 0; i < src->nr_resident; i++, r++)
		if (at - r->start < r->bytes)
			return test_bit(at >> DSFS_BLOCK_BITS, src->bad) ?
			       NULL : src->mem->p + r->at + (at - r->start);
	return NULL;
}
