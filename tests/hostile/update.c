// SPDX-License-Identifier: GPL-2.0
/*
 * update OLD NEW OUT - what an update as the format describes it makes of two
 * images: OLD with everything of NEW behind it, and superblocks of generation 2 in
 * both slots.  mkfs.dsfs makes one generation only; that no reader ever falls back
 * to the older one can be tried on such an image alone.
 *
 * The data area begins behind OLD, so that fsck.dsfs has the same opinion of each
 * byte of it as of any image.
 */
#include <stdio.h>
#include <stdlib.h>

#include "files.h"
#include "layout.h"
#include "mutate.h"

static void __attribute__((__noreturn__)) fail(const char *why)
{
	fprintf(stderr, "update: %s\n", why);
	exit(1);
}

static u8 *region(u8 *super, enum dsfs_region_id id)
{
	return super + offsetof(struct dsfs_super, regions) +
	       id * sizeof(struct dsfs_region);
}

/* Files keep their data, which is @by bytes further on. */
static void move_files(const struct layout *l, u64 by)
{
	u8 *inode;
	u64 i;

	for (i = 0; (inode = layout_record(l, DSFS_REGION_INODES, i,
					   sizeof(struct dsfs_inode))); i++)
		if (S_ISREG(GET(inode, dsfs_inode, mode)) &&
		    !(GET(inode, dsfs_inode, flags) & DSFS_INODE_STUB) &&
		    GET48(inode, start))
			PUT48(inode, start, GET48(inode, start) + by);
}

/* NEW's superblock for its new place, and for one more block: the history. */
static void move_super(u8 *super, u64 by)
{
	const u64 meta = GET(super, dsfs_super, meta_bytes);
	u8 *sums = region(super, DSFS_REGION_BLOCKSUMS);
	u8 *history = region(super, DSFS_REGION_HISTORY);

	if (GET(sums, dsfs_region, bytes) % DSFS_BLOCK_SIZE == 0)
		fail("no room for one more checksum");
	PUT(sums, dsfs_region, bytes, GET(sums, dsfs_region, bytes) + 4);
	PUT(history, dsfs_region, block, meta >> DSFS_BLOCK_BITS);
	PUT(history, dsfs_region, bytes, DSFS_SB_SIZE);
	PUT(super, dsfs_super, generation, 2);
	PUT(super, dsfs_super, data_start, GET(super, dsfs_super, data_start) + by);
	PUT(super, dsfs_super, data_end, GET(super, dsfs_super, data_end) + by);
	PUT(super, dsfs_super, meta_start, GET(super, dsfs_super, meta_start) + by);
	PUT(super, dsfs_super, meta_bytes, meta + DSFS_BLOCK_SIZE);
	PUT(super, dsfs_super, image_bytes,
	    GET(super, dsfs_super, image_bytes) + by + DSFS_BLOCK_SIZE);
}

int main(int argc, char **argv)
{
	struct bytes old, new;
	struct layout l;
	size_t size;
	u8 *super;
	u64 by;

	if (argc != 4)
		fail("usage: update OLD NEW OUT");
	bytes_read(&new, argv[2], 0);
	bytes_read(&old, argv[1], new.size + DSFS_BLOCK_SIZE);
	if (old.size < DSFS_DATA_START_MIN || new.size < DSFS_DATA_START_MIN)
		fail("no images");
	by = old.size - DSFS_DATA_START_MIN;
	size = new.size + by;
	memcpy(old.p + old.size, new.p + DSFS_DATA_START_MIN,
	       new.size - DSFS_DATA_START_MIN);
	memcpy(old.p + size, old.p + DSFS_SB_POS(0), DSFS_SB_SIZE);
	size += DSFS_BLOCK_SIZE;

	super = old.p + DSFS_SB_POS(0);
	memcpy(super, new.p + DSFS_SB_POS(0), DSFS_SB_SIZE);
	move_super(super, by);
	memcpy(old.p + DSFS_SB_POS(1), super, DSFS_SB_SIZE);
	PUT(old.p + DSFS_SB_POS(1), dsfs_super, slot, 1);
	if (!layout_slot(&l, old.p, size, 0))
		fail("no layout");
	move_files(&l, by);
	dsfs_fix_checksums(old.p, size, true);
	bytes_write(old.p, size, argv[3]);
	return 0;
}
