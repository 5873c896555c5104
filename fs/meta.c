// SPDX-License-Identifier: GPL-2.0
/*
 * Metadata in memory: the only way to it.
 *
 * A lookup that waits for a device is what this file system exists to avoid, so
 * with meta=resident all metadata is read at mount in large requests, verified
 * block by block and kept in pages of our own.  They are no page cache: neither
 * drop_caches nor BLKFLSBUF nor memory pressure takes them away.
 *
 * A block that is not resident (all of them with meta=lazy, and one that was
 * unreadable at mount) is read and verified through the page cache of an inode
 * that has no name.  Block checksums are always resident.
 */
#include "internal.h"

#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

/* Metadata is loaded in batches of this many groups (of 2 MiB) at a time. */
#define DSFS_LOAD_GROUPS	8

/**
 * dsfs_bdev_read - read from the device and wait
 * @sb: the image
 * @pos: byte offset, a multiple of the logical block size
 * @p: where to, in one page of low memory
 * @len: bytes, a multiple of the logical block size, at most PAGE_SIZE
 *
 * Return: 0, or -EIO whatever the device calls its failure.
 */
int dsfs_bdev_read(struct super_block *sb, u64 pos, void *p, unsigned int len)
{
	struct bio_vec vec;
	struct bio bio;
	int ret;

	bio_init(&bio, sb->s_bdev, &vec, 1, REQ_OP_READ | REQ_META);
	bio.bi_iter.bi_sector = pos >> SECTOR_SHIFT;
	__bio_add_page(&bio, virt_to_page(p), len, offset_in_page(p));
	ret = submit_bio_wait(&bio);
	bio_uninit(&bio);
	return ret ? -EIO : 0;
}

/* First metadata block of a region, and how many there are. */
static u64 dsfs_region_block(const struct dsfs_source *src, unsigned int id,
			     u64 *blocks)
{
	const struct dsfs_region_info *r = &src->geo.regions[id];

	*blocks = (r->bytes + DSFS_BLOCK_SIZE - 1) >> DSFS_BLOCK_BITS;
	return (r->pos - src->geo.meta_start) >> DSFS_BLOCK_BITS;
}

/* Does a block have the checksum that BLOCKSUMS, resident by now, says? */
static bool dsfs_block_good(const struct dsfs_source *src, u64 block,
			    const void *p)
{
	u64 blocks, first = dsfs_region_block(src, DSFS_REGION_BLOCKSUMS,
					      &blocks);
	u64 at = block * sizeof(__le32);
	const __le32 *sums;

	/* BLOCKSUMS itself was verified as a whole. */
	if (block >= first && block - first < blocks)
		return true;
	sums = dsfs_resident(src, first + (at >> DSFS_BLOCK_BITS));
	return le32_to_cpu(sums[(at & (DSFS_BLOCK_SIZE - 1)) / sizeof(*sums)]) ==
	       dsfs_crc32c(0, p, DSFS_BLOCK_SIZE);
}

/*
 * Loading
 */

/* Pages of a batch that is being read: all bios count down @pending. */
struct dsfs_load {
	atomic_t pending;
	bool failed;
	struct completion done;
};

/*
 * What a failed read left in memory may be there because something below, as
 * dm-verity, refused it: it must not pass because its crc32c is right.
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
 * Memory for blocks [first, last) of one group, as contiguous as it comes: the
 * device's segment limit, not its request limit, is what short pieces run into.
 */
static int dsfs_group_alloc(struct dsfs_group *group, unsigned int first,
			    unsigned int last)
{
	const unsigned int per_page = PAGE_SIZE / DSFS_BLOCK_SIZE;
	unsigned int order = get_order((last - first) * DSFS_BLOCK_SIZE);
	unsigned int i, n;
	struct page *page;

	while (first < last) {
		while ((per_page << order) > roundup(last - first, per_page) &&
		       order)
			order--;
		page = alloc_pages(GFP_KERNEL | __GFP_ZERO |
				   (order ? __GFP_NORETRY | __GFP_NOWARN : 0),
				   order);
		if (!page) {
			if (!order)
				return -ENOMEM;
			order--;
			continue;
		}
		split_page(page, order);
		n = min(last - first, per_page << order);
		for (i = 0; i < n; i++) {
			group->block[first + i] = page_address(page) +
						  i * DSFS_BLOCK_SIZE;
			/* Each block holds its page; the first has that already. */
			if (i % per_page)
				get_page(page + i / per_page);
		}
		first += n;
	}
	return 0;
}

static void dsfs_block_free(void **block)
{
	if (*block)
		put_page(virt_to_page(*block));
	*block = NULL;
}

static void dsfs_load_submit(struct dsfs_load *load, struct bio *bio)
{
	atomic_inc(&load->pending);
	submit_bio(bio);
}

