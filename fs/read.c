// SPDX-License-Identifier: GPL-2.0
/*
 * What reads of file data are made of: ranges of the page cache, room in the
 * limit of hints, and struct dsfs_read itself.
 */
#include "trace.h"
#include "unpack.h"

#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uidgid.h>

/*
 * dsfs_widen_to_chunks - widen a range of pages to the chunks that must be read to
 * verify it, or to the units that must be unpacked, up to the end of the file
 *
 * Chunks are counted in stored data, so for a file with holes the result is a
 * guess; a wrong one costs bounce pages.
 */
void dsfs_widen_to_chunks(const struct inode *inode, pgoff_t *first, pgoff_t *end)
{
	const pgoff_t last = DIV_ROUND_UP_ULL(i_size_read(inode), PAGE_SIZE);
	const pgoff_t pages = dsfs_chunk_pages(inode);

	*first = round_down(*first, pages);
	*end = clamp(round_up(*end, pages), *end, max(last, *end));
}

/* What a user's bytes in flight are in the sum of all */
static long dsfs_hint_mib(long own)
{
	return DIV_ROUND_CLOSEST(own, SZ_1M);
}

/* dsfs_hint_add - add to the bytes in flight of a user, and return them */
long dsfs_hint_add(struct dsfs_sb_info *sbi, atomic_long_t *user, long bytes)
{
	const long own = atomic_long_add_return(bytes, user);
	const long mib = dsfs_hint_mib(own) - dsfs_hint_mib(own - bytes);

	if (mib)
		atomic_long_add(mib, &sbi->hinted);
	return own;
}

/*
 * dsfs_hint_charge - add a hint to the bytes in flight
 *
 * The limit is 256 MiB, five times what a device with 5 GB/s and 10 ms latency can use,
 * or an eighth of memory. The file of a hint beyond it costs its reader the full latency of
 * the device; it has room for windows of hundreds of files.
 *
 * A user may have as much in flight as is left of twice the limit, so one user
 * gets half of that, two get a third each, and a user who comes later always
 * finds room. Users whose ids have the same hash share one limit. Bytes are added before they
 * are compared, so concurrent hints cannot exceed the limit together. The sum of all, which may
 * lack bytes of @user for a moment, is of whole MiBs, so that most hints write to one line.
 *
 * Return: the user's bytes in flight, or NULL if there is no room.
 */
atomic_long_t *dsfs_hint_charge(struct dsfs_sb_info *sbi, long bytes)
{
	const u64 limit = min_t(u64, DSFS_HINT_MAX, (u64)totalram_pages() << PAGE_SHIFT >> 3);
	const u32 uid = __kuid_val(current_fsuid());
	atomic_long_t *user = &sbi->hinted_by[hash_32(uid, DSFS_HINT_BITS)];
	const long own = dsfs_hint_add(sbi, user, bytes);
	const long others = max(atomic_long_read(&sbi->hinted) - dsfs_hint_mib(own), 0L);

	if (2 * own + others * SZ_1M <= 2 * (long)limit)
		return user;
	dsfs_hint_add(sbi, user, -bytes);
	return NULL;
}

/* dsfs_hint_done - count a hint, which had an effect if it was issued */
void dsfs_hint_done(const struct inode *inode, pgoff_t pages, enum dsfs_decision decision)
{
	trace_dsfs_prefetch(inode, pages, decision);
	if (decision != DSFS_PREFETCH_CACHED)
		dsfs_count(inode->i_sb, decision == DSFS_PREFETCH_ISSUED ?
			   DSFS_COUNT_PREFETCH_ISSUED : DSFS_COUNT_PREFETCH_DROPPED, 1);
}

/*
 * dsfs_read_alloc - allocate a read of at most @folios folios
 *
 * Without @sync no task waits, and under memory pressure it is left to reads of single folios.
 */
struct dsfs_read *dsfs_read_alloc(struct inode *inode, unsigned int folios,
				  enum dsfs_request kind, bool sync)
{
	const gfp_t gfp = sync ? GFP_KERNEL : GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN;
	struct dsfs_read *rd = kvzalloc(struct_size(rd, folios, folios), gfp);

	if (!rd)
		return NULL;
	rd->inode = inode;
	rd->kind = kind;
	rd->sync = sync;
	rd->gfp = gfp;
	/* Charged to this task, and of its priority, whoever sends it */
	bio_init(&rd->bio, inode->i_sb->s_bdev, NULL, 0, REQ_OP_READ);
	rd->bio.bi_ioprio = get_current_ioprio();
	return rd;
}

