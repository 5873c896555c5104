// SPDX-License-Identifier: GPL-2.0
/*
 * Loading of metadata at mount: the block checksums, and what is resident: all, or what a
 * budget has room for.
 *
 * Metadata is read in large requests and verified block by block. It lies in one piece of
 * vmalloc memory, so that an access is an addition if all is resident, and so that an
 * administrator finds it, with its pages by node: dsfs_mem_new in /proc/vmallocinfo. Why no
 * memory cgroup is charged, and who spreads it over nodes, is in design.rst.
 */
#include "internal.h"

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

/* Bytes of the blocks of a region */
static u64 dsfs_region_bytes(const struct dsfs_source *src, unsigned int id)
{
	return round_up(src->geo.regions[id].bytes, DSFS_BLOCK_SIZE);
}

/* Bytes of memory that all metadata takes */
static u64 dsfs_meta_most(const struct dsfs_source *src)
{
	return src->geo.meta_bytes + dsfs_region_bytes(src, DSFS_REGION_BLOCKSUMS);
}

/* The smallest region of those in @left, or 0 */
static unsigned int dsfs_smallest_region(const struct dsfs_source *src, unsigned long left)
{
	unsigned int id, smallest = 0;

	for_each_set_bit(id, &left, DSFS_REGIONS_USED)
		if (!smallest || dsfs_region_bytes(src, id) < dsfs_region_bytes(src, smallest))
			smallest = id;
	return smallest;
}

static void dsfs_make_resident(struct dsfs_source *src, u64 start, u64 bytes)
{
	src->resident[src->nr_resident++] = (struct dsfs_resident){
		.start = start, .bytes = bytes, .at = src->mem_bytes,
	};
	src->mem_bytes += bytes;
}

/*
 * Choose what is resident: of @budget bytes BLOCKSUMS and NUMBERS, which are in any case, and
 * what fits of the others.
 *
 * A cold lookup and read need a piece of each region that grows with the files: of the
 * index, of the names and inodes, of the checksums. So a byte of memory saves
 * most requests where a region is smallest. Regions are resident from the smallest to
 * the largest, the last of them from its start on as far as there is room.
 */
static void dsfs_meta_fit(struct dsfs_source *src, u64 budget)
{
	/* BLOCKSUMS is there already. */
	unsigned long left = GENMASK(DSFS_REGIONS_USED - 1, DSFS_REGION_BLOCKSUMS + 1);
	const u64 sums = dsfs_region_bytes(src, DSFS_REGION_BLOCKSUMS);
	unsigned int id = DSFS_REGION_NUMBERS;
	u64 bytes;

	src->nr_resident = 0;
	src->mem_bytes = 0;
	if (budget >= dsfs_meta_most(src)) {
		dsfs_make_resident(src, 0, src->geo.meta_bytes);
		return;
	}
	budget = round_down(budget - min(budget, sums), DSFS_BLOCK_SIZE);
	for (bytes = dsfs_region_bytes(src, id); id; id = dsfs_smallest_region(src, left)) {
		if (id != DSFS_REGION_NUMBERS)
			bytes = min(budget, dsfs_region_bytes(src, id));
		if (bytes)
			dsfs_make_resident(src, src->geo.regions[id].pos - src->geo.meta_start,
					   bytes);
		budget -= min(budget, bytes);
		__clear_bit(id, &left);
		if (!budget)
			break;
	}
}

/* dsfs_meta_block_good - true if the checksum of a block of the metadata area is right */
bool dsfs_meta_block_good(const struct dsfs_source *src, u64 block, const void *p)
{
	const u64 start = src->geo.regions[DSFS_REGION_BLOCKSUMS].pos - src->geo.meta_start;
	const __le32 *sums = src->sums->p;

	/* BLOCKSUMS has no checksums of its own; the verified copy in src->sums is used. */
	if ((block << DSFS_BLOCK_BITS) - start < dsfs_region_bytes(src, DSFS_REGION_BLOCKSUMS))
		return true;
	return le32_to_cpu(sums[block]) == dsfs_crc32c(0, p, DSFS_BLOCK_SIZE);
}

