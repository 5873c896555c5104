// SPDX-License-Identifier: GPL-2.0
/*
 * Submission of reads of file data.
 *
 * A read covers a contiguous range of the stored data of a file, widened to
 * whole checksum chunks. Usually the device writes to the folios directly; the
 * bytes added by widening go to bounce pages. Files whose data is not aligned to logical
 * blocks of the device, files with holes and compressed files are read through these only.
 *
 * The buffered read path of iomap is not used, because it has no place to
 * verify data after the device is done and before a folio becomes uptodate.
 */
#include "cache.h"
#include "read.h"
#include "trace.h"
#include "unpack.h"

#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

/*
 * How long the task of a read that the device has done may take to come and finish it. Then
 * a worker does, as others may wait for the folios.
 */
#define DSFS_PATIENCE	(1 + msecs_to_jiffies(2))

/*
 * The CPU that took the interrupt finishes a read, or, where more wait for it than it takes at
 * once, the one that has sent the read: a device with one queue has one CPU take all interrupts.
 */
static void dsfs_read_queue(struct dsfs_read *rd, unsigned long delay)
{
	struct workqueue_struct *wq = DSFS_SB(rd->inode->i_sb)->read_wq;
	int cpu = WORK_CPU_UNBOUND;

	if (!rd->sync && workqueue_congested(cpu, wq) && !workqueue_congested(rd->cpu, wq))
		cpu = rd->cpu;
	queue_delayed_work_on(cpu, wq, &rd->work, delay);
}

/*
 * Check whether the interrupt may finish a read: there is nothing to verify or to copy,
 * or no more to verify than a page's worth, which takes less than to wake a worker.
 */
static bool dsfs_read_is_short(const struct dsfs_read *rd)
{
	if (rd->bounced || rd->bio.bi_status)
		return false;
	return !rd->verify || (!rd->sync && !rd->nr_bounce && rd->to - rd->from <= SZ_4K);
}

static void dsfs_read_end_io(struct bio *bio)
{
	struct dsfs_read *rd = container_of(bio, struct dsfs_read, bio);
	const bool sync = rd->sync;

	if (!sync && dsfs_read_is_short(rd)) {
		dsfs_read_finish(rd);
		dsfs_read_end(rd);
		return;
	}
	dsfs_read_queue(rd, sync ? DSFS_PATIENCE : 0);
	/* Only the address is used: @rd may be freed. */
	if (sync)
		wake_up_var(rd);
}

/* True if the read is finished or, with @try, if the task that waits may try to finish it */
static bool dsfs_read_is_ready(struct dsfs_read *rd, bool try)
{
	/* What dsfs_read_end() has written before */
	if (smp_load_acquire(&rd->finished))
		return true;
	/* One that is not sent waits for a worker to send it. */
	return try && smp_load_acquire(&rd->sent) && delayed_work_pending(&rd->work);
}

/* Return: 0, or -EINTR after a fatal signal */
static int dsfs_read_sleep(struct dsfs_read *rd, bool try)
{
	if (dsfs_read_is_ready(rd, try))
		return 0;
	return ___wait_var_event(rd, dsfs_read_is_ready(rd, try), TASK_KILLABLE, 0, 0,
				 io_schedule()) ? -EINTR : 0;
}

/* Finish a read in the task that waits, if no worker is faster, and as long as nothing stops it. */
static void dsfs_read_try(struct dsfs_read *rd)
{
	/* With PREEMPT_RT folios are unlocked by a task that sleeps. */
	const bool hold = !IS_ENABLED(CONFIG_PREEMPT_RT);
	bool done = false;

	/* If it is stopped here a worker finishes the read. */
	if (dsfs_read_unpacks(rd))
		dsfs_unpack_stock();
	if (hold)
		preempt_disable();
	if (cancel_delayed_work(&rd->work)) {
		rd->own = true;
		done = dsfs_read_finish(rd);
		rd->own = false;
		if (!done)
			dsfs_read_queue(rd, 0);
	}
	if (hold)
		preempt_enable();
	if (done)
		dsfs_read_end(rd);
}

/*
 * Wait for a read, and finish it. Return: the error of the folio that is wanted, or -EINTR after
 * a fatal signal: a worker finishes the read then.
 */
static int dsfs_read_wait(struct dsfs_read *rd)
{
	int ret = dsfs_read_sleep(rd, true);

	if (!ret)
		dsfs_read_try(rd);
	if (!ret)
		ret = dsfs_read_sleep(rd, false) ? : rd->ret;
	dsfs_read_put(rd);
	return ret;
}

