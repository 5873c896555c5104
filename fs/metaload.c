// SPDX-License-Identifier: GPL-2.0
/*
 * Loading of resident metadata at mount: all of it with meta=resident,
 * otherwise the block checksums only.
 *
 * Metadata is read in large requests, verified block by block, and kept in
 * private memory: drop_caches, BLKFLSBUF and memory pressure do not remove it.
 *
 * The memory is a slab cache, so that an administrator finds it by name:
 * dsfs_metadata in /proc/slabinfo, and SUnreclaim of the machine and of each
 * node. No memory cgroup is charged. The memory belongs to the mount and
 * outlives the task that mounted; only the administrator can mount; and the
 * limit of a container that mounts for others is not meant for it.
 */
#include "internal.h"

#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/vmalloc.h>

/* Groups (2 MiB each) that are loaded and verified in one batch */
#define DSFS_LOAD_GROUPS	8

/*
 * Maximum number of blocks of failed requests whose read alone fails too, for
 * one mount: 256 KiB of bad places. The limit bounds the time of a mount from a
 * device that fails all reads.
 */
#define DSFS_RETRY_MAX		64

/* Fail the mount rather than invoke the OOM killer. */
#define DSFS_META_GFP	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* Slab cache of metadata blocks */
static struct kmem_cache *dsfs_meta_cache;

/* First block of a region in the metadata area, and the number of its blocks */
static u64 dsfs_region_block(const struct dsfs_source *src, unsigned int id,
			     u64 *blocks)
{
	const struct dsfs_region_info *r = &src->geo.regions[id];

	*blocks = (r->bytes + DSFS_BLOCK_SIZE - 1) >> DSFS_BLOCK_BITS;
	return (r->pos - src->geo.meta_start) >> DSFS_BLOCK_BITS;
}

/**
 * dsfs_meta_block_good - verify a metadata block
 * @src: metadata source, with resident block checksums
 * @block: index in the metadata area
 * @p: its bytes
 *
 * Return: true if the checksum is right.
 */
bool dsfs_meta_block_good(const struct dsfs_source *src, u64 block, const void *p)
{
	u64 blocks, first = dsfs_region_block(src, DSFS_REGION_BLOCKSUMS,
					      &blocks);
	u64 at = block * sizeof(__le32);
	const __le32 *sums;

	/* BLOCKSUMS has a checksum of its own, which was verified. */
	if (block >= first && block - first < blocks)
		return true;
	sums = dsfs_resident(src, first + (at >> DSFS_BLOCK_BITS));
	return le32_to_cpu(sums[(at & (DSFS_BLOCK_SIZE - 1)) / sizeof(*sums)]) ==
	       dsfs_crc32c(0, p, DSFS_BLOCK_SIZE);
}

/* A batch in flight; each bio decrements @pending. */
struct dsfs_load {
	atomic_t pending;
	bool failed;
	struct completion done;
};

/*
 * Clear the memory of a failed read. A layer below, such as dm-verity, may have
 * rejected data that is in memory all the same and whose crc32c is right.
 */
static void dsfs_load_wipe(struct bio *bio)
{
	struct bvec_iter_all iter;
	struct bio_vec *vec;

	bio_for_each_segment_all(vec, bio, iter)
		memset(page_address(vec->bv_page) + vec->bv_offset, 0,
		       vec->bv_len);
}

static void dsfs_load_end_io(struct bio *bio)
{
	struct dsfs_load *load = bio->bi_private;

	if (bio->bi_status) {
		dsfs_load_wipe(bio);
		WRITE_ONCE(load->failed, true);
	}
	if (atomic_dec_and_test(&load->pending))
		complete(&load->done);
	bio_put(bio);
}

/*
 * NUMA node of the next group: round robin, because lookups come from all
 * nodes, and because gigabytes of resident memory should not burden one node.
 * Nodes without processors are left out, as they have slow memory. The page
 * allocator applies the cpuset of the mounting task.
 */
