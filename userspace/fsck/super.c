// SPDX-License-Identifier: GPL-2.0
/*
 * Superblock slots, and metadata as blocks: the checksums of regions and
 * blocks, and the padding of regions.
 */
#include <stdlib.h>

#include "bootsector.h"
#include "fsck.h"
#include "msg.h"
#include "region.h"

#define STEP_BLOCKS	256
#define STEP_BYTES	((u64)STEP_BLOCKS << DSFS_BLOCK_BITS)

static void check_label(struct fsck *f, int i)
{
	const struct dsfs_super *raw = &f->img.slots[i].raw;
	size_t len = strnlen((const char *)raw->label, DSFS_LABEL_MAX);

	if (!all_zero(raw->label + len, DSFS_LABEL_MAX - len))
		problem(f, "label", NO_INO, DSFS_SB_POS(i),
			"bytes behind its end are not zero");
}

/* Report the errors of a slot. */
static void check_slot(struct fsck *f, int i)
{
	const struct dsfs_slot *slot = &f->img.slots[i];
	char text[256];

	if (!slot->ret) {
		check_label(f, i);
		return;
	}
	image_slot_text(slot, text, sizeof(text));
	problem(f, "superblock slot", NO_INO, DSFS_SB_POS(i), "slot %d: %s", i,
		text);
}

int check_slots(struct fsck *f)
{
	const struct dsfs_slot *s = f->img.slots;
	char text[256];
	int i;

	if (image_is_short(&f->img)) {
		err_text(&s[0].err, s[0].ret, text, sizeof(text));
		problem(f, "length of the image", NO_INO, NO_POS, "%s", text);
		return 0;
	}
	for (i = 0; i < DSFS_SB_SLOTS; i++)
		check_slot(f, i);
	if (s[0].ret || s[1].ret)
		return 0;
	if (s[0].geo.generation != s[1].geo.generation)
		problem(f, "generation", NO_INO, DSFS_SB_POS(!f->img.use),
			"slot 0 has %llu, slot 1 has %llu: an update was cut off",
			s[0].geo.generation,
			s[1].geo.generation);
	else if (!dsfs_super_same(&s[0].raw, &s[1].raw))
		problem(f, "superblock slots", NO_INO, DSFS_SB_POS(1),
			"those of one generation differ: %llu",
			s[0].geo.generation);
	return 0;
}

static const char *region_at(const struct fsck *f, u64 pos)
{
	const struct dsfs_region_info *r = f->geo->regions;
	int id;

	for (id = 0; id < DSFS_REGIONS_USED; id++)
		if (r[id].bytes && pos >= r[id].pos &&
		    pos < r[id].pos + r[id].bytes)
			return region_name(id);
	if (f->geo->compat & DSFS_COMPAT_NOTE && pos == dsfs_note_pos(f->geo))
		return "note";
	return "no region";
}

static bool in_blocksums(const struct fsck *f, u64 pos)
{
	const struct dsfs_region_info *r = &f->geo->regions[DSFS_REGION_BLOCKSUMS];

	return pos >= r->pos && pos < r->pos + r->bytes;
}

static void check_block(struct fsck *f, const u8 *data, u64 pos, u32 want)
{
	u32 sum;

	if (in_blocksums(f, pos)) {
		if (want)
			problem(f, "checksum of a block of checksums", NO_INO,
				pos, "%#x, expected 0", want);
		return;
	}
	sum = dsfs_crc32c(0, data, DSFS_BLOCK_SIZE);
	if (sum != want)
		problem(f, "metadata block checksum", NO_INO, pos,
			"%s: %#x, expected %#x", region_at(f, pos), sum, want);
}

/* Check the blocks of a step one by one, if they cannot be read together. */
static void check_step_slow(struct fsck *f, u8 *data, const __le32 *sums,
			    u64 pos, u64 blocks)
{
	u64 i, at;
	int ret;

	for (i = 0; i < blocks; i++) {
		at = pos + (i << DSFS_BLOCK_BITS);
		ret = image_pread(&f->img, data, DSFS_BLOCK_SIZE, at);
		if (ret)
			problem(f, "unreadable metadata block", NO_INO, at,
				"%s: %s", region_at(f, at), msg_why(-ret));
		else
			check_block(f, data, at, le32_to_cpu(sums[i]));
	}
}

