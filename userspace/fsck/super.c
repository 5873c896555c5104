// SPDX-License-Identifier: GPL-2.0
/*
 * Superblock slots, metadata as blocks: the checksums of regions and blocks, and the padding of
 * regions; and the note, and whether the digest in it is that of the tree.
 */
#include "bootsector.h"
#include "digest.h"
#include "fsck.h"
#include "imagemsg.h"
#include "msg.h"

#define STEP_BLOCKS	256	/* their checksums lie in one block */

/* What no reader minds: of a slot, or of a superblock in HISTORY, whose place is not known */
static void check_fields(struct fsck *f, const struct dsfs_slot *slot, u64 pos)
{
	const struct dsfs_super *raw = &slot->raw;
	size_t len = strnlen((const char *)raw->label, DSFS_LABEL_MAX);

	if (slot->geo.compat & DSFS_COMPAT_ERASING)
		problem(f, "erase", NO_INO, pos,
			"cut off: what it was to overwrite may still be there");
	if (!all_zero(raw->label + len, DSFS_LABEL_MAX - len))
		problem(f, "label", NO_INO, pos, "bytes behind its end are not zero");
}

/* Report the errors of a slot. */
static void check_slot(struct fsck *f, int i)
{
	const struct dsfs_slot *slot = &f->img.slots[i];

	if (!slot->ret) {
		check_fields(f, slot, DSFS_SB_POS(i));
		return;
	}
	problem(f, "superblock slot", NO_INO, DSFS_SB_POS(i), "slot %d: %s", i,
		image_slot_why(slot));
}

int check_slots(struct fsck *f)
{
	const struct dsfs_slot *s = f->img.slots;

	if (image_is_short(&f->img)) {
		problem(f, "length of the image", NO_INO, NO_POS, "%s",
			image_why(&s[0].err, s[0].ret));
		return 0;
	}
	for (int i = 0; i < DSFS_SB_SLOTS; i++)
		check_slot(f, i);
	if (s[0].ret || s[1].ret)
		return 0;
	if (s[0].geo.generation != s[1].geo.generation)
		problem(f, "generation", NO_INO, DSFS_SB_POS(!f->img.use),
			"slot 0 has %llu, slot 1 has %llu: an update was cut off",
			s[0].geo.generation, s[1].geo.generation);
	else if (memcmp(&s[0].raw, &s[1].raw, sizeof(s[0].raw)))
		problem(f, "superblock slots", NO_INO, DSFS_SB_POS(1),
			"those of one generation differ: %llu", s[0].geo.generation);
	return 0;
}

bool meta_is_zero(struct fsck *f, int region, u64 from, u64 to)
{
	struct dsfs_mref ref;
	bool zero;
	u64 n;

	/* Without all objects in the lists, gaps cannot be told from objects. */
	for (; from < to && !stop_asked() && !f->incomplete; from += n) {
		n = DSFS_BLOCK_SIZE - (from & (DSFS_BLOCK_SIZE - 1));
		if (n > to - from)
			n = to - from;
		/* an unreadable block was reported before */
		if (dsfs_meta_get(f->src, region, from, n, &ref))
			continue;
		zero = all_zero(ref.p, n);
		dsfs_meta_put(&ref);
		if (!zero)
			return false;
	}
	return true;
}

static const char *region_at(const struct fsck *f, u64 pos)
{
	const struct dsfs_region_info *r = f->geo->regions;
	int id;

	for (id = 0; id < DSFS_REGIONS_USED; id++)
		if (r[id].bytes && pos >= r[id].pos && pos < r[id].pos + r[id].bytes)
			return region_name(id);
	return "no region";
}

static bool in_blocksums(const struct fsck *f, u64 pos)
{
	const struct dsfs_region_info *r = &f->geo->regions[DSFS_REGION_BLOCKSUMS];

	return pos >= r->pos && pos < r->pos + r->bytes;
}

/* What is wrong with a block whose checksum is not @want. */
static void bad_block(struct fsck *f, u64 pos, u32 want)
{
	u8 data[DSFS_BLOCK_SIZE];

	if (!image_pread(&f->img, data, sizeof(data), pos))
		problem(f, "metadata block checksum", NO_INO, pos, "%s: %#x, expected %#x",
			region_at(f, pos), dsfs_crc32c(0, data, sizeof(data)), want);
}

static void check_block(struct fsck *f, u64 block, u32 want)
{
	const u64 pos = f->geo->meta_start + (block << DSFS_BLOCK_BITS);
	struct dsfs_mref ref;
	int ret = source_block(f->src, block, &ref);

	if (!ret)
		dsfs_meta_put(&ref);
	else if (ret == -EBADMSG)
		bad_block(f, pos, want);
	else
		problem(f, "unreadable metadata block", NO_INO, pos, "%s: %s",
			region_at(f, pos), msg_why(-ret));
	if (!ret && want && in_blocksums(f, pos))
		problem(f, "checksum of a block of checksums", NO_INO, pos, "%#x, expected 0",
			want);
}