static int dsfs_next_node(int node)
{
	nodemask_t nodes;

	nodes_and(nodes, node_states[N_CPU], node_states[N_NORMAL_MEMORY]);
	return nodes_empty(nodes) ? NUMA_NO_NODE : next_node_in(node, nodes);
}

static int dsfs_block_cmp(const void *a, const void *b)
{
	const void *const *p = a, *const *q = b;

	return *p < *q ? -1 : *p > *q;
}

/*
 * Allocate blocks [first, last) of a group. A slab has up to eight adjacent
 * blocks and returns them in random order. Sorting by address restores long
 * segments, which devices limit in number.
 */
static int dsfs_group_alloc(struct dsfs_group *group, int node,
			    unsigned int first, unsigned int last)
{
	unsigned int i;
	void *p;

	for (i = first; i < last; i++) {
		p = kmem_cache_alloc_node(dsfs_meta_cache, DSFS_META_GFP, node);
		if (!p)
			return -ENOMEM;
		group->block[i] = p;
		/*
		 * The node is full. Do not ask it again, as each attempt
		 * allocates a slab.
		 */
		if (page_to_nid(virt_to_page(p)) != node)
			node = NUMA_NO_NODE;
	}
	sort(group->block + first, last - first, sizeof(*group->block),
	     dsfs_block_cmp, NULL);
	return 0;
}

static void dsfs_block_free(void **block)
{
	if (*block)
		kmem_cache_free(dsfs_meta_cache, *block);
	*block = NULL;
}

static void dsfs_load_submit(struct dsfs_load *load, struct bio *bio)
{
	atomic_inc(&load->pending);
	submit_bio(bio);
}

/* Read blocks [first, last) of a group with bios of maximum length. */
static void dsfs_group_read(struct dsfs_source *src, unsigned long group,
			    unsigned int first, unsigned int last,
			    struct dsfs_load *load)
{
	struct dsfs_group *g = src->groups[group];
	struct bio *bio = NULL;
	unsigned int i;
	u64 pos;

	for (i = first; i < last; i++) {
		void *p = g->block[i];

		if (bio && bio_add_page(bio, virt_to_page(p), DSFS_BLOCK_SIZE,
					offset_in_page(p)))
			continue;
		if (bio)
			dsfs_load_submit(load, bio);
		bio = bio_alloc(src->sb->s_bdev,
				bio_max_segs(DSFS_GROUP_BLOCKS),
				REQ_OP_READ | REQ_META, GFP_KERNEL);
		pos = src->geo.meta_start +
		      (((u64)group << DSFS_GROUP_BITS) + i) * DSFS_BLOCK_SIZE;
		bio->bi_iter.bi_sector = pos >> SECTOR_SHIFT;
		bio->bi_private = load;
		bio->bi_end_io = dsfs_load_end_io;
		__bio_add_page(bio, virt_to_page(p), DSFS_BLOCK_SIZE,
			       offset_in_page(p));
	}
	if (bio)
		dsfs_load_submit(load, bio);
}

/* Allocate and read blocks [from, to) of a group. */
static int dsfs_load_group(struct dsfs_source *src, unsigned long group,
			   unsigned int from, unsigned int to,
			   struct dsfs_load *load)
{
	struct dsfs_group **g = &src->groups[group];
	int ret;

	src->node = dsfs_next_node(src->node);
	if (!*g)
		*g = kzalloc_node(sizeof(**g), DSFS_META_GFP, src->node);
	if (!*g)
		return -ENOMEM;
	ret = dsfs_group_alloc(*g, src->node, from, to);
	if (ret)
		return ret;
	src->resident_bytes += (u64)(to - from) * DSFS_BLOCK_SIZE;
	dsfs_group_read(src, group, from, to, load);
	return 0;
}