static void check_step(struct fsck *f, u8 *data, __le32 *sums, u64 first,
		       u64 blocks)
{
	const u64 pos = f->geo->meta_start + (first << DSFS_BLOCK_BITS);
	u64 i;
	int ret;

	ret = image_pread(&f->img, sums, blocks * sizeof(*sums),
			  meta_pos(f, DSFS_REGION_BLOCKSUMS,
				   first * sizeof(*sums)));
	if (ret) {
		problem(f, "unreadable block checksums", NO_INO,
			meta_pos(f, DSFS_REGION_BLOCKSUMS, first * sizeof(*sums)),
			"%s", msg_why(-ret));
		return;
	}
	if (image_pread(&f->img, data, blocks << DSFS_BLOCK_BITS, pos)) {
		check_step_slow(f, data, sums, pos, blocks);
		return;
	}
	for (i = 0; i < blocks; i++)
		check_block(f, data + (i << DSFS_BLOCK_BITS),
			    pos + (i << DSFS_BLOCK_BITS), le32_to_cpu(sums[i]));
}

static void check_region(struct fsck *f, int id)
{
	const struct dsfs_region_info *r = &f->geo->regions[id];
	u64 tail = r->bytes & (DSFS_BLOCK_SIZE - 1);
	u8 buf[DSFS_BLOCK_SIZE];
	u32 sum;
	int ret;

	ret = image_region_sum(&f->img, id, &sum);
	if (ret)
		problem(f, "unreadable block checksums", NO_INO, r->pos,
			"%s: %s", region_name(id), msg_why(-ret));
	else if (sum != r->checksum)
		problem(f, "region checksum", NO_INO, r->pos,
			"%s: %#x, expected %#x", region_name(id), sum,
			r->checksum);
	if (!tail || image_pread(&f->img, buf, DSFS_BLOCK_SIZE - tail,
				 r->pos + r->bytes))
		return;		/* unreadable: reported with the blocks */
	if (!all_zero(buf, DSFS_BLOCK_SIZE - tail))
		problem(f, "padding of a region", NO_INO, r->pos + r->bytes,
			"%s: bytes behind its end are not zero",
			region_name(id));
}

static void check_front(struct fsck *f)
{
	u8 buf[DSFS_DATA_START_MIN];

	if (image_pread(&f->img, buf, sizeof(buf), 0))
		return;
	memset(buf + DSFS_SB_POS(0), 0, DSFS_SB_SIZE);
	memset(buf + DSFS_SB_POS(1), 0, DSFS_SB_SIZE);
	if (bootsector_is(buf))
		memset(buf, 0, BOOTSECTOR_BYTES);
	if (!all_zero(buf, sizeof(buf)))
		warning(f, "unused bytes around the superblocks", NO_INO, 0,
			"they are not zero");
}

int check_blocks(struct fsck *f)
{
	const u64 blocks = f->geo->meta_bytes >> DSFS_BLOCK_BITS;
	__le32 *sums = malloc(STEP_BLOCKS * sizeof(*sums));
	u8 *data = malloc(f->geo->meta_bytes < STEP_BYTES ? f->geo->meta_bytes :
			  STEP_BYTES);
	u64 at, n;
	int id;

	if (!sums || !data) {
		free(sums);
		free(data);
		return -ENOMEM;
	}
	if (!f->generations)
		check_front(f);
	for (id = 0; id < DSFS_REGIONS_USED; id++)
		if (f->geo->regions[id].bytes)
			check_region(f, id);
	pass_begin(f, "metadata", f->geo->meta_bytes, true);
	for (at = 0; at < blocks && !fsck_stop; at += n) {
		n = blocks - at < STEP_BLOCKS ? blocks - at : STEP_BLOCKS;
		check_step(f, data, sums, at, n);
		pass_add(f, n << DSFS_BLOCK_BITS);
	}
	pass_end(f);
	free(sums);
	free(data);
	return 0;
}
