// SPDX-License-Identifier: GPL-2.0
/*
 * Metadata access.
 *
 * With meta=resident all metadata is loaded at mount (metaload.c) and stays in
 * memory, so that lookups do not wait for the device; with meta=SIZE what has room.
 *
 * Blocks that are not resident are read and verified on demand, and kept in the page
 * cache of an internal inode: all blocks with meta=lazy, those that have no room with
 * meta=SIZE, and those that were unreadable or damaged at mount. Block checksums are
 * always resident.
 *
 * They are read into memory of their own (bdev.c) and copied after verification, so that
 * a task that waits for the device can be killed and leaves no read into the page cache.
 *
 * A request takes a device about as long for a few blocks as for one, and what is next to
 * a block that was asked for is of the same directory, or of the next one. So 16 KiB are
 * read, in one folio.
 *
 * A folio larger than a block may have a bad block. A caller that needs another block of
 * it gets that block alone, in a folio outside the page cache.
 */
#include "trace.h"

#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>

static int dsfs_lazy_verify(struct dsfs_source *src, u64 at, const void *p)
{
	const u64 pos = src->geo.meta_start + at;

	if (dsfs_meta_block_good(src, at >> DSFS_BLOCK_BITS, p))
		return 0;
	atomic64_inc(&DSFS_SB(src->sb)->sum_errors);
	trace_dsfs_checksum_failure(src->sb, 0, pos, DSFS_BLOCK_SIZE);
	dsfs_error_limited(src->sb, DSFS_LIMIT_META,
			   "metadata block at %llu is damaged", pos);
	return -EBADMSG;
}

#define DSFS_LAZY_ORDER	max(ilog2(DSFS_LAZY_BYTES) - PAGE_SHIFT, 0)

/*
 * Read @len bytes at @at to @place in memory. Return: 0, -EIO, -EBADMSG,
 * or -EINTR after a fatal signal.
 */
static int dsfs_lazy_read(struct dsfs_source *src, struct dsfs_mem *mem, u64 at, size_t place,
			  size_t len)
{
	const u64 pos = src->geo.meta_start + at;
	size_t off;
	int ret;

	dsfs_count_request(src->sb, DSFS_REQUEST_META, len);
	ret = dsfs_mem_read(mem, src->sb, pos, place, len);
	trace_dsfs_meta_read(src->sb, pos, len, ret);
	if (ret == -EIO) {
		atomic64_inc(&DSFS_SB(src->sb)->io_errors);
		dsfs_error_limited(src->sb, DSFS_LIMIT_META,
				   "metadata block at %llu is unreadable", pos);
	}
	for (off = 0; !ret && off < len; off += DSFS_BLOCK_SIZE)
		ret = dsfs_lazy_verify(src, at + off, mem->p + place + off);
	return ret;
}

/* Read one block of a folio that has bad ones into a folio of its own, or an ERR_PTR. */
static struct folio *dsfs_lazy_alone(struct dsfs_source *src, struct dsfs_mem *mem, u64 at)
{
	const u64 block = round_down(at, DSFS_BLOCK_SIZE);
	const size_t place = offset_in_page(block);
	int ret = dsfs_lazy_read(src, mem, block, place, DSFS_BLOCK_SIZE);
	struct folio *folio;

	if (ret)
		return ERR_PTR(ret);
	folio = folio_alloc(GFP_KERNEL, 0);
	if (!folio)
		return ERR_PTR(-ENOMEM);
	memcpy(folio_address(folio) + place, mem->p + place, DSFS_BLOCK_SIZE);
	folio_mark_uptodate(folio);
	return folio;
}

/*
 * Read a folio that is locked. Return: the folio, or another one if only the block at
 * @at can be read, or an ERR_PTR: -EIO, -EBADMSG, -ENOMEM, -EINTR after a fatal signal.
 */
static struct folio *dsfs_lazy_fill(struct dsfs_source *src, struct folio *folio, u64 at)
{
	const u64 start = folio_pos(folio);
	const size_t size = folio_size(folio), len = min_t(u64, src->geo.meta_bytes - start, size);
	struct dsfs_mem *mem = dsfs_mem_new(src->sb, size);
	int ret;