/*
 * Load blocks [first, end) without verifying them. -EIO: some reads failed;
 * their blocks are zero and will fail their checksum.
 */
static int dsfs_load_blocks(struct dsfs_source *src, u64 first, u64 end)
{
	struct dsfs_load load = { .pending = ATOMIC_INIT(1) };
	struct blk_plug plug;
	int ret = 0;
	u64 next;

	init_completion(&load.done);
	blk_start_plug(&plug);
	for (; !ret && first < end; first = next) {
		u64 base = round_down(first, DSFS_GROUP_BLOCKS);

		next = min(end, base + DSFS_GROUP_BLOCKS);
		ret = dsfs_load_group(src, base >> DSFS_GROUP_BITS, first - base,
				      next - base, &load);
	}
	blk_finish_plug(&plug);
	if (!atomic_dec_and_test(&load.pending))
		wait_for_completion(&load.done);
	return ret ? ret : load.failed ? -EIO : 0;
}

/* Read a block of a failed request alone. Return: true if it is good. */
static bool dsfs_retry_block(struct dsfs_source *src, u64 block, void *p)
{
	const u64 pos = src->geo.meta_start + block * DSFS_BLOCK_SIZE;

	if (src->retries_failed == DSFS_RETRY_MAX)
		return false;
	if (!dsfs_bdev_read(src->sb, pos, p, DSFS_BLOCK_SIZE))
		return dsfs_meta_block_good(src, block, p);
	if (++src->retries_failed == DSFS_RETRY_MAX)
		pr_warn("dsfs (%s): %u blocks of metadata could not be read alone: what else is in requests that failed is read when it is needed\n",
			src->sb->s_id, DSFS_RETRY_MAX);
	return false;
}

/*
 * Verify blocks and drop bad ones; an access will read them again. After an I/O
 * error (@failed) each bad block is read alone at once, because a request has
 * many blocks, and one bad place should not cost the others their residence.
 *
 * Return: 0, or -EINTR after a fatal signal.
 */