/* Read blocks [first, last) of a group: bios as long as they can be. */
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

/* Memory for blocks [from, to) of a group, and requests that fill it. */
static int dsfs_load_group(struct dsfs_source *src, unsigned long group,
			   unsigned int from, unsigned int to,
			   struct dsfs_load *load)
{
	struct dsfs_group **g = &src->groups[group];
	int ret;

	if (!*g)
		*g = kzalloc(sizeof(**g), GFP_KERNEL);
	if (!*g)
		return -ENOMEM;
	ret = dsfs_group_alloc(*g, from, to);
	if (ret)
		return ret;
	src->resident_bytes += (u64)(to - from) * DSFS_BLOCK_SIZE;
	dsfs_group_read(src, group, from, to, load);
	return 0;
}

/*
 * Read blocks [first, end) into new pages; they are not verified yet.  -EIO:
 * some were not read, hold zeros, and will fail their checksum like other damage.
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

/*
 * Forget blocks that are not what they should be; a read will try again.  After
 * an I/O error (@failed) that is tried at once: a request holds many blocks, and
 * those that are good shall be resident.
 */
static void dsfs_drop_bad(struct dsfs_source *src, u64 first, u64 end,
			  bool failed)
{
	struct dsfs_group *group;
	u64 block, pos;
	void **p;

	for (block = first; block < end; block++) {
		pos = src->geo.meta_start + block * DSFS_BLOCK_SIZE;
		group = src->groups[block >> DSFS_GROUP_BITS];
		p = &group->block[block & (DSFS_GROUP_BLOCKS - 1)];
		if (dsfs_block_good(src, block, *p))
			continue;
		if (failed &&
		    !dsfs_bdev_read(src->sb, pos, *p, DSFS_BLOCK_SIZE) &&
		    dsfs_block_good(src, block, *p))
			continue;
		src->bad_blocks++;
		dsfs_error_limited(src->sb, DSFS_LIMIT_META,
				   "metadata block at %llu is unreadable or damaged",
				   pos);
		dsfs_block_free(p);
		src->resident_bytes -= DSFS_BLOCK_SIZE;
	}
}

/* An image may ask for more memory than there is; none of it can be swapped. */
static int dsfs_check_memory(struct dsfs_source *src, struct fs_context *fc,
			     enum dsfs_meta_mode mode)
{
	const u64 free = (u64)si_mem_available() << PAGE_SHIFT;
	const u64 need = mode == DSFS_META_RESIDENT ? src->geo.meta_bytes :
			 src->geo.regions[DSFS_REGION_BLOCKSUMS].bytes;