static int dsfs_load_sums(struct dsfs_source *src, struct fs_context *fc)
{
	const struct dsfs_region_info *r = &src->geo.regions[DSFS_REGION_BLOCKSUMS];
	const u64 bytes = dsfs_region_bytes(src, DSFS_REGION_BLOCKSUMS);
	u32 sum = 0;
	u64 at, n;
	int ret;

	/* A MiB is of a GiB of metadata, and its checksum takes as long as a task may run. */
	for (at = 0; at < bytes; at += n) {
		n = min_t(u64, bytes - at, SZ_1M);
		ret = dsfs_mem_read(src->sums, src->sb, r->pos + at, at, n);
		if (ret == -EIO)
			dsfs_fc_error(fc, src->sb,
				      "metadata checksums at %llu: I/O error", r->pos);
		if (ret)
			return ret;
		sum = dsfs_crc32c(sum, src->sums->p + at, n);
		cond_resched();
	}
	if (sum == src->geo.sums_checksum)
		return 0;
	dsfs_fc_error(fc, src->sb,
		      "metadata checksums at %llu: checksum is 0x%x, should be 0x%x",
		      r->pos, sum, src->geo.sums_checksum);
	return -EBADMSG;
}

/*
 * Verify what was read last, @len bytes at @at of the metadata area, which are at @p.
 * Blocks of a failed request are bad, whatever their bytes are: a layer below, such as
 * dm-verity, may have rejected data that is in memory all the same and whose crc32c is
 * right.
 */
static void dsfs_find_bad(struct dsfs_source *src, u64 at, const char *p, size_t len)
{
	size_t off;

	for (off = 0; off < len; off += DSFS_BLOCK_SIZE) {
		const u64 block = (at + off) >> DSFS_BLOCK_BITS;

		cond_resched();
		if (!dsfs_mem_failed(src->mem, off) &&
		    dsfs_meta_block_good(src, block, p + off))
			continue;
		__set_bit(block, src->bad);
		src->bad_blocks++;
	}
}

static int dsfs_load_piece(struct dsfs_source *src, const struct dsfs_resident *r)
{
	u64 off, n;

	for (off = 0; off < r->bytes; off += n) {
		n = min_t(u64, r->bytes - off, DSFS_BATCH_BYTES);
		if (dsfs_mem_read(src->mem, src->sb, src->geo.meta_start + r->start + off,
				  r->at + off, n) == -EINTR)
			return -EINTR;
		dsfs_find_bad(src, r->start + off, src->mem->p + r->at + off, n);
	}
	return 0;
}

static int dsfs_load_resident(struct dsfs_source *src, struct fs_context *fc)
{
	const u64 start = src->geo.meta_start;
	unsigned int i;
	int ret;

	for (i = 0; i < src->nr_resident; i++) {
		ret = dsfs_load_piece(src, &src->resident[i]);
		if (ret)
			return ret;
	}
	if (src->bad_blocks)
		dsfs_fc_warn(fc, src->sb,
			     "%llu blocks of metadata are unreadable or damaged, or in requests that failed, the first at %llu: they are read when they are needed",
			     src->bad_blocks,
			     start + ((u64)find_first_bit(src->bad, src->geo.meta_bytes >>
							  DSFS_BLOCK_BITS) <<
				      DSFS_BLOCK_BITS));
	else if (src->mem_bytes == src->geo.meta_bytes)
		src->all = src->mem->p;
	return 0;
}

/* The page cache of what is not resident. It has no highmem: folio_address() is used. */
static int dsfs_lazy_open(struct dsfs_source *src)
{
	struct inode *inode = new_inode(src->sb);

	if (!inode)
		return -ENOMEM;
	inode->i_size = src->geo.meta_bytes;
	mapping_set_gfp_mask(inode->i_mapping, GFP_KERNEL);
	src->lazy = inode;
	return 0;
}

