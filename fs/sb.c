// SPDX-License-Identifier: GPL-2.0
/*
 * Superblocks: reading them, and choosing a generation.
 *
 * There are two slots. A good image has the same generation in both. After an
 * interrupted update both are valid with different generations, and the higher
 * one counts. A damaged slot is reported, and the other one is used.
 *
 * The device is read directly, because its page cache may be older than what
 * another node wrote. Dirty pages in that cache are written back first.
 *
 * A previous generation is found through HISTORY, never in a slot.
 */
#include "internal.h"

#include <linux/slab.h>

/* Buffers for reading superblocks, too large for the stack */
struct dsfs_sb_reader {
	struct super_block *sb;
	struct dsfs_mem *mem;
	struct dsfs_slot slots[DSFS_SB_SLOTS];
	struct dsfs_slot older;
};

static int dsfs_read_raw(void *arg, u64 pos, struct dsfs_super *raw)
{
	struct dsfs_sb_reader *r = arg;
	const u64 block = pos & ~(u64)(DSFS_BLOCK_SIZE - 1);
	int ret = dsfs_mem_read(r->mem, r->sb, block, 0, DSFS_BLOCK_SIZE);

	if (!ret)
		memcpy(raw, r->mem->p + (pos - block), sizeof(*raw));
	return ret;
}

static void dsfs_read_slot(struct dsfs_sb_reader *r, unsigned int nr)
{
	const u64 pos = DSFS_SB_POS(nr), device = bdev_nr_bytes(r->sb->s_bdev);
	const u64 end = round_up(pos + 1, DSFS_BLOCK_SIZE);
	struct dsfs_slot *slot = &r->slots[nr];

	if (end > device) {
		slot->ret = dsfs_bad(&slot->err, "device too short for a superblock", device, end,
				     -EINVAL);
		return;
	}
	slot->ret = dsfs_read_raw(r, pos, &slot->raw);
	if (slot->ret)
		dsfs_bad(&slot->err, "superblock unreadable", pos, device, 0);
	else
		slot->ret = dsfs_super_decode(&slot->raw, device, &slot->geo, &slot->err);
}

/* Word for err.limit in a message: for a checksum or the magic it is no limit. */
static const char *dsfs_bound(int ret)
{
	return ret == -EBADMSG || ret == -EINVAL ? "expected" : "limit";
}

static void dsfs_slot_error(struct super_block *sb, struct fs_context *fc,
			    const struct dsfs_slot *slot, unsigned int nr)
{
	if (slot->ret == -EFBIG)
		dsfs_fc_error(fc, sb, "the image is cut short: %llu of %llu bytes",
			      slot->err.limit, slot->err.value);
	else
		dsfs_fc_error(fc, sb,
			      "superblock %u at %llu: %s: value 0x%llx, %s 0x%llx (error %d)",
			      nr, DSFS_SB_POS(nr), slot->err.what, slot->err.value,
			      dsfs_bound(slot->ret), slot->err.limit, slot->ret);
}

/* The number of the slot to use, or an errno. Errors have been reported. */
static int dsfs_choose_slot(struct super_block *sb, struct fs_context *fc,
			    const struct dsfs_slot *slots)
{
	struct dsfs_err err = {};
	int ret, use, i;

	ret = dsfs_super_choose(slots, &use, &err);
	/* Report one slot only if the device holds something else. */
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

/* The newest generation, or an ERR_PTR. Errors have been reported. */
static const struct dsfs_slot *dsfs_read_newest(struct dsfs_sb_reader *r,
						struct fs_context *fc)
{
	unsigned int i;
	int use;

	for (i = 0; i < DSFS_SB_SLOTS; i++)
		dsfs_read_slot(r, i);
	if (r->slots[DSFS_SB_SLOTS - 1].ret == -EINTR)
		return ERR_PTR(-EINTR);
	use = dsfs_choose_slot(r->sb, fc, r->slots);
	return use < 0 ? ERR_PTR(use) : &r->slots[use];
}

/* Find a previous generation. Errors have been reported. */
static int dsfs_read_older(struct dsfs_sb_reader *r, struct fs_context *fc,
			   const struct dsfs_slot *newest, u64 generation)
{
	const struct dsfs_err *err = &r->older.err;
	int ret = dsfs_history_find(newest, generation, bdev_nr_bytes(r->sb->s_bdev),
				    dsfs_read_raw, r, &r->older);

	if (ret == -ENOENT)
		dsfs_fc_error(fc, r->sb,
			      "generation %llu is not kept in this image: the newest is %llu",
			      generation, newest->geo.generation);
	else if (ret)
		dsfs_fc_error(fc, r->sb,
			      "generation %llu: the history of generation %llu: %s: value 0x%llx, %s 0x%llx (error %d)",
			      generation, newest->geo.generation,
			      err->what ? err->what : "unreadable", err->value,
			      dsfs_bound(ret), err->limit, ret);
	return ret;
}

/*
 * An image that was just copied to the device may still be dirty there, if somebody
 * has the device open. File systems that read through that cache see the new contents;
 * a direct read would return the old ones. Without dirty pages nothing is waited for.
 */
static int dsfs_write_back(struct super_block *sb, struct fs_context *fc)
{
	int ret = sync_blockdev(sb->s_bdev);

	if (ret)
		dsfs_fc_error(fc, sb,
			      "what was written to the device cannot be written back: error %d",
			      ret);
	return ret;
}

/*
 * dsfs_read_super - read the superblock of a generation, with 0 of the newest one
 *
 * Return: 0, -ENOENT if the image does not have the generation, -EINTR after a fatal
 * signal, an error of writeback, or an error of dsfs_super_decode().
 */
int dsfs_read_super(struct super_block *sb, struct fs_context *fc,
		    u64 generation, struct dsfs_geo *geo)
{
	const struct dsfs_slot *use = ERR_PTR(-ENOMEM);
	struct dsfs_sb_reader *r;
	int ret = dsfs_write_back(sb, fc);

	if (ret)
		return ret;
	r = kzalloc_obj(*r);
	if (!r)
		return -ENOMEM;
	r->sb = sb;
	r->mem = dsfs_mem_new(sb, DSFS_BLOCK_SIZE);
	if (r->mem)
		use = dsfs_read_newest(r, fc);
	if (IS_ERR(use)) {
		ret = PTR_ERR(use);
	} else if (generation && generation != use->geo.generation) {
		ret = dsfs_read_older(r, fc, use, generation);
		use = &r->older;
	}
	if (!ret)
		*geo = use->geo;
	dsfs_mem_put(r->mem);
	kfree(r);
	return ret;
}
