// SPDX-License-Identifier: GPL-2.0
/*
 * Name blocks: sorted names in blocks of at most 4 KiB, so that a reader checks and searches a
 * bounded number of bytes.  The names of a directory begin where those before them end, so that
 * a directory of any size leaves no rest of a block unused.  Its first name block has what is left
 * of those 4 KiB, and each other one begins on a boundary, so a block number is enough for the
 * index.
 */
#include "format.h"
#include "names.h"

static u64 block_end(u64 at)
{
	return (at | (DSFS_BLOCK_SIZE - 1)) + 1;
}

u32 names_fill(const struct dir *dir, u32 from, u32 *bytes)
{
	const u32 room = from ? DSFS_BLOCK_SIZE : block_end(dir->names) - dir->names;
	u32 used = sizeof(struct dsfs_names), count = 0;

	while (from + count < dir->count) {
		u32 more = sizeof(__le16) +
			   node_len(&dir->nodes[from + count]);

		if (used + more > room)
			break;
		used += more;
		count++;
	}
	*bytes = used;
	return count;
}

u64 names_measure(const struct dir *dir, struct names_place *place)
{
	u64 at = dir->names, end = at;
	u32 bytes, count;

	*place = (struct names_place){ 0 };
	for (u32 from = 0; from < dir->count; from += count, at = block_end(at)) {
		count = names_fill(dir, from, &bytes);
		if (!count)
			break;
		if (count > place->most)
			place->most = count;
		place->blocks++;
		end = at + bytes;
	}
	return end;
}

/*
 * A lookup without an index reads all blocks at worst, so a directory that is too small for one
 * does not begin where it would need a second block.
 */
void names_place(struct dir *dir, u64 *pos, struct names_place *place)
{
	u64 end;

	dir->names = dir->count ? (*pos + 3) & ~3ULL : 0;
	end = names_measure(dir, place);
	if (dir->count && (!place->blocks ||
			   (place->blocks > 1 && dir->count < DSFS_INDEX_MIN_NAMES))) {
		dir->names = (dir->names + DSFS_BLOCK_SIZE - 1) & ~(u64)(DSFS_BLOCK_SIZE - 1);
		end = names_measure(dir, place);
	}
	dir->name_blocks = place->blocks;
	if (dir->count)
		*pos = end;
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
