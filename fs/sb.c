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

struct dsfs_slots {
	struct dsfs_super raw[DSFS_SB_SLOTS];
	struct dsfs_geo geo[DSFS_SB_SLOTS];
	struct dsfs_err err[DSFS_SB_SLOTS];
	int ret[DSFS_SB_SLOTS];
};

static void dsfs_read_slot(struct super_block *sb, struct dsfs_slots *slots,
			   unsigned int slot, struct page *page)
{
	const u64 pos = DSFS_SB_POS(slot);
	const u64 block = pos & ~(u64)(DSFS_BLOCK_SIZE - 1);
	const u64 device = bdev_nr_bytes(sb->s_bdev);
	struct dsfs_super *raw = &slots->raw[slot];
	struct dsfs_err *err = &slots->err[slot];
	int ret;

	if (block + DSFS_BLOCK_SIZE > device) {
		slots->ret[slot] = dsfs_bad(err, "device too short for a superblock",
					    device, block + DSFS_BLOCK_SIZE,
					    -EINVAL);
		return;
	}
	ret = dsfs_bdev_read(sb, block, page_address(page), DSFS_BLOCK_SIZE);
	if (ret) {
		slots->ret[slot] = dsfs_bad(err, "superblock unreadable", pos,
					    device, ret);
		return;
	}
	memcpy(raw, page_address(page) + (pos - block), sizeof(*raw));
	ret = dsfs_super_decode(raw, device, &slots->geo[slot], err);
	if (!ret && slots->geo[slot].slot != slot)
		ret = dsfs_bad(err, "superblock of the other slot",
			       slots->geo[slot].slot, slot, -EUCLEAN);
	slots->ret[slot] = ret;
}

static void dsfs_slot_error(struct super_block *sb, struct fs_context *fc,
			    const struct dsfs_slots *slots, unsigned int slot)
{
	const struct dsfs_err *err = &slots->err[slot];

	dsfs_fc_error(fc, sb,
		      "superblock %u at %llu: %s: value 0x%llx, limit 0x%llx (error %d)",
		      slot, DSFS_SB_POS(slot), err->what, err->value, err->limit,
		      slots->ret[slot]);
}

/* Which slot counts; an errno if none does. */
static int dsfs_choose_slot(struct super_block *sb, struct fs_context *fc,
			    struct dsfs_slots *slots)
{
	const bool ok0 = !slots->ret[0], ok1 = !slots->ret[1];
	unsigned int bad;

	if (!ok0 && !ok1) {
		/* "not DSFS" only if no slot says otherwise */
		bad = slots->ret[0] == -EINVAL && slots->ret[1] != -EINVAL;
		dsfs_slot_error(sb, fc, slots, bad);
		return slots->ret[bad];
	}
	if (ok0 != ok1) {
		bad = ok0;
		dsfs_slot_error(sb, fc, slots, bad);
		dsfs_fc_warn(fc, sb,
			     "superblock %u is damaged, going on with %u, generation %llu: run fsck.dsfs",
			     bad, !bad, slots->geo[!bad].generation);
		return !bad;
	}
	if (slots->geo[0].generation == slots->geo[1].generation &&
	    !dsfs_super_same(&slots->raw[0], &slots->raw[1])) {
		dsfs_fc_error(fc, sb,
			      "superblocks of generation %llu differ",
			      slots->geo[0].generation);
		return -EUCLEAN;
	}
	return slots->geo[1].generation > slots->geo[0].generation;
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
	struct dsfs_slots *slots;
	struct page *page;
	unsigned int i;
	int ret = -ENOMEM;

	slots = kzalloc(sizeof(*slots), GFP_KERNEL);
	page = alloc_page(GFP_KERNEL);
	if (!slots || !page)
		goto out;
	for (i = 0; i < DSFS_SB_SLOTS; i++)
		dsfs_read_slot(sb, slots, i, page);
	ret = dsfs_choose_slot(sb, fc, slots);
	if (ret >= 0) {
		DSFS_SB(sb)->src.geo = slots->geo[ret];
		ret = 0;
	}
out:
	if (page)
		__free_page(page);
	kfree(slots);
	return ret;
}
