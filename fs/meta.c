// SPDX-License-Identifier: GPL-2.0
/*
 * Metadata access.
 *
 * With meta=resident all metadata is loaded at mount (metaload.c) and stays in
 * memory, so that lookups do not wait for the device.
 *
 * Blocks that are not resident are read and verified on demand, killably, into
 * the page cache of an internal inode: all blocks with meta=lazy, and blocks that
 * were unreadable or damaged at mount. Block checksums are always resident.
 */
#include "trace.h"

#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>

/*
 * The read of a folio of metadata. A worker verifies it, as a completion must
 * not take that long. The reader may be killed while it waits.
 */
struct dsfs_lazy_read {
	struct work_struct work;
	struct completion done;	/* @ret is set, and the folio is unlocked */
	refcount_t ref;		/* the reader's, and the worker's */
	struct dsfs_source *src;
	struct folio *folio;
	int ret;
	struct bio bio;
	struct bio_vec vec;
};

static void dsfs_lazy_put(struct dsfs_lazy_read *rd)
{
	if (refcount_dec_and_test(&rd->ref))
		kfree(rd);
}

static u64 dsfs_lazy_pos(const struct dsfs_lazy_read *rd)
{
	return rd->src->geo.meta_start + folio_pos(rd->folio);
}

static size_t dsfs_lazy_len(const struct dsfs_lazy_read *rd)
{
	return min_t(u64, rd->src->geo.meta_bytes - folio_pos(rd->folio),
		     folio_size(rd->folio));
}

static int dsfs_lazy_verify(const struct dsfs_lazy_read *rd)
{
	const u64 pos = folio_pos(rd->folio), at = dsfs_lazy_pos(rd);
	struct super_block *sb = rd->src->sb;
	size_t off;
	int ret = 0;

	for (off = 0; off < dsfs_lazy_len(rd); off += DSFS_BLOCK_SIZE) {
		if (dsfs_meta_block_good(rd->src, (pos + off) >> DSFS_BLOCK_BITS,
					 folio_address(rd->folio) + off))
			continue;
		atomic64_inc(&DSFS_SB(sb)->sum_errors);
		trace_dsfs_checksum_failure(sb, 0, at + off, DSFS_BLOCK_SIZE);
		dsfs_error_limited(sb, DSFS_LIMIT_META,
				   "metadata block at %llu is damaged", at + off);
		ret = -EBADMSG;
	}
	return ret;
}

static void dsfs_lazy_work(struct work_struct *work)
{
	struct dsfs_lazy_read *rd = container_of(work, struct dsfs_lazy_read, work);
	struct super_block *sb = rd->src->sb;
	const size_t len = dsfs_lazy_len(rd);

	rd->ret = rd->bio.bi_status ? -EIO : 0;
	bio_uninit(&rd->bio);
	trace_dsfs_meta_read(sb, dsfs_lazy_pos(rd), len, rd->ret);
	if (rd->ret) {
		atomic64_inc(&DSFS_SB(sb)->io_errors);
		dsfs_error_limited(sb, DSFS_LIMIT_META, "metadata block at %llu is unreadable",
				   dsfs_lazy_pos(rd));
	} else {
		rd->ret = dsfs_lazy_verify(rd);
	}
	if (!rd->ret) {
		folio_zero_segment(rd->folio, len, folio_size(rd->folio));
		folio_mark_uptodate(rd->folio);
	}
	/* An unmount waits for the folio: nothing of the mount is used behind this. */
	folio_unlock(rd->folio);
	complete(&rd->done);
	dsfs_lazy_put(rd);
}

static void dsfs_lazy_end_io(struct bio *bio)
{
	struct dsfs_lazy_read *rd = container_of(bio, struct dsfs_lazy_read, bio);

	queue_work(DSFS_SB(rd->src->sb)->read_wq, &rd->work);
}

/*
 * Read a folio that is locked, which the end of the read unlocks. Return: 0,
 * -EIO, -EBADMSG, -ENOMEM, or -EINTR after a fatal signal.
 */
