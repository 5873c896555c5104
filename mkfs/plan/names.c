// SPDX-License-Identifier: GPL-2.0
/*
 * Name blocks: sorted names in blocks of at most 4 KiB, so that a reader checks and searches a
 * bounded number of bytes.  A directory of one block may share its 4 KiB with others.  A directory
 * of several blocks begins on a 4 KiB boundary, so a block number is enough for the index; small
 * directories that follow use the rest of its last block.
 */
#include "format.h"
#include "names.h"

u32 names_fill(const struct dir *dir, u32 from, u32 *bytes)
{
	u32 used = sizeof(struct dsfs_names), count = 0;

	while (from + count < dir->count) {
		u32 more = sizeof(__le16) +
			   node_len(&dir->nodes[from + count]);

		if (used + more > DSFS_BLOCK_SIZE)
			break;
		used += more;
		count++;
	}
	*bytes = used;
	return count;
}

/* Compute the number of blocks, the bytes of the last one, and the most names of one. */
static u32 names_measure(const struct dir *dir, struct names_place *place)
{
	u32 bytes = 0, count;

	*place = (struct names_place){ 0 };
	for (u32 from = 0; from < dir->count; from += count) {
		count = names_fill(dir, from, &bytes);
		if (count > place->most)
			place->most = count;
		place->blocks++;
	}
	return bytes;
}

void names_place(const struct dir *dir, u64 *pos, struct names_place *place)
{
	u32 bytes = names_measure(dir, place);
	const u32 mask = DSFS_BLOCK_SIZE - 1;
	u64 at = (*pos + 3) & ~3ULL;

	if (!place->blocks)
		return;
	if (place->blocks > 1 || (at & mask) + bytes > DSFS_BLOCK_SIZE)
		at = (at + mask) & ~(u64)mask;
	place->at = at;
	*pos = at + (u64)(place->blocks - 1) * DSFS_BLOCK_SIZE + bytes;
}

static unsigned int slot_type(const struct node *n)
{
	return n->flags & NODE_HARDLINK ? DSFS_DT_HARDLINK : dsfs_mode_to_dt(n->mode);
}

void names_write(const struct dir *dir, u32 from, u32 count, u32 bytes, void *block)
{
	struct dsfs_names *raw = block;
	u32 at = sizeof(*raw) + count * sizeof(__le16);

	raw->first = cpu_to_le32(from);
	raw->count = cpu_to_le16(count);
	raw->end = cpu_to_le16(bytes);
	for (u32 i = 0; i < count; i++) {
		const struct node *n = &dir->nodes[from + i];

		raw->slots[i] = cpu_to_le16(at | slot_type(n) << DSFS_SLOT_TYPE_SHIFT);
		memcpy((char *)raw + at, node_name(n), node_len(n));
		at += node_len(n);
	}
}