	if (need <= free)
		return 0;
	dsfs_fc_error(fc, src->sb,
		      "metadata needs %llu KiB of memory, %llu are free%s",
		      need >> 10, free >> 10,
		      mode == DSFS_META_RESIDENT ? ": mount with meta=lazy" : "");
	return -ENOMEM;
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

/* Region checksums cover their slice of BLOCKSUMS. */
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

static int dsfs_load_all(struct dsfs_source *src, struct fs_context *fc)
{
	const u64 total = src->geo.meta_bytes >> DSFS_BLOCK_BITS;
	const u64 batch = (u64)DSFS_LOAD_GROUPS << DSFS_GROUP_BITS;
	u64 sums, sums_first = dsfs_region_block(src, DSFS_REGION_BLOCKSUMS,
						 &sums);
	u64 first, end;
	int ret;

	for (first = 0; first < total; first = end) {
		/* BLOCKSUMS is there already: go round it. */
		if (first == sums_first) {
			end = first + sums;
			continue;
		}
		end = min(total, round_down(first, batch) + batch);
		if (first < sums_first && end > sums_first)
			end = sums_first;
		ret = dsfs_load_blocks(src, first, end);
		if (ret && ret != -EIO)
			return ret;
		dsfs_drop_bad(src, first, end, ret == -EIO);
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

/*
 * What is not resident
 */

static int dsfs_lazy_read_folio(struct file *file, struct folio *folio)
{
	struct dsfs_source *src = dsfs_src(folio->mapping->host->i_sb);
	const u64 pos = folio_pos(folio);
	const u64 left = src->geo.meta_bytes - pos;
	const size_t len = min_t(u64, left, folio_size(folio));
	size_t off;
	int ret;

	ret = dsfs_bdev_read(src->sb, src->geo.meta_start + pos,
			     folio_address(folio), len);
	if (ret) {
		atomic64_inc(&DSFS_SB(src->sb)->io_errors);
		dsfs_error_limited(src->sb, DSFS_LIMIT_META,
				   "metadata block at %llu is unreadable",
				   src->geo.meta_start + pos);
	}
	for (off = 0; !ret && off < len; off += DSFS_BLOCK_SIZE) {
		if (dsfs_block_good(src, (pos + off) >> DSFS_BLOCK_BITS,
				    folio_address(folio) + off))
			continue;
		atomic64_inc(&DSFS_SB(src->sb)->sum_errors);
		dsfs_error_limited(src->sb, DSFS_LIMIT_META,
				   "metadata block at %llu is damaged",
				   src->geo.meta_start + pos + off);
		ret = -EBADMSG;
	}
	if (!ret) {
		folio_zero_segment(folio, len, folio_size(folio));
		folio_mark_uptodate(folio);
	}
	folio_unlock(folio);
	return ret;
}

static const struct address_space_operations dsfs_lazy_aops = {
	.read_folio	= dsfs_lazy_read_folio,
};

static int dsfs_lazy_open(struct dsfs_source *src)
{
	struct inode *inode = new_inode(src->sb);

	if (!inode)
		return -ENOMEM;
	set_nlink(inode, 1);
	inode->i_size = src->geo.meta_bytes;
	inode->i_mapping->a_ops = &dsfs_lazy_aops;
	/* It is reached by folio_address(). */
	mapping_set_gfp_mask(inode->i_mapping, GFP_KERNEL);
	src->lazy = inode;
	return 0;
}

/**
 * dsfs_lazy_get - hold metadata that is not resident
 * @src: the source
 * @at: byte offset in its metadata
 * @ref: filled in
 *
 * Return: 0, -EIO, -EBADMSG, -ENOMEM.
 */
int dsfs_lazy_get(struct dsfs_source *src, u64 at, struct dsfs_mref *ref)
{
	struct folio *folio;

	folio = read_mapping_folio(src->lazy->i_mapping, at >> PAGE_SHIFT,
				   NULL);
	if (IS_ERR(folio))
		return PTR_ERR(folio);
	ref->p = folio_address(folio) + offset_in_folio(folio, at);
	ref->priv = folio;
	return 0;
}

/**
 * dsfs_meta_hold_cached - hold metadata if nobody has to wait for it
 * @src: the source
 * @region: where it is
 * @off: byte offset in the region, below its length
 * @ref: filled in; dsfs_meta_put() gives it back
 *
 * As long as it is held, dsfs_meta_get() of what lies in the same block does not wait.
 *
 * Return: whether it is in memory, and verified.
 */
bool dsfs_meta_hold_cached(struct dsfs_source *src, enum dsfs_region_id region,
			   u64 off, struct dsfs_mref *ref)
{
	const u64 at = src->geo.regions[region].pos - src->geo.meta_start + off;
	struct folio *folio;

	ref->priv = NULL;
	if (dsfs_resident(src, at >> DSFS_BLOCK_BITS))
		return true;
	folio = filemap_get_folio(src->lazy->i_mapping, at >> PAGE_SHIFT);
	if (IS_ERR_OR_NULL(folio))
		return false;
	ref->priv = folio;
	if (folio_test_uptodate(folio))
		return true;
	dsfs_meta_put(ref);
	return false;
}

void dsfs_meta_release(struct dsfs_mref *ref)
{
	folio_put(ref->priv);
}

/**
 * dsfs_meta_open - make the metadata of a mount available
 * @src: with superblock and geometry set
 * @fc: for messages
 * @mode: where it is kept
 *
 * Return: 0, -ENOMEM, -EIO or -EBADMSG for the checksums of metadata, -EINTR.
 * Other damage is reported and fails what it holds.
 */
int dsfs_meta_open(struct dsfs_source *src, struct fs_context *fc,
		   enum dsfs_meta_mode mode)
{
	const u64 blocks = src->geo.meta_bytes >> DSFS_BLOCK_BITS;
	int ret;

	ret = dsfs_check_memory(src, fc, mode);
	if (ret)
		return ret;
	/* One pointer for 2 MiB of metadata: 32 KiB for a hundred million files */
	src->nr_groups = DIV_ROUND_UP_ULL(blocks, DSFS_GROUP_BLOCKS);
	src->groups = kvcalloc(src->nr_groups, sizeof(*src->groups),
			       GFP_KERNEL);
	if (!src->groups)
		return -ENOMEM;
	ret = dsfs_lazy_open(src);
	if (!ret)
		ret = dsfs_load_sums(src, fc);
	if (!ret)
		ret = dsfs_check_regions(src, fc);
	if (!ret && mode == DSFS_META_RESIDENT)
		ret = dsfs_load_all(src, fc);
	if (ret)
		dsfs_meta_close(src);
	return ret;
}

/**
 * dsfs_meta_close - let go of all metadata
 * @src: the source; may be closed already
 */
void dsfs_meta_close(struct dsfs_source *src)
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
	iput(src->lazy);
	src->lazy = NULL;
}