/* Allocate what grows with the metadata. A bitmap has 64 bytes for 2 MiB of it. */
static int dsfs_meta_alloc(struct dsfs_source *src)
{
	const size_t longs = BITS_TO_LONGS(src->geo.meta_bytes >> DSFS_BLOCK_BITS);

	src->sums = dsfs_mem_new(src->sb, dsfs_region_bytes(src, DSFS_REGION_BLOCKSUMS));
	if (!src->sums)
		return -ENOMEM;
	if (!src->mem_bytes)
		return 0;
	src->bad = kvcalloc(longs, sizeof(long), DSFS_MEM_GFP);
	src->names_good = kvcalloc(longs, sizeof(long), DSFS_MEM_GFP);
	src->mem = dsfs_mem_new(src->sb, src->mem_bytes);
	return src->bad && src->names_good && src->mem ? 0 : -ENOMEM;
}

/* An upper limit of what can be allocated. None of it can be swapped. */
static u64 dsfs_memory_free(void)
{
	u64 free = (u64)si_mem_available() << PAGE_SHIFT;

	return IS_ENABLED(CONFIG_64BIT) ? free : min_t(u64, free, VMALLOC_TOTAL);
}

/*
 * Load what @budget has room for. BLOCKSUMS has to fit in what is @free, too: to find out by
 * allocating it would take that from all others. Return: as dsfs_meta_open(); nothing is left
 * after a failure.
 */
static int dsfs_meta_try(struct dsfs_source *src, struct fs_context *fc, u64 budget, u64 free)
{
	int ret;

	dsfs_meta_fit(src, budget);
	src->resident_bytes = dsfs_region_bytes(src, DSFS_REGION_BLOCKSUMS) + src->mem_bytes;
	ret = src->resident_bytes <= free ? dsfs_lazy_open(src) : -ENOMEM;
	if (!ret)
		ret = dsfs_meta_alloc(src);
	if (!ret)
		ret = dsfs_load_sums(src, fc);
	if (!ret && src->mem)
		ret = dsfs_load_resident(src, fc);
	if (ret)
		dsfs_meta_close(src);
	return ret;
}

/*
 * dsfs_meta_open - set up metadata access of a mount, of which @budget bytes may be resident
 *
 * A node with less memory than planned must still boot: metadata that does not fit is not
 * resident, and a warning reports that.
 *
 * Return: 0; -ENOMEM; -EINTR; -EIO or -EBADMSG if BLOCKSUMS is bad. Other damaged
 * blocks are reported, and fail when they are used.
 */
int dsfs_meta_open(struct dsfs_source *src, struct fs_context *fc, u64 budget)
{
	const u64 wanted = min(budget, dsfs_meta_most(src)), free = dsfs_memory_free();
	/* Half of it is left for file data and for later allocations. */
	u64 fits = wanted <= free ? wanted : free / 2;
	int ret;

	ret = dsfs_meta_try(src, fc, fits, free);
	/* What is free is an estimate. */
	if (ret == -ENOMEM && src->mem_bytes) {
		fits = DSFS_META_LAZY;
		ret = dsfs_meta_try(src, fc, fits, free);
	}
	/* After the memory is freed, as a message needs some */
	if (ret == -ENOMEM)
		dsfs_fc_error(fc, src->sb,
			      "metadata needs %llu KiB of memory, at most %llu are free",
			      src->resident_bytes >> 10, free >> 10);
	else if (!ret && fits < wanted)
		dsfs_fc_warn(fc, src->sb,
			     "metadata needs %llu KiB of memory, at most %llu are free: %llu are resident, the rest is read when it is needed",
			     wanted >> 10, free >> 10, src->resident_bytes >> 10);
	return ret;
}

/* dsfs_meta_close - release all metadata; may be closed already */
void dsfs_meta_close(struct dsfs_source *src)
{
	iput(src->lazy);
	dsfs_mem_put(src->sums);
	dsfs_mem_put(src->mem);
	kvfree(src->bad);
	kvfree(src->names_good);
	memset_startat(src, 0, mem);
}