static int dsfs_drop_bad(struct dsfs_source *src, u64 first, u64 end,
			 bool failed)
{
	struct dsfs_group *group;
	u64 block;
	void **p;

	for (block = first; block < end; block++) {
		cond_resched();
		group = src->groups[block >> DSFS_GROUP_BITS];
		p = &group->block[block & (DSFS_GROUP_BLOCKS - 1)];
		if (dsfs_meta_block_good(src, block, *p))
			continue;
		if (fatal_signal_pending(current))
			return -EINTR;
		if (failed && dsfs_retry_block(src, block, *p))
			continue;
		src->bad_blocks++;
		dsfs_error_limited(src->sb, DSFS_LIMIT_META,
				   "metadata block at %llu is unreadable or damaged",
				   src->geo.meta_start + block * DSFS_BLOCK_SIZE);
		dsfs_block_free(p);
		src->resident_bytes -= DSFS_BLOCK_SIZE;
	}
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static u64 dsfs_memory_need(const struct dsfs_source *src,
			    enum dsfs_meta_mode mode)
{
	return mode == DSFS_META_RESIDENT ? src->geo.meta_bytes :
	       src->geo.regions[DSFS_REGION_BLOCKSUMS].bytes;
}

/*
 * Check that the metadata fits in available memory, none of which can be
 * swapped. The check is repeated while memory is allocated, as other tasks
 * allocate too.
 */
static int dsfs_check_memory(const struct dsfs_source *src,
			     enum dsfs_meta_mode mode, u64 *free)
{
	*free = ((u64)si_mem_available() << PAGE_SHIFT) + src->resident_bytes;
	return dsfs_memory_need(src, mode) <= *free ? 0 : -ENOMEM;
}

static int dsfs_load_sums(struct dsfs_source *src, struct fs_context *fc)
{
	const struct dsfs_region_info *r =
		&src->geo.regions[DSFS_REGION_BLOCKSUMS];
	u64 blocks, first = dsfs_region_block(src, DSFS_REGION_BLOCKSUMS,
					      &blocks);
	u64 i, left = r->bytes;
	u32 sum = 0;
	int ret;

	ret = dsfs_load_blocks(src, first, first + blocks);
	if (ret == -EIO)
		dsfs_fc_error(fc, src->sb,
			      "metadata checksums at %llu: I/O error", r->pos);
	if (ret)
		return ret;
	for (i = 0; i < blocks; i++, left -= DSFS_BLOCK_SIZE) {
		sum = dsfs_crc32c(sum, dsfs_resident(src, first + i),
				  min_t(u64, left, DSFS_BLOCK_SIZE));
		cond_resched();
	}
	if (sum == r->checksum)
		return 0;
	dsfs_fc_error(fc, src->sb,
		      "metadata checksums at %llu: checksum is 0x%x, should be 0x%x",
		      r->pos, sum, r->checksum);
	return -EBADMSG;
}

/* Verify region checksums, each of which covers a slice of BLOCKSUMS. */
static int dsfs_check_regions(struct dsfs_source *src, struct fs_context *fc)
{
	u64 first, blocks, base, i;
	unsigned int id;
	u32 sum;

	base = dsfs_region_block(src, DSFS_REGION_BLOCKSUMS, &blocks);
	for (id = DSFS_REGION_BLOCKSUMS + 1; id < DSFS_REGIONS_USED; id++) {
		first = dsfs_region_block(src, id, &blocks);
		sum = 0;
		for (i = first; i < first + blocks; i++) {
			u64 at = i * sizeof(__le32);
			const void *p = dsfs_resident(src, base +
						      (at >> DSFS_BLOCK_BITS));

			sum = dsfs_crc32c(sum, p + (at & (DSFS_BLOCK_SIZE - 1)),
					  sizeof(__le32));
			if (!(at & (DSFS_BLOCK_SIZE - 1)))
				cond_resched();
		}
		if (!blocks || sum == src->geo.regions[id].checksum)
			continue;
		dsfs_fc_error(fc, src->sb,
			      "region %u at %llu: checksum is 0x%x, should be 0x%x",
			      id, src->geo.regions[id].pos, sum,
			      src->geo.regions[id].checksum);
		return -EBADMSG;
	}
	return 0;
}

static int dsfs_load_all(struct dsfs_source *src, u64 *free)
{
	const u64 total = src->geo.meta_bytes >> DSFS_BLOCK_BITS;
	const u64 batch = (u64)DSFS_LOAD_GROUPS << DSFS_GROUP_BITS;
	u64 sums, sums_first = dsfs_region_block(src, DSFS_REGION_BLOCKSUMS,
						 &sums);
	u64 first, end;
	int ret;

	for (first = 0; first < total; first = end) {
		/* BLOCKSUMS is loaded already: skip it. */
		if (first == sums_first) {
			end = first + sums;
			continue;
		}
		end = min(total, round_down(first, batch) + batch);
		if (first < sums_first && end > sums_first)
			end = sums_first;
		ret = dsfs_check_memory(src, DSFS_META_RESIDENT, free);
		if (ret)
			return ret;
		ret = dsfs_load_blocks(src, first, end);
		if (ret && ret != -EIO)
			return ret;
		ret = dsfs_drop_bad(src, first, end, ret == -EIO);
		if (ret)
			return ret;
	}
	return 0;
}

/* Allocate the array of groups, and the bitmap of validated name blocks. */
static int dsfs_meta_tables(struct dsfs_source *src, enum dsfs_meta_mode mode)
{
	const u64 blocks = src->geo.meta_bytes >> DSFS_BLOCK_BITS;

	/*
	 * For a hundred million files: 32 KiB of pointers, and a bitmap of 256
	 * KiB
	 */
	src->nr_groups = DIV_ROUND_UP_ULL(blocks, DSFS_GROUP_BLOCKS);
	src->groups = kvcalloc(src->nr_groups, sizeof(*src->groups),
			       DSFS_META_GFP);
	if (!src->groups)
		return -ENOMEM;
	if (mode != DSFS_META_RESIDENT)
		return 0;
	src->names_good = kvcalloc(BITS_TO_LONGS(blocks),
				   sizeof(*src->names_good), DSFS_META_GFP);
	return src->names_good ? 0 : -ENOMEM;
}

/**
 * dsfs_meta_unload - free resident metadata
 * @src: metadata source; may be unloaded already
 */
void dsfs_meta_unload(struct dsfs_source *src)
{
	struct dsfs_group *group;
	unsigned long i;
	unsigned int j;

	for (i = 0; src->groups && i < src->nr_groups; i++) {
		group = src->groups[i];
		for (j = 0; group && j < DSFS_GROUP_BLOCKS; j++)
			dsfs_block_free(&group->block[j]);
		kfree(group);
		cond_resched();
	}
	kvfree(src->groups);
	src->groups = NULL;
	kvfree(src->names_good);
	src->names_good = NULL;
}

/*
 * Report lack of memory. @free: available at the last check; @had: allocated
 * before the failure. Not all available memory can be used by the kernel, so
 * both are needed.
 */
static void dsfs_report_no_memory(const struct dsfs_source *src, struct fs_context *fc,
				  enum dsfs_meta_mode mode, u64 free, u64 had)
{
	const u64 need = dsfs_memory_need(src, mode);
	const char *help = mode == DSFS_META_RESIDENT ? ": mount with meta=lazy" : "";

	if (need > free)
		dsfs_fc_error(fc, src->sb,
			      "metadata needs %llu KiB of memory, %llu are free%s",
			      need >> 10, free >> 10, help);
	else
		dsfs_fc_error(fc, src->sb,
			      "metadata needs %llu KiB of memory, there were no more than %llu%s",
			      need >> 10, had >> 10, help);
}

/**
 * dsfs_meta_load - load resident metadata
 * @src: metadata source
 * @fc: for messages
 * @mode: which metadata is resident
 *
 * Return: see dsfs_meta_open().
 */
int dsfs_meta_load(struct dsfs_source *src, struct fs_context *fc,
		   enum dsfs_meta_mode mode)
{
	u64 free, had;
	int ret;

	src->node = numa_mem_id();
	ret = dsfs_check_memory(src, mode, &free);
	if (!ret)
		ret = dsfs_meta_tables(src, mode);
	if (!ret)
		ret = dsfs_load_sums(src, fc);
	if (!ret)
		ret = dsfs_check_regions(src, fc);
	if (!ret && mode == DSFS_META_RESIDENT)
		ret = dsfs_load_all(src, &free);
	if (!ret)
		return 0;
	had = src->resident_bytes;
	dsfs_meta_unload(src);
	/* After the memory is freed, as a message needs some */
	if (ret == -ENOMEM)
		dsfs_report_no_memory(src, fc, mode, free, had);
	return ret;
}

/**
 * dsfs_meta_init - create the slab cache of metadata blocks
 *
 * Usercopy is allowed for whole blocks, as names are copied to userspace.
 *
 * Return: 0 or -ENOMEM.
 */
int __init dsfs_meta_init(void)
{
	dsfs_meta_cache = kmem_cache_create_usercopy("dsfs_metadata",
						     DSFS_BLOCK_SIZE,
						     DSFS_BLOCK_SIZE,
						     SLAB_NO_MERGE, 0,
						     DSFS_BLOCK_SIZE, NULL);
	return dsfs_meta_cache ? 0 : -ENOMEM;
}

/* dsfs_meta_exit - destroy the slab cache; there are no mounts */
void dsfs_meta_exit(void)
{
	kmem_cache_destroy(dsfs_meta_cache);
}
