// SPDX-License-Identifier: GPL-2.0
/*
 * Metadata access: to what is resident (metaload.c), and to what is not.
 *
 * Blocks that are not resident, or were bad at mount, are read and verified on demand, and
 * kept in the page cache of an internal inode. They are read into memory of their own
 * (bdev.c), and a page comes into the page cache when it is verified. So no page of it is
 * locked for longer than that takes: nobody waits for a task that waits for the device, may
 * be killed there, or gets no processor time. Tasks that want the same block at the same
 * time ask for it once each.
 *
 * 16 KiB are read together: what is next to a block is of the same directory, or of the
 * next one. If there is a bad block in a page, a caller that needs another one gets the page
 * outside of the page cache.
 */
#include "trace.h"

#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>

/* What is read together: of the metadata area, and in memory from the start of it */
struct dsfs_lazy {
	struct dsfs_source *src;
	struct dsfs_mem *mem;
	u64 start;
	u64 from, to;	/* what was read */
};

#define DSFS_LAZY_SPAN	max_t(u64, DSFS_LAZY_BYTES, PAGE_SIZE)

static const char *dsfs_lazy_at(const struct dsfs_lazy *lazy, u64 at)
{
	return lazy->mem->p + (at - lazy->start);
}

static int dsfs_lazy_verify(const struct dsfs_lazy *lazy, u64 at)
{
	const u64 block = at >> DSFS_BLOCK_BITS, pos = lazy->src->geo.meta_start + at;
	struct super_block *sb = lazy->src->sb;

	if (dsfs_meta_block_good(lazy->src, block, dsfs_lazy_at(lazy, at)))
		return 0;
	atomic64_inc(&DSFS_SB(sb)->sum_errors);
	trace_dsfs_checksum_failure(sb, 0, pos, DSFS_BLOCK_SIZE);
	dsfs_error_limited(sb, DSFS_LIMIT_META, "metadata block at %llu is damaged", pos);
	return -EBADMSG;
}

/* Read what @lazy says. Return: 0, -EIO, or -EINTR after a fatal signal. */
static int dsfs_lazy_read(const struct dsfs_lazy *lazy)
{
	const u64 pos = lazy->src->geo.meta_start + lazy->from, len = lazy->to - lazy->from;
	struct super_block *sb = lazy->src->sb;
	int ret;

	dsfs_count_request(sb, DSFS_REQUEST_META, len);
	ret = dsfs_mem_read(lazy->mem, sb, pos, lazy->from - lazy->start, len);
	trace_dsfs_meta_read(sb, pos, len, ret);
	if (ret == -EIO) {
		atomic64_inc(&DSFS_SB(sb)->io_errors);
		dsfs_error_limited(sb, DSFS_LIMIT_META,
				   "metadata block at %llu is unreadable", pos);
	}
	return ret;
}

/* Make a page of what was read, which stays in the page cache if all of it is good. */
static struct folio *dsfs_lazy_folio(const struct dsfs_lazy *lazy, u64 at)
{
	struct address_space *mapping = lazy->src->lazy->i_mapping;
	const gfp_t gfp = mapping_gfp_mask(mapping);
	const u64 end = min(at + PAGE_SIZE, lazy->src->geo.meta_bytes);
	struct folio *folio = folio_alloc(gfp | __GFP_ZERO, 0);
	bool good = lazy->from <= at && end <= lazy->to;
	u64 block = max(at, lazy->from);

	if (!folio)
		return NULL;
	for (; block < min(end, lazy->to); block += DSFS_BLOCK_SIZE) {
		good &= dsfs_meta_block_good(lazy->src, block >> DSFS_BLOCK_BITS,
					     dsfs_lazy_at(lazy, block));
		memcpy(folio_address(folio) + (block - at), dsfs_lazy_at(lazy, block),
		       DSFS_BLOCK_SIZE);
	}
	folio_mark_uptodate(folio);
	if (good && !filemap_add_folio(mapping, folio, at >> PAGE_SHIFT, gfp))
		folio_unlock(folio);
	return folio;
}

/* Make pages of what was read. Return: the one with @at, or an ERR_PTR: -EBADMSG, -ENOMEM. */
static struct folio *dsfs_lazy_fill(const struct dsfs_lazy *lazy, u64 at)
{
	struct folio *folio, *got = ERR_PTR(-ENOMEM);
	const int ret = dsfs_lazy_verify(lazy, round_down(at, DSFS_BLOCK_SIZE));
	u64 page = round_down(lazy->from, PAGE_SIZE);

	for (; !ret && page < lazy->to; page += PAGE_SIZE) {
		folio = dsfs_lazy_folio(lazy, page);
		if (folio && page == round_down(at, PAGE_SIZE))
			got = folio;
		else if (folio)
			folio_put(folio);
	}
	return ret ? ERR_PTR(ret) : got;
}

/*
 * Get metadata that is not resident: a folio with a reference, or an ERR_PTR: -EIO, -EBADMSG,
 * -ENOMEM, -EINTR after a fatal signal.
 */
static struct folio *dsfs_lazy_get(struct dsfs_source *src, u64 at)
{
	struct dsfs_lazy lazy = { .src = src, .start = round_down(at, DSFS_LAZY_SPAN) };
	struct folio *folio = __filemap_get_folio(src->lazy->i_mapping, at >> PAGE_SHIFT,
						  FGP_ACCESSED, 0);
	int ret;

	if (!IS_ERR_OR_NULL(folio))
		return folio;
	lazy.from = lazy.start;
	lazy.to = min(lazy.start + DSFS_LAZY_SPAN, src->geo.meta_bytes);
	lazy.mem = dsfs_mem_new(src->sb, DSFS_LAZY_SPAN);
	if (!lazy.mem)
		return ERR_PTR(-ENOMEM);
	ret = dsfs_lazy_read(&lazy);
	if (ret == -EIO) {
		lazy.from = round_down(at, DSFS_BLOCK_SIZE);
		lazy.to = lazy.from + DSFS_BLOCK_SIZE;
		ret = dsfs_lazy_read(&lazy);
	}
	folio = ret ? ERR_PTR(ret) : dsfs_lazy_fill(&lazy, at);
	dsfs_mem_put(lazy.mem);
	return folio;
}

/* Resident metadata at a byte of the metadata area, good to the end of the block; or NULL */
static void *dsfs_meta_resident(const struct dsfs_source *src, u64 at)
{
	const struct dsfs_resident *r = src->resident;
	unsigned int i;

	for (i = 0; i < src->nr_resident; i++, r++)
		if (at - r->start < r->bytes)
			return test_bit(at >> DSFS_BLOCK_BITS, src->bad) ?
			       NULL : src->mem->p + r->at + (at - r->start);
	return NULL;
}

/*
 * dsfs_meta_get_other - get a byte of the metadata area when not all of it is resident
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
	folio = dsfs_lazy_get(src, at);
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
