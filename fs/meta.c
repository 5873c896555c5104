// SPDX-License-Identifier: GPL-2.0
/*
 * Metadata access.
 *
 * With meta=resident all metadata is loaded at mount (metaload.c) and stays in
 * memory, so that lookups do not wait for the device.
 *
 * Blocks that are not resident are read and verified on demand, through the
 * page cache of an internal inode: all blocks with meta=lazy, and blocks that
 * were unreadable or damaged at mount. Block checksums are always resident.
 */
#include "trace.h"

#include <linux/mm.h>
#include <linux/pagemap.h>

static int dsfs_lazy_read_folio(struct file *file, struct folio *folio)
{
	struct dsfs_source *src = dsfs_src(folio->mapping->host->i_sb);
	const u64 pos = folio_pos(folio);
	const u64 left = src->geo.meta_bytes - pos;
	const size_t len = min_t(u64, left, folio_size(folio));
	size_t off;
	int ret;

	dsfs_count_requests(src->sb, DSFS_REQUEST_META, 1, len);
	ret = dsfs_bdev_read(src->sb, src->geo.meta_start + pos,
			     folio_address(folio), len);
	trace_dsfs_meta_read(src->sb, src->geo.meta_start + pos, len, ret);
	if (ret) {
		atomic64_inc(&DSFS_SB(src->sb)->io_errors);
		dsfs_error_limited(src->sb, DSFS_LIMIT_META,
				   "metadata block at %llu is unreadable",
				   src->geo.meta_start + pos);
	}
	for (off = 0; !ret && off < len; off += DSFS_BLOCK_SIZE) {
		if (dsfs_meta_block_good(src, (pos + off) >> DSFS_BLOCK_BITS,
					 folio_address(folio) + off))
			continue;
		atomic64_inc(&DSFS_SB(src->sb)->sum_errors);
		trace_dsfs_checksum_failure(src->sb, 0, src->geo.meta_start + pos + off,
					    DSFS_BLOCK_SIZE);
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
	/* No highmem: folio_address() is used. */
	mapping_set_gfp_mask(inode->i_mapping, GFP_KERNEL);
	src->lazy = inode;
	return 0;
}

/**
 * dsfs_lazy_get - get metadata that is not resident
 * @src: metadata source
 * @at: byte offset in the metadata area
 * @ref: filled in; release it with dsfs_meta_put()
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
	dsfs_meta_unload(src);
	iput(src->lazy);
	src->lazy = NULL;
}