/*
 * Map the blocks of a file with holes. Stored data is in file order, so each
 * extent continues where the last one ended.
 */
static int dsfs_read_map_holes(struct dsfs_read *rd, u64 end, struct dsfs_err *err)
{
	struct dsfs_source *src = dsfs_src(rd->inode->i_sb);
	struct dsfs_extra_info extra;
	struct dsfs_mapping map;
	u64 pos, n, i = 0;
	int ret;

	rd->blocks = kvmalloc_array(DIV_ROUND_UP_ULL(end - rd->pos, DSFS_BLOCK_SIZE),
				    sizeof(*rd->blocks), rd->gfp);
	if (!rd->blocks)
		return -ENOMEM;
	ret = dsfs_extra_get(src, &rd->attr, &extra, err);
	if (ret)
		return ret;
	rd->stored = extra.stored;
	for (pos = rd->pos; pos < end; pos += map.len) {
		ret = dsfs_map(src, &rd->attr, &extra, pos, &map, err);
		if (ret)
			return ret;
		if (pos == rd->pos) {
			rd->from = map.stored;
			rd->to = map.stored;
		}
		if (map.stored != rd->to)
			return dsfs_bad(err, "order of extents", map.stored,
					rd->to, -EUCLEAN);
		n = min(map.len, end - pos);
		if (!map.hole)
			rd->to += n;
		for (; n; n -= min_t(u64, n, DSFS_BLOCK_SIZE), i++) {
			rd->blocks[i] = map.hole ? DSFS_READ_HOLE : map.stored;
			map.stored += DSFS_BLOCK_SIZE;
		}
	}
	return 0;
}

/* Range of stored data that the folios need */
static int dsfs_read_range(struct dsfs_read *rd, struct dsfs_err *err)
{
	const u64 end = min(rd->attr.size, rd->pos + rd->len);

	rd->stored = rd->attr.size;
	rd->from = rd->pos;
	rd->to = max(end, rd->pos);
	if (end <= rd->pos)
		return 0;
	if (rd->attr.flags & DSFS_INODE_COMPRESSED)
		return IS_ENABLED(CONFIG_DSFS_COMPRESSION) ? dsfs_frames_get(rd, end, err) :
							     -EOPNOTSUPP;
	if (!(rd->attr.flags & DSFS_INODE_HOLES))
		return 0;
	return dsfs_read_map_holes(rd, end, err);
}

/* Widen the range to whole chunks, and on the device to whole logical blocks. */
static void dsfs_read_widen(struct dsfs_read *rd)
{
	struct super_block *sb = rd->inode->i_sb;
	const u64 mask = bdev_logical_block_size(sb->s_bdev) - 1;
	u64 chunk;

	rd->chunk_bits = dsfs_chunk_bits(dsfs_geo(sb), rd->stored);
	chunk = 1ULL << rd->chunk_bits;
	rd->verify = dsfs_verifies(sb);
	rd->bounced = rd->attr.flags & (DSFS_INODE_HOLES | DSFS_INODE_COMPRESSED) ||
		      rd->attr.start & mask;
	if (rd->from == rd->to)
		return;
	if (rd->verify) {
		rd->from = round_down(rd->from, chunk);
		rd->to = min(round_up(rd->to, chunk), rd->stored);
	}
	rd->dev = round_down(rd->attr.start + rd->from, mask + 1);
	rd->dev_end = round_up(rd->attr.start + rd->to, mask + 1);
}

/* Number of chunks to verify */
static unsigned int dsfs_read_chunks(const struct dsfs_read *rd)
{
	if (!rd->verify)
		return 0;
	return DIV_ROUND_UP_ULL(rd->to - rd->from, 1ULL << rd->chunk_bits);
}

/* Allocate bio_vecs, bounce pages and checksums; the arrays are one allocation. */
static int dsfs_read_buffers(struct dsfs_read *rd, unsigned int pages)
{
	const unsigned int vecs = pages + (rd->bounced ? 0 : rd->nr_folios);
	struct bio_vec *vec;

	vec = kvmalloc(vecs * sizeof(*vec) + pages * sizeof(*rd->bounce) +
		       dsfs_read_chunks(rd) * sizeof(*rd->sums), rd->gfp);
	if (!vec)
		return -ENOMEM;
	rd->buffers = vec;
	rd->bounce = (struct page **)(vec + vecs);
	rd->sums = (u32 *)(rd->bounce + pages);
	rd->bio.bi_io_vec = vec;
	rd->bio.bi_max_vecs = vecs;
	if (dsfs_read_unpacks(rd))
		return dsfs_frames_buffer(rd, pages);
	for (; rd->nr_bounce < pages; rd->nr_bounce++) {
		rd->bounce[rd->nr_bounce] = alloc_page(rd->gfp);
		if (!rd->bounce[rd->nr_bounce])
			return -ENOMEM;
	}
	return 0;
}