	if (!mem)
		return ERR_PTR(-ENOMEM);
	ret = dsfs_lazy_read(src, mem, start, 0, len);
	if (!ret) {
		memcpy(folio_address(folio), mem->p, len);
		memset(folio_address(folio) + len, 0, size - len);
		folio_mark_uptodate(folio);
	} else {
		folio = size > DSFS_BLOCK_SIZE && ret != -EINTR ?
			dsfs_lazy_alone(src, mem, at) : ERR_PTR(ret);
	}
	dsfs_mem_put(mem);
	return folio;
}

/* Add a folio that has @index, and others where they are free. Return: as dsfs_add_folio(). */
static struct folio *dsfs_lazy_add(struct address_space *mapping, pgoff_t index)
{
	const gfp_t gfp = mapping_gfp_mask(mapping);
	struct folio *folio = dsfs_add_folio(mapping, round_down(index, 1UL << DSFS_LAZY_ORDER),
					     DSFS_LAZY_ORDER, gfp);

	if (folio == ERR_PTR(-EEXIST))
		return dsfs_add_folio(mapping, index, 0, gfp);
	if (IS_ERR(folio) || folio_contains(folio, index))
		return folio;
	/* There was memory for one page only. */
	folio_unlock(folio);
	return dsfs_add_folio(mapping, index, 0, gfp);
}

/* Get a folio with a reference, which may be new, or an ERR_PTR: -ENOMEM, -EAGAIN. */
static struct folio *dsfs_lazy_folio(struct address_space *mapping, pgoff_t index)
{
	struct folio *folio = __filemap_get_folio(mapping, index, FGP_ACCESSED, 0);

	if (!IS_ERR_OR_NULL(folio))
		return folio;
	folio = dsfs_lazy_add(mapping, index);
	if (IS_ERR(folio))
		return folio == ERR_PTR(-EEXIST) ? ERR_PTR(-EAGAIN) : folio;
	folio_get(folio);
	folio_unlock(folio);
	return folio;
}

/*
 * Get metadata that is not resident. Return: as dsfs_lazy_fill(); -EAGAIN if the folio was
 * removed meanwhile. read_mapping_folio() is not used, because a task that waits in it for
 * another task's read cannot be killed.
 */
static struct folio *dsfs_lazy_get(struct dsfs_source *src, u64 at)
{
	struct folio *folio, *got;

	folio = dsfs_lazy_folio(src->lazy->i_mapping, at >> PAGE_SHIFT);
	if (IS_ERR(folio) || folio_test_uptodate(folio))
		return folio;
	got = ERR_PTR(-EINTR);
	if (!folio_lock_killable(folio)) {
		got = folio;
		if (!folio->mapping)
			got = ERR_PTR(-EAGAIN);
		else if (!folio_test_uptodate(folio))
			got = dsfs_lazy_fill(src, folio, at);
		folio_unlock(folio);
	}
	if (got != folio)
		folio_put(folio);
	return got;
}

/**
 * dsfs_meta_get_other - get metadata when not all of it is resident
 * @src: metadata source
 * @at: byte offset in the metadata area
 * @ref: filled in; release it with dsfs_meta_put()
 *
 * Return: 0, -EIO, -EBADMSG, -ENOMEM, or -EINTR after a fatal signal.
 */
int dsfs_meta_get_other(struct dsfs_source *src, u64 at, struct dsfs_mref *ref)
{
	struct folio *folio;

	ref->p = dsfs_meta_resident(src, at);
	ref->priv = NULL;
	if (ref->p)
		return 0;
	do {
		folio = dsfs_lazy_get(src, at);
	} while (folio == ERR_PTR(-EAGAIN));
	if (IS_ERR(folio))
		return PTR_ERR(folio);
	ref->p = folio_address(folio) + offset_in_folio(folio, at);
	ref->priv = folio;
	return 0;
}

void dsfs_meta_release(struct dsfs_mref *ref)
{
	folio_put(ref->priv);
}
