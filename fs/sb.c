// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the superblock.
 *
 * There are two slots.  A good image has the same generation in both; an update
 * that was cut short has two good ones, and the higher counts.  A damaged slot
 * is reported and the other one used.  The device is read directly: its page
 * cache may hold what was there before another node wrote.
 */
#include "internal.h"

#include <linux/slab.h>

static void dsfs_read_slot(struct super_block *sb, struct dsfs_slot *slot,
			   unsigned int nr, struct page *page)
{
	const u64 pos = DSFS_SB_POS(nr);
	const u64 block = pos & ~(u64)(DSFS_BLOCK_SIZE - 1);
	const u64 device = bdev_nr_bytes(sb->s_bdev);

	if (block + DSFS_BLOCK_SIZE > device) {
		slot->ret = dsfs_bad(&slot->err, "device too short for a superblock",
				     device, block + DSFS_BLOCK_SIZE, -EINVAL);
		return;
	}
	slot->ret = dsfs_bdev_read(sb, block, page_address(page),
				   DSFS_BLOCK_SIZE);
	if (slot->ret) {
		dsfs_bad(&slot->err, "superblock unreadable", pos, device, 0);
		return;
	}
	memcpy(&slot->raw, page_address(page) + (pos - block),
	       sizeof(slot->raw));
	slot->ret = dsfs_super_decode(&slot->raw, device, &slot->geo,
				      &slot->err);
	if (!slot->ret && slot->geo.slot != nr)
		slot->ret = dsfs_bad(&slot->err, "superblock of the other slot",
				     slot->geo.slot, nr, -EUCLEAN);
}

static void dsfs_slot_error(struct super_block *sb, struct fs_context *fc,
			    const struct dsfs_slot *slot, unsigned int nr)
{
	dsfs_fc_error(fc, sb,
		      "superblock %u at %llu: %s: value 0x%llx, limit 0x%llx (error %d)",
		      nr, DSFS_SB_POS(nr), slot->err.what, slot->err.value,
		      slot->err.limit, slot->ret);
}

/* The slot to use, or an errno; whatever is wrong has been said. */
static int dsfs_choose_slot(struct super_block *sb, struct fs_context *fc,
			    const struct dsfs_slot *slots)
{
	struct dsfs_err err = {};
	int ret, use, i;

	ret = dsfs_super_choose(slots, &use, &err);
	/* Of a device that holds something else, one message is enough. */
	for (i = 0; i < DSFS_SB_SLOTS; i++)
		if (slots[i].ret && (use >= 0 || slots[i].ret == ret)) {
			dsfs_slot_error(sb, fc, &slots[i], i);
			if (use < 0)
				break;
		}
	if (ret == -EUCLEAN && use >= 0)
		dsfs_fc_error(fc, sb, "%s: %llu", err.what, err.value);
	if (ret)
		return ret;
	if (slots[!use].ret)
		dsfs_fc_warn(fc, sb,
			     "superblock %d is damaged, going on with %d, generation %llu: run fsck.dsfs",
			     !use, use, slots[use].geo.generation);
	else if (slots[0].geo.generation != slots[1].geo.generation)
		dsfs_fc_warn(fc, sb,
			     "an update was cut short: superblock %d has generation %llu, going on with %llu",
			     !use, slots[!use].geo.generation,
			     slots[use].geo.generation);
	return use;
}

/**
 * dsfs_read_super - find the generation to mount
 * @sb: super block with its device open; the geometry is stored in it
 * @fc: for messages
 *
 * Return: 0, or an errno as dsfs_super_decode() gives them.
 */
int dsfs_read_super(struct super_block *sb, struct fs_context *fc)
{
	struct dsfs_slot *slots;
	struct page *page;
	unsigned int i;
	int ret = -ENOMEM;

	slots = kcalloc(DSFS_SB_SLOTS, sizeof(*slots), GFP_KERNEL);
	page = alloc_page(GFP_KERNEL);
	if (!slots || !page)
		goto out;
	for (i = 0; i < DSFS_SB_SLOTS; i++)
		dsfs_read_slot(sb, &slots[i], i, page);
	ret = dsfs_choose_slot(sb, fc, slots);
	if (ret >= 0) {
		DSFS_SB(sb)->src.geo = slots[ret].geo;
		ret = 0;
	}
out:
	if (page)
		__free_page(page);
	kfree(slots);
	return ret;
}
