/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Metadata source of format/ in the kernel: resident blocks, and a page cache
 * for the others.
 *
 * Inline, because a lookup gets four pieces of metadata. With a constant region
 * and length, access to resident metadata is a few instructions.
 */
#ifndef DSFS_SOURCE_H
#define DSFS_SOURCE_H

/**
 * struct dsfs_resident - a piece of the metadata area that is resident
 * @start: byte offset in the area
 * @bytes: whole blocks
 * @at: byte offset in the memory
 */
struct dsfs_resident {
	u64 start;
	u64 bytes;
	u64 at;
};

/**
 * struct dsfs_source - the metadata of a mounted generation
 * @sb: its super block
 * @all: all metadata, if all of it is resident and good
 * @geo: geometry
 * @resident: what is resident, @nr_resident pieces: see metaload.c
 * @mem_bytes: size of @mem
 * @resident_bytes: size of @sums and @mem
 * @bad_blocks: number of @bad
 * @mem: memory of what is resident; NULL if there are none
 * @sums: BLOCKSUMS, verified
 * @bad: bitmap of metadata blocks that could not be read or verified at mount
 * @names_good: bitmap by metadata block: dsfs_names_good() is true for the name
 *	block at its start; see dir.c
 * @lazy: inode whose page cache has the blocks that are not resident
 */
struct dsfs_source {
	struct super_block *sb;
	char *all;
	struct dsfs_geo geo;
	struct dsfs_resident resident[DSFS_REGIONS_USED];
	unsigned int nr_resident;
	u64 mem_bytes;
	u64 resident_bytes;
	u64 bad_blocks;
	/* What dsfs_meta_close() gives back, from here on */
	struct dsfs_mem *mem;
	struct dsfs_mem *sums;
	unsigned long *bad;
	unsigned long *names_good;
	struct inode *lazy;
};

int dsfs_meta_get_other(struct dsfs_source *src, u64 at, struct dsfs_mref *ref);

static inline const struct dsfs_geo *
dsfs_source_geo(const struct dsfs_source *src)
{
	return &src->geo;
}

/* The same twice: the compiler proves the one for a record, the other up to the end of a block. */
static inline bool dsfs_crosses(u64 off, size_t len)
{
	const size_t in = off & (DSFS_BLOCK_SIZE - 1);

	return __builtin_constant_p(len) ? in > DSFS_BLOCK_SIZE - len : len > DSFS_BLOCK_SIZE - in;
}

static inline int dsfs_meta_get(struct dsfs_source *src,
				enum dsfs_region_id region, u64 off, size_t len,
				struct dsfs_mref *ref)
{
	const struct dsfs_region_info *r = &src->geo.regions[region];
	u64 at;

	if (unlikely(off >= r->bytes || len > r->bytes - off || dsfs_crosses(off, len)))
		return -EUCLEAN;
	at = r->pos - src->geo.meta_start + off;
	if (unlikely(!src->all))
		return dsfs_meta_get_other(src, at, ref);
	ref->p = src->all + at;
	ref->priv = NULL;
	return 0;
}

#endif /* DSFS_SOURCE_H */
