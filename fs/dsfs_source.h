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

/* Resident blocks are addressed by groups of 512: one page of pointers each. */
#define DSFS_GROUP_BITS		9
#define DSFS_GROUP_BLOCKS	512U
static_assert(DSFS_GROUP_BLOCKS == 1U << DSFS_GROUP_BITS);

struct dsfs_group {
	void *block[DSFS_GROUP_BLOCKS];
};

/**
 * struct dsfs_source - the metadata of a mounted generation
 * @sb: its super block
 * @geo: geometry
 * @groups: resident blocks. A missing group or block is read through @lazy.
 *	Written at mount only
 * @nr_groups: number of groups
 * @names_good: bitmap by resident block: dsfs_names_good() is true for the name
 *	block at its start; see dir.c
 * @lazy: inode whose page cache has the blocks that are not resident
 * @resident_bytes: memory of resident blocks
 * @bad_blocks: blocks that could not be read or verified at mount
 * @retries_failed: blocks that failed again when they were read one by one at
 *	mount
 * @node: NUMA node of the last group
 */
struct dsfs_source {
	struct super_block *sb;
	struct dsfs_geo geo;
	struct dsfs_group **groups;
	unsigned long nr_groups;
	unsigned long *names_good;
	struct inode *lazy;
	u64 resident_bytes;
	u64 bad_blocks;
	unsigned int retries_failed;
	int node;
};

int dsfs_lazy_get(struct dsfs_source *src, u64 at, struct dsfs_mref *ref);

static inline const struct dsfs_geo *
dsfs_source_geo(const struct dsfs_source *src)
{
	return &src->geo;
}

static inline void *dsfs_resident(const struct dsfs_source *src, u64 block)
{
	const struct dsfs_group *group = src->groups[block >> DSFS_GROUP_BITS];

	return group ? group->block[block & (DSFS_GROUP_BLOCKS - 1)] : NULL;
}

static inline int dsfs_meta_get(struct dsfs_source *src,
				enum dsfs_region_id region, u64 off, size_t len,
				struct dsfs_mref *ref)
{
	const struct dsfs_region_info *r = &src->geo.regions[region];
	u64 at;
	char *p;

	if (unlikely(off >= r->bytes || len > r->bytes - off ||
		     (off & (DSFS_BLOCK_SIZE - 1)) + len > DSFS_BLOCK_SIZE))
		return -EUCLEAN;
	at = r->pos - src->geo.meta_start + off;
	p = dsfs_resident(src, at >> DSFS_BLOCK_BITS);
	if (unlikely(!p))
		return dsfs_lazy_get(src, at, ref);
	ref->p = p + (at & (DSFS_BLOCK_SIZE - 1));
	ref->priv = NULL;
	return 0;
}

#endif /* DSFS_SOURCE_H */