/*
 * Get the expected checksums before the read is sent, because that may read
 * metadata from the device, which a completion must not do. A chunk without an
 * available checksum is marked bad.
 */
static void dsfs_read_get_sums(struct dsfs_read *rd)
{
	struct super_block *sb = rd->inode->i_sb;
	const unsigned int bits = rd->chunk_bits;
	const unsigned int chunks = dsfs_read_chunks(rd);
	struct dsfs_err err = {};
	unsigned int i;
	u64 from;
	int ret;

	for (i = 0; i < chunks; i++) {
		from = rd->from + ((u64)i << bits);
		ret = dsfs_chunk_sum(dsfs_src(sb), &rd->attr, rd->stored,
				     from >> bits, &rd->sums[i], &err);
		if (!ret)
			continue;
		rd->sums[i] = 0;
		dsfs_corrupt(sb, rd->attr.ino, &err, ret);
		dsfs_read_mark_bad(rd, from, from + (1ULL << bits), ret);
	}
}

/* Add @len bytes of bounce pages from @page on. */
static bool dsfs_add_bounce(struct dsfs_read *rd, unsigned int page, u64 len)
{
	unsigned int n;

	for (; len; len -= n, page++) {
		n = min_t(u64, len, PAGE_SIZE);
		if (bio_add_page(&rd->bio, rd->bounce[page], n, 0) != n)
			return false;
	}
	return true;
}

/* Add the folios, up to the end of the range on the device. */
static bool dsfs_add_folios(struct dsfs_read *rd)
{
	u64 left = rd->dev_end - (rd->attr.start + rd->pos);
	unsigned int i, n;

	for (i = 0; left && i < rd->nr_folios; i++, left -= n) {
		n = min_t(u64, left, folio_size(rd->folios[i]));
		if (bio_add_page(&rd->bio, folio_page(rd->folios[i], 0), n, 0) != n)
			return false;
	}
	return true;
}

/* Assign the range on the device to bounce pages and folios. */
static int dsfs_read_layout(struct dsfs_read *rd)
{
	const u64 start = rd->attr.start + rd->pos, end = start + rd->len;
	u64 head = rd->dev_end - rd->dev, tail = 0;
	unsigned int pages;
	int ret;

	if (!rd->bounced) {
		head = start - rd->dev;
		tail = max(rd->dev_end, end) - end;
	}
	pages = DIV_ROUND_UP_ULL(head, PAGE_SIZE);
	ret = dsfs_read_buffers(rd, pages + DIV_ROUND_UP_ULL(tail, PAGE_SIZE));
	if (ret)
		return ret;
	dsfs_read_get_sums(rd);
	if (!dsfs_add_bounce(rd, 0, head) ||
	    (!rd->bounced && !dsfs_add_folios(rd)) ||
	    !dsfs_add_bounce(rd, pages, tail))
		return -EIO;
	return dsfs_read_failed(rd) ? rd->error : 0;
}

/* Get all that a read needs besides its folios. */
static int dsfs_read_prepare(struct dsfs_read *rd)
{
	struct dsfs_err err = {};
	int ret = dsfs_inode_attr(rd->inode, &rd->attr, &err);

	rd->prepared = true;
	if (!ret)
		ret = dsfs_read_range(rd, &err);
	if (ret)
		return dsfs_corrupt(rd->inode->i_sb, rd->inode->i_ino, &err, ret);
	dsfs_read_widen(rd);
	/* No stored data: a hole, or folios after the end of the file */
	return rd->from == rd->to ? 0 : dsfs_read_layout(rd);
}

/* dsfs_give_way - cond_resched(), after the reads in the plug of the task were sent */
void dsfs_give_way(void)
{
	struct blk_plug *plug = current->plug;

	if (!need_resched())
		return;
	if (plug)
		blk_finish_plug(plug);
	cond_resched();
	if (plug)
		blk_start_plug(plug);
}

/*
 * dsfs_read_enter - prepare a read, and add its folios to the page cache
 *
 * Others wait for them from then on, so the caller sends the read at once. Folios that could
 * not be added, as somebody else has added pages or there is no more room in a memory cgroup, are
 * read in vain.
 *
 * Return: false if none was added: the page cache reads them, and meets errors again.
 */
