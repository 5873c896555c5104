/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Metadata in memory, made by hand: the source that the unit tests give to
 * fs/format.  Deliberately not mkfs: it has to make what mkfs never would.
 */
#ifndef BUILDER_H
#define BUILDER_H

#include "format.h"

/**
 * struct bld_region - bytes of a region
 * @base: offset of the first byte that is kept: regions may be far longer than
 *	memory
 */
struct bld_region {
	u8 *bytes;
	size_t len;
	size_t room;
	u64 base;
};

/**
 * struct dsfs_source - an image made of its regions
 * @geo: changed by tests as they like; bld_* keep lengths and counts right
 * @fail_after: dsfs_meta_get() fails once that many calls were good; -1: never
 * @fail_with: and with which errno
 * @gets: calls of dsfs_meta_get()
 */
struct dsfs_source {
	struct dsfs_geo geo;
	struct bld_region regions[DSFS_REGIONS];
	int fail_after;
	int fail_with;
	unsigned long gets;
};

/* A directory of empty files, whose mtime is their number */
struct bld_dir {
	const char *const *names;	/* sorted */
	const u8 *types;		/* NULL: all regular files */
	u32 count;
	u32 self;
	u32 parent;
	u32 first;
	bool index;
	u32 buckets;			/* 0: as few as are good for 70 % */
	unsigned int place_bits_more;	/* bits taken from the fingerprint */
	u32 per_block;			/* names a block at most; 0: what fits */
};

/* Pieces of metadata that were not given back. */
extern int bld_held;

void bld_init(struct dsfs_source *src);
void bld_free(struct dsfs_source *src);

/* Append to a region, at a multiple of @align; the offset is returned. */
u64 bld_add(struct dsfs_source *src, enum dsfs_region_id id, const void *bytes,
	    size_t len, size_t align);

/* The bytes of a region at an offset that bld_add() gave. */
void *bld_at(struct dsfs_source *src, enum dsfs_region_id id, u64 off);

/* Say that a region is that long and has what was added at its end. */
void bld_stretch(struct dsfs_source *src, enum dsfs_region_id id, u64 bytes);

/* Make name blocks, index and record; the index of the record is returned. */
u64 bld_dir(struct dsfs_source *src, const struct bld_dir *want);

/* Let dsfs_meta_get() fail with an errno after that many good calls. */
void bld_fail(struct dsfs_source *src, int after, int with);

#endif /* BUILDER_H */
