// SPDX-License-Identifier: GPL-2.0
/*
 * Offsets of structures in an image that may be broken in any way, and checksums,
 * for which these offsets are enough.
 */
#include "mutate.h"
#include "rows.h"

#define DATA_SUMS_MOST	(64ULL << 20)	/* bytes: files may overlap */

bool layout_slot(struct layout *l, u8 *image, u64 size, int slot)
{
	const u64 mask = DSFS_BLOCK_SIZE - 1;
	u8 *raw = image + DSFS_SB_POS(slot), *r;
	u64 pos, bytes;
	int id;

	memset(l, 0, sizeof(*l));
	l->image = image;
	l->size = size;
	l->slot = -1;
	if (size < DSFS_DATA_START_MIN)
		return false;
	l->area.meta_start = GET(raw, dsfs_super, meta_start);
	l->area.meta_bytes = GET(raw, dsfs_super, meta_bytes);
	if (l->area.meta_start < DSFS_DATA_START_MIN || l->area.meta_start > size ||
	    l->area.meta_start & mask || l->area.meta_bytes & mask ||
	    !l->area.meta_bytes || l->area.meta_bytes > size - l->area.meta_start) {
		memset(&l->area, 0, sizeof(l->area));
		return false;
	}
	l->slot = slot;
	l->chunk_bits = GET(raw, dsfs_super, chunk_bits);
	/* any, but nothing is shifted too far */
	l->small_bits = GET(raw, dsfs_super, small_bits) & 31;
	l->large_bits = (GET(raw, dsfs_super, large_bits) ?: l->chunk_bits) & 31;
	l->data_start = GET(raw, dsfs_super, data_start);
	l->data_end = GET(raw, dsfs_super, data_end);
	if (l->data_end > size || l->data_start > l->data_end) {
		l->data_start = 0;
		l->data_end = 0;
	}
	for (id = 0; id < DSFS_REGIONS_USED; id++) {
		r = raw + offsetof(struct dsfs_super, regions) +
		    id * sizeof(struct dsfs_region);
		pos = GET(r, dsfs_region, start);
		bytes = GET(r, dsfs_region, bytes);
		if (pos & mask || pos > l->area.meta_bytes || bytes > l->area.meta_bytes - pos)
			continue;
		l->regions[id].pos = l->area.meta_start + pos;
		l->regions[id].bytes = bytes;
	}
	l->area.pos = l->regions[DSFS_REGION_BLOCKSUMS].pos;
	l->area.bytes = l->regions[DSFS_REGION_BLOCKSUMS].bytes;
	return true;
}

void layout_find(struct layout *l, u8 *image, u64 size)
{
	int slot;

	for (slot = 0; slot < DSFS_SB_SLOTS; slot++)
		if (layout_slot(l, image, size, slot))
			return;
}

u8 *layout_record(const struct layout *l, enum dsfs_region_id id, u64 i,
		  size_t bytes)
{
	if (i >= l->regions[id].bytes / bytes)
		return NULL;
	return l->image + l->regions[id].pos + i * bytes;
}

/* --- checksums -------------------------------------------------------------- */

/* Bytes that a regular file stores, inside the image; 0 if there are none. */
static u64 stored_bytes(const struct layout *l, const u64 row[DSFS_COLUMNS])
{
	u64 bytes = row[DSFS_COLUMN_SIZE], start = row[DSFS_COLUMN_START];
	const u16 flags = ROW_FLAGS(row);
	const u8 *extra;

	if (!S_ISREG(ROW_MODE(row)) || flags & DSFS_INODE_HARDLINK)
		return 0;
	if (flags & DSFS_INODE_COMPRESSED) {
		bytes = row[DSFS_COLUMN_STORED];
	} else if (flags & DSFS_INODE_HOLES) {
		extra = layout_record(l, DSFS_REGION_EXTRAS, ROW_EXTRA(row) - 1,
				      sizeof(struct dsfs_extra));
		bytes = extra ? GET(extra, dsfs_extra, stored) : 0;
	}
	return start < l->size && bytes <= l->size - start ? bytes : 0;
}

/* Return: the checksum of a file that has one, or the index of the first one, as it is. */
static u64 sum_file(const struct layout *l, const u64 row[DSFS_COLUMNS], u64 stored)
{
	const u64 chunk = 1ULL << dsfs_chunk_choose(l->chunk_bits, l->small_bits, l->large_bits,
						    stored);
	const u64 start = row[DSFS_COLUMN_START];
	u64 at, n, nr = row[DSFS_COLUMN_SUM];
	u8 *sum;

	if (stored <= chunk)
		return dsfs_datasum(l->image + start, stored);
	for (at = 0; at < stored; at += n, nr++) {
		n = stored - at < chunk ? stored - at : chunk;
		sum = layout_record(l, DSFS_REGION_CHUNKSUMS, nr, 4);
		if (!sum)
			break;
		field_put(sum, 4, dsfs_datasum(l->image + start + at, n));
	}
	return row[DSFS_COLUMN_SUM];
}

/* Take the bytes of a file from those that are left; false: there are too few. */
static bool take(u64 *left, u64 stored)
{
	if (stored > *left)
		return false;
	*left -= stored;
	return true;
}

static bool sum_block(const struct layout *l, const struct rows *r, u64 *left)
{
	u64 row[DSFS_COLUMNS], slot, stored;

	for (slot = 0; slot < r->count; slot++) {
		rows_get(r, slot, row);
		stored = stored_bytes(l, row);
		/* Directories may have the same blocks, so that a row counts, too. */
		if (!take(left, stored + 64))
			return false;
		if (!stored)
			continue;
		row[DSFS_COLUMN_SUM] = sum_file(l, row, stored);
		rows_put(r, slot, row, r->count == 1);
	}
	return true;
}

static void sum_data(const struct layout *l)
{
	u64 i, block, blocks, left = DATA_SUMS_MOST;
	struct rows rows;
	const u8 *dir;

	if (l->chunk_bits < DSFS_CHUNK_BITS_MIN || l->chunk_bits > DSFS_CHUNK_BITS_MAX)
		return;
	for (i = 0; (dir = layout_record(l, DSFS_REGION_DIRS, i, sizeof(struct dsfs_dir))); i++) {
		blocks = GET(dir, dsfs_dir, name_blocks);
		for (block = 0; block < blocks; block++)
			if (!layout_rows(l, layout_block(dir, block), &rows))
				break;
			else if (!sum_block(l, &rows, &left))
				return;
	}
}

/* Not sums_sums(): slots may differ in where BLOCKSUMS lies, and each gets its own. */
static void sum_sums(const struct layout *l)
{
	const u64 bytes = (l->area.bytes + DSFS_BLOCK_SIZE - 1) & ~(DSFS_BLOCK_SIZE - 1ULL);

	PUT(l->image + DSFS_SB_POS(l->slot), dsfs_super, sums_checksum,
	    dsfs_crc32c(0, l->image + l->area.pos, bytes));
}

void dsfs_fix_checksums(void *image, size_t size, bool data)
{
	struct layout l[DSFS_SB_SLOTS];
	int slot;

	if (size < DSFS_DATA_START_MIN)
		return;
	for (slot = 0; slot < DSFS_SB_SLOTS; slot++) {
		if (!layout_slot(&l[slot], image, size, slot))
			continue;
		if (data)
			sum_data(&l[slot]);
		sums_blocks(image, &l[slot].area);
	}
	for (slot = 0; slot < DSFS_SB_SLOTS; slot++) {
		if (l[slot].slot >= 0)
			sum_sums(&l[slot]);
		sums_super(image, slot);
	}
}