static void check_step(struct fsck *f, u64 first, u64 blocks)
{
	const u64 at = first * sizeof(__le32);
	struct dsfs_mref ref;
	const __le32 *sums;
	int ret = dsfs_meta_get(f->src, DSFS_REGION_BLOCKSUMS, at, blocks * sizeof(*sums), &ref);

	if (ret) {
		problem(f, "unreadable block checksums", NO_INO,
			meta_pos(f, DSFS_REGION_BLOCKSUMS, at), "%s", msg_why(-ret));
		return;
	}
	sums = ref.p;
	for (u64 i = 0; i < blocks; i++)
		check_block(f, first + i, le32_to_cpu(sums[i]));
	dsfs_meta_put(&ref);
}

static void check_sums(struct fsck *f)
{
	const u64 pos = f->geo->regions[DSFS_REGION_BLOCKSUMS].pos;
	u32 sum;
	int ret = image_sums(&f->img, &sum);

	if (ret)
		problem(f, "unreadable block checksums", NO_INO, pos, "%s", msg_why(-ret));
	else if (sum != f->geo->sums_checksum)
		problem(f, "checksum of the block checksums", NO_INO, pos, "%#x, expected %#x",
			sum, f->geo->sums_checksum);
}

static void check_padding(struct fsck *f, int id)
{
	const struct dsfs_region_info *r = &f->geo->regions[id];
	u64 tail = r->bytes & (DSFS_BLOCK_SIZE - 1);
	u8 buf[DSFS_BLOCK_SIZE];

	if (!tail || image_pread(&f->img, buf, DSFS_BLOCK_SIZE - tail, r->pos + r->bytes))
		return;		/* unreadable: reported with the blocks */
	if (!all_zero(buf, DSFS_BLOCK_SIZE - tail))
		problem(f, "padding of a region", NO_INO, r->pos + r->bytes,
			"%s: bytes behind its end are not zero", region_name(id));
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
		warning(f, "unused bytes around the superblocks", NO_INO, 0, "they are not zero");
}

int check_blocks(struct fsck *f)
{
	const u64 blocks = f->geo->meta_bytes >> DSFS_BLOCK_BITS;
	u64 at, n;

	if (f->generations)
		check_fields(f, &f->img.older, NO_POS);
	else
		check_front(f);
	check_sums(f);
	for (int id = 0; id < DSFS_REGIONS_USED; id++)
		check_padding(f, id);
	pass_begin(f, "metadata", f->geo->meta_bytes, true);
	for (at = 0; at < blocks && !stop_asked(); at += n) {
		n = blocks - at < STEP_BLOCKS ? blocks - at : STEP_BLOCKS;
		check_step(f, at, n);
		pass_add(f, n << DSFS_BLOCK_BITS);
	}
	pass_end(f);
	return 0;
}

static u64 note_pos(const struct fsck *f)
{
	return f->geo->regions[DSFS_REGION_NOTE].pos;
}

int check_note(struct fsck *f)
{
	struct dsfs_err err = { 0 };
	struct dsfs_note note;
	int ret = image_note(f->src, &note, &err);

	/* what is unreadable or has a wrong checksum was reported with the blocks */
	if (ret == -EUCLEAN)
		problem(f, "note", NO_INO, note_pos(f), "%s", image_why(&err, ret));
	return ret == -ENOMEM ? ret : 0;
}

static void compare(struct fsck *f, const struct dsfs_note *note,
		    const struct digest_result *result)
{
	char have[DIGEST_TEXT], want[DIGEST_TEXT];

	if (!memcmp(result->sum, note->digest, sizeof(note->digest)))
		return;
	problem(f, "digest", NO_INO, note_pos(f), "%s, of the tree %s",
		digest_text(note->digest_kind, note->digest, want),
		digest_text(note->digest_kind, result->sum, have));
}

int check_digest(struct fsck *f)
{
	struct digest_request r = { .threads = f->threads };
	struct digest_result result;
	struct dsfs_err err = { 0 };
	struct dsfs_note note;
	int ret = image_note(f->src, &note, &err);

	if (ret < 0)
		return 0;	/* reported by check_note() */
	r.kind = note.digest_kind;
	if (!r.kind) {
		/* the newest, or the only one that was asked for */
		if (!f->generations)
			warning(f, "digest", NO_INO, NO_POS, "none is kept");
		return 0;
	}
	ret = digest_image(&f->img, &r, &result);
	if (!ret)
		compare(f, &note, &result);
	else if (ret != -ENOMEM && ret != -ECANCELED)
		problem(f, "digest", NO_INO, note_pos(f),
			"not compared: not everything could be read");
	return ret == -ENOMEM ? ret : 0;
}