static int dsfs_lazy_read(struct dsfs_source *src, struct folio *folio)
{
	struct dsfs_lazy_read *rd = kmalloc(sizeof(*rd), GFP_KERNEL);
	int ret;

	if (!rd) {
		folio_unlock(folio);
		return -ENOMEM;
	}
	INIT_WORK(&rd->work, dsfs_lazy_work);
	init_completion(&rd->done);
	refcount_set(&rd->ref, 2);
	rd->src = src;
	rd->folio = folio;
	bio_init(&rd->bio, src->sb->s_bdev, &rd->vec, 1, REQ_OP_READ | REQ_META);
	rd->bio.bi_iter.bi_sector = dsfs_lazy_pos(rd) >> SECTOR_SHIFT;
	rd->bio.bi_end_io = dsfs_lazy_end_io;
	__bio_add_page(&rd->bio, folio_page(folio, 0), dsfs_lazy_len(rd), 0);
	dsfs_count_requests(src->sb, DSFS_REQUEST_META, 1, dsfs_lazy_len(rd));
	submit_bio(&rd->bio);
	ret = wait_for_completion_killable(&rd->done) ? -EINTR : rd->ret;
	dsfs_lazy_put(rd);
	return ret;
}

static int dsfs_lazy_open(struct dsfs_source *src)
{
	struct inode *inode = new_inode(src->sb);

	if (!inode)
		return -ENOMEM;
	set_nlink(inode, 1);
	inode->i_size = src->geo.meta_bytes;
	/* No highmem: folio_address() is used. */
	mapping_set_gfp_mask(inode->i_mapping, GFP_KERNEL);
	src->lazy = inode;
	return 0;
}

/* Make a folio uptodate. Return: as dsfs_lazy_read(); -EAGAIN: get it anew. */
static int dsfs_lazy_fill(struct dsfs_source *src, struct folio *folio)
{
	int ret = 0;

	if (folio_test_uptodate(folio))
		return 0;
	if (folio_lock_killable(folio))
		return -EINTR;
	if (!folio->mapping)
		ret = -EAGAIN;
	else if (!folio_test_uptodate(folio))
		return dsfs_lazy_read(src, folio);
	folio_unlock(folio);
	return ret;
}

/**
 * dsfs_lazy_get - get metadata that is not resident
 * @src: metadata source
 * @at: byte offset in the metadata area
 * @ref: filled in; release it with dsfs_meta_put()
 *
 * The page cache has functions for this, which cannot be killed while another
 * task reads the folio.
 *
 * Return: 0, -EIO, -EBADMSG, -ENOMEM, or -EINTR after a fatal signal.
 */
int dsfs_lazy_get(struct dsfs_source *src, u64 at, struct dsfs_mref *ref)
{
	struct address_space *mapping = src->lazy->i_mapping;
	struct folio *folio;
	int ret;

	do {
		folio = __filemap_get_folio(mapping, at >> PAGE_SHIFT,
					    FGP_CREAT | FGP_ACCESSED | FGP_FOR_MMAP,
					    mapping_gfp_mask(mapping));
		if (IS_ERR_OR_NULL(folio))
			return -ENOMEM;
		ret = dsfs_lazy_fill(src, folio);
		if (ret)
			folio_put(folio);
	} while (ret == -EAGAIN);
	if (ret)
		return ret;
	ref->p = folio_address(folio) + offset_in_folio(folio, at);
	ref->priv = folio;
	return 0;
}

/**
 * dsfs_meta_hold_cached - get metadata without waiting for the device
 * @src: metadata source
 * @region: the region
 * @off: byte offset in the region, below its length
 * @ref: filled in; release it with dsfs_meta_put()
 *
 * While the reference is held, dsfs_meta_get() of the same block does not wait.
 *
 * Return: true if the metadata is in memory and verified.
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
 * dsfs_meta_open - set up metadata access of a mount
 * @src: metadata source, with super block and geometry set
 * @fc: for messages
 * @mode: which metadata is resident
 *
 * Return: 0; -ENOMEM; -EINTR; -EIO or -EBADMSG if BLOCKSUMS or a region
 * checksum is bad. Other damaged blocks are reported, and fail when they are
 * used.
 */
int dsfs_meta_open(struct dsfs_source *src, struct fs_context *fc,
		   enum dsfs_meta_mode mode)
{
	int ret;

	ret = dsfs_lazy_open(src);
	if (!ret)
		ret = dsfs_meta_load(src, fc, mode);
	if (ret)
		dsfs_meta_close(src);
	return ret;
}

/**
 * dsfs_meta_close - release all metadata
 * @src: metadata source; may be closed already
 */
void dsfs_meta_close(struct dsfs_source *src)
{
	/* Waits for reads whose tasks were killed; they need the checksums. */
	iput(src->lazy);
	src->lazy = NULL;
	dsfs_meta_unload(src);
}