bool dsfs_read_enter(struct dsfs_read *rd)
{
	struct address_space *mapping = rd->inode->i_mapping;
	const gfp_t gfp = readahead_gfp_mask(mapping);
	struct folio *folio;
	unsigned int nofs;
	int ret;

	/* Somebody else may have been faster. */
	if (dsfs_read_prepare(rd) || dsfs_is_cached(mapping, rd->folios[0]->index))
		return false;
	dsfs_cache_read(rd);
	/* Before, not while they are locked; and reclaim must not wait for them. */
	dsfs_give_way();
	nofs = memalloc_nofs_save();
	for (; rd->nr_cached < rd->nr_folios; rd->nr_cached++) {
		folio = rd->folios[rd->nr_cached];
		/* What may wait may be stopped there, so only who has to reclaim memory does. */
		ret = filemap_add_folio(mapping, folio, folio->index, gfp & ~__GFP_DIRECT_RECLAIM);
		if (ret == -ENOMEM)
			ret = filemap_add_folio(mapping, folio, folio->index, gfp);
		if (ret)
			break;
		/* The page cache has a reference. */
		folio_put(folio);
	}
	dsfs_cache_attach(rd);
	memalloc_nofs_restore(nofs);
	return rd->nr_cached;
}

/* Send a read whose folios are locked. */
static void dsfs_read_start(struct dsfs_read *rd)
{
	/* Reclaim must not wait for them. */
	const unsigned int nofs = memalloc_nofs_save();
	const int ret = rd->prepared ? 0 : dsfs_read_prepare(rd);

	/* Before it may be finished */
	smp_store_release(&rd->sent, true);
	if (ret)
		dsfs_read_mark_bad(rd, 0, U64_MAX, ret);
	if (ret || rd->from == rd->to) {
		dsfs_read_end_io(&rd->bio);
	} else {
		dsfs_count_request(rd->inode->i_sb, rd->kind, rd->dev_end - rd->dev);
		trace_dsfs_read_submit(rd->inode, rd->pos, rd->dev_end - rd->dev, rd->dev,
				       rd->kind);
		rd->bio.bi_opf = REQ_OP_READ | (rd->sync ? 0 : REQ_RAHEAD);
		rd->bio.bi_iter.bi_sector = rd->dev >> SECTOR_SHIFT;
		rd->bio.bi_end_io = dsfs_read_end_io;
		submit_bio(&rd->bio);
	}
	memalloc_nofs_restore(nofs);
}

static void dsfs_read_work(struct work_struct *work)
{
	struct dsfs_read *rd = container_of(to_delayed_work(work), struct dsfs_read, work);

	if (!rd->sent) {
		dsfs_read_start(rd);
		return;
	}
	dsfs_read_finish(rd);
	dsfs_read_end(rd);
}

/*
 * dsfs_read_send - send a read, which its completion owns from here on
 *
 * When the read is done, its folios are unlocked, and uptodate if their data is
 * right. With @rd->sync the function waits, except after a fatal signal, and
 * the caller's thread verifies the data as long as nothing delays it; otherwise a worker does.
 * A worker also sends the read if the caller has to give way: others wait for the folios.
 *
 * Return: with @rd->sync the error of @rd->wanted or -EINTR; otherwise 0.
 */
int dsfs_read_send(struct dsfs_read *rd)
{
	const bool sync = rd->sync;

	rd->cpu = raw_smp_processor_id();
	INIT_DELAYED_WORK(&rd->work, dsfs_read_work);
	atomic_set(&rd->refs, 1 + sync);
	/* A worker does not wait for metadata. */
	if (need_resched() && (rd->prepared || !dsfs_meta_may_block(rd->inode->i_sb)))
		queue_delayed_work(DSFS_SB(rd->inode->i_sb)->send_wq, &rd->work, 0);
	else
		dsfs_read_start(rd);
	return sync ? dsfs_read_wait(rd) : 0;
}

/* dsfs_read_submit - prepare and send a read of folios that the page cache has locked */
int dsfs_read_submit(struct dsfs_read *rd)
{
	const unsigned int nofs = memalloc_nofs_save();

	rd->nr_cached = rd->nr_folios;
	dsfs_cache_read(rd);
	dsfs_cache_attach(rd);
	memalloc_nofs_restore(nofs);
	return dsfs_read_send(rd);
}