/*
 * dsfs_piece_pages - pages of a read that is a part of a range: whole chunks
 *
 * Of a compressed file, pieces meet within a block of the device, which both read, so the
 * block layer does not merge them. They are longer.
 */
pgoff_t dsfs_piece_pages(const struct inode *inode)
{
	pgoff_t pages = DSFS_AHEAD_MAX >> PAGE_SHIFT;

	if (dsfs_unit_order(inode))
		pages <<= 1 + dsfs_ratio_bits(inode);
	return max(pages, dsfs_chunk_pages(inode));
}

/* dsfs_read_release - free what a read has that is not in flight, nor in the page cache */
void dsfs_read_release(struct dsfs_read *rd)
{
	while (rd->nr_folios > rd->nr_cached)
		folio_put(rd->folios[--rd->nr_folios]);
	while (rd->nr_bounce)
		__free_page(rd->bounce[--rd->nr_bounce]);
	bio_uninit(&rd->bio);
	kvfree(rd->blocks);
	if (dsfs_read_unpacks(rd))
		dsfs_frames_free(rd->frames);
	kvfree(rd->buffers);
}

/* dsfs_read_free - free a read that has no folio in the page cache */
void dsfs_read_free(struct dsfs_read *rd)
{
	dsfs_read_release(rd);
	kvfree(rd);
}

/* dsfs_read_add_folio - add a folio, which starts where the last one ends */
void dsfs_read_add_folio(struct dsfs_read *rd, struct folio *folio)
{
	if (!rd->nr_folios)
		rd->pos = folio_pos(folio);
	rd->folios[rd->nr_folios++] = folio;
	rd->len += folio_size(folio);
}

/* Allocate a folio for @index of at most @order, or a page if memory is short; or NULL. */
static struct folio *dsfs_alloc_folio(struct address_space *mapping, pgoff_t index,
				      unsigned int order)
{
	const gfp_t gfp = readahead_gfp_mask(mapping);
	struct folio *folio;

	order = min(order, mapping_max_folio_order(mapping));
	if (index)
		order = min_t(unsigned int, order, __ffs(index));
	folio = folio_alloc(gfp, order);
	return folio || !order ? folio : folio_alloc(gfp, 0);
}

/*
 * dsfs_add_part - add a folio of at most @order to the page cache, which is read together with
 * @folio or replaces it, and inherits its RWF_DONTCACHE state
 *
 * Return: the folio, locked, whose reference the page cache holds. NULL without memory, or if
 * there is a folio already.
 */
struct folio *dsfs_add_part(struct address_space *mapping, const struct folio *folio,
			    pgoff_t index, unsigned int order)
{
	struct folio *part = dsfs_alloc_folio(mapping, index, order);
	int ret;

	if (!part)
		return NULL;
	if (folio_test_dropbehind(folio))
		folio_set_dropbehind(part);
	ret = filemap_add_folio(mapping, part, index, readahead_gfp_mask(mapping));
	folio_put(part);
	return ret ? NULL : part;
}

/*
 * The first page of [index, end) that is cached, or @end. A folio that is allocated for it, and
 * cleared, would be in vain.
 */
static pgoff_t dsfs_next_cached(struct address_space *mapping, pgoff_t index, pgoff_t end)
{
	XA_STATE(xas, &mapping->i_pages, index);
	const void *entry;

	if (!mapping->nrpages || index >= end)
		return end;
	rcu_read_lock();
	do
		entry = xas_find(&xas, end - 1);
	while (entry && (xas_retry(&xas, entry) || xa_is_value(entry)));
	rcu_read_unlock();
	return entry ? max(index, xas.xa_index) : end;
}

/*
 * dsfs_read_take - allocate folios for pages [index, end) of a read, of the largest orders up
 * to @max that fit
 *
 * They are not in the page cache, so that nobody waits for them while the read gets all else
 * that it needs. They are smaller if memory is short. Ends early rather than invoke the OOM
 * killer, because the caller may have asked for a small part of the range; the page cache reads
 * what is missing. Return: whether there are any.
 */
bool dsfs_read_take(struct dsfs_read *rd, pgoff_t index, pgoff_t end, unsigned int max)
{
	struct address_space *mapping = rd->inode->i_mapping;
	struct folio *folio;

	end = dsfs_next_cached(mapping, index, end);
	for (; index < end; index = folio_next_index(folio)) {
		folio = dsfs_alloc_folio(mapping, index,
					 min_t(unsigned int, max, ilog2(end - index)));
		if (!folio)
			break;
		folio->index = index;
		dsfs_read_add_folio(rd, folio);
	}
	return rd->nr_folios;
}
