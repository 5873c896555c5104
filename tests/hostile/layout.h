/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where things lie in an image that may be broken in any way: not what a
 * reader accepts, but all that can be touched safely.
 */
#ifndef HOSTILE_LAYOUT_H
#define HOSTILE_LAYOUT_H

#include "fields.h"
#include "sums.h"

/**
 * struct layout - the image as one of its slots has it
 * @slot: the slot; -1: neither makes sense
 * @regions: those that lie inside the image; the others have no bytes
 */
struct layout {
	u8 *image;
	u64 size;
	int slot;
	u8 chunk_bits;
	u8 small_bits;
	u8 large_bits;
	u64 data_start;
	u64 data_end;
	struct sums_area area;
	struct { u64 pos, bytes; } regions[DSFS_REGIONS_USED];
};

/* Look at one slot: whether it makes sense. */
bool layout_slot(struct layout *l, u8 *image, u64 size, int slot);

/* The first slot that makes sense. */
void layout_find(struct layout *l, u8 *image, u64 size);

/* Record @i of a region, NULL if it does not lie in it. */
u8 *layout_record(const struct layout *l, enum dsfs_region_id id, u64 i,
		  size_t bytes);

/* A field of a structure at @p. */
#define GET(p, s, f) \
	field_get((p) + offsetof(struct s, f), sizeof(((struct s *)0)->f))
#define PUT(p, s, f, v) \
	field_put((p) + offsetof(struct s, f), sizeof(((struct s *)0)->f), v)

#endif /* HOSTILE_LAYOUT_H */
