// SPDX-License-Identifier: GPL-2.0
/*
 * File data: from the page cache's wish to requests, and back.
 *
 * Two things keep this from being iomap's buffered path.  A first read brings
 * in a whole small file with one request, whatever size the program reads in;
 * and data is checked against its checksums after the device is done and before
 * a folio becomes uptodate, in process context.
 *
 * A read covers a contiguous run of a file's stored bytes, widened to whole
 * checksum chunks.  Usually the device reads straight into the folios; what the
 * widening adds goes to bounce pages.  Two kinds of files go through bounce
 * pages altogether: those whose data is not aligned to the device's blocks
 * because it shares a block with other files, and those with holes.
 */
#include "read.h"

#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>

/* A read takes at most this many bytes of folios. */
#define DSFS_READ_MAX	SZ_8M

static struct workqueue_struct *dsfs_read_wq;

static struct dsfs_read *dsfs_read_alloc(struct inode *inode,
					 unsigned int folios, gfp_t gfp)
{
	struct dsfs_read *rd;

	rd = kvzalloc(struct_size(rd, folios, folios), gfp);
	if (!rd)
		return NULL;
	rd->inode = inode;
	dsfs_inode_attr(inode, &rd->attr);
	return rd;
}

/**
 * dsfs_read_free - free a read and what it holds, but for its folios
 * @rd: the read; nothing of it is in flight
 */
void dsfs_read_free(struct dsfs_read *rd)
{
	unsigned int i;

	for (i = 0; i < rd->nr_bounce; i++)
		__free_page(rd->bounce[i]);
	for (i = 0; i < rd->nr_bios; i++)
		bio_uninit(&rd->bios[i]);
	kvfree(rd->bounce);
	kvfree(rd->vecs);
	kvfree(rd->bios);
	kvfree(rd);
}

static void dsfs_read_work(struct work_struct *work)
{
	dsfs_read_finish(container_of(work, struct dsfs_read, work));
}

static void dsfs_read_put(struct dsfs_read *rd)
{
	if (!atomic_dec_and_test(&rd->pending))
		return;
	if (rd->done)
		complete(rd->done);
	else if (rd->verify || rd->bounced || rd->status)
		queue_work(dsfs_read_wq, &rd->work);
	else	/* nothing to do that takes long or sleeps */
		dsfs_read_finish(rd);
}

static void dsfs_read_end_io(struct bio *bio)
{
	struct dsfs_read *rd = bio->bi_private;

	if (bio->bi_status)
		WRITE_ONCE(rd->status, bio->bi_status);
	dsfs_read_put(rd);
}

/*
 * Submission
 */

/* Which stored bytes the folios want. */
static int dsfs_read_range(struct dsfs_read *rd, struct dsfs_err *err)
{
	struct dsfs_source *src = dsfs_src(rd->inode->i_sb);
	const u64 end = min(rd->attr.size, rd->pos + rd->len);
	struct dsfs_run run;
	int ret;

	rd->stored = rd->attr.size;
	rd->from = rd->pos;
	rd->to = max(end, rd->pos);
	if (!(rd->attr.flags & DSFS_INODE_HOLES) || end <= rd->pos)
		return 0;

	ret = dsfs_ext_get(src, &rd->attr, &rd->ext, err);
	if (ret)
		return ret;
	rd->stored = rd->ext.stored;
	ret = dsfs_map(src, &rd->attr, &rd->ext, rd->pos, &run, err);
	if (ret)
		return ret;
	rd->from = run.stored;
	ret = dsfs_map(src, &rd->attr, &rd->ext, end - 1, &run, err);
	if (ret)
		return ret;
	rd->to = run.stored + !run.hole;
	if (rd->to < rd->from || rd->to - rd->from > rd->len)
		return dsfs_bad(err, "order of segments", rd->to, rd->from,
				-EUCLEAN);
	return 0;
}

/* What the device must read: whole chunks, in whole logical blocks. */
static void dsfs_read_widen(struct dsfs_read *rd)
{
	struct super_block *sb = rd->inode->i_sb;
	const u64 mask = bdev_logical_block_size(sb->s_bdev) - 1;
	u64 chunk = 1ULL << dsfs_geo(sb)->chunk_bits;

	rd->verify = dsfs_verifies(sb);
	rd->bounced = rd->attr.flags & DSFS_INODE_HOLES ||
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

/* Memory for bios and for what has no folio. */
static int dsfs_read_buffers(struct dsfs_read *rd, u64 head, u64 tail,
			     gfp_t gfp)
{
	unsigned int pages = DIV_ROUND_UP_ULL(head, PAGE_SIZE) +
			     DIV_ROUND_UP_ULL(tail, PAGE_SIZE);
	unsigned int vecs = pages + rd->nr_folios;
	unsigned int bios = DIV_ROUND_UP(vecs, BIO_MAX_VECS);

	rd->nr_vecs = vecs;
	rd->bios = kvcalloc(bios, sizeof(*rd->bios), gfp);
	rd->vecs = kvcalloc(vecs, sizeof(*rd->vecs), gfp);
	if (!rd->bios || !rd->vecs)
		return -ENOMEM;
	if (!pages)
		return 0;
	rd->bounce = kvcalloc(pages, sizeof(*rd->bounce), gfp);
	if (!rd->bounce)
		return -ENOMEM;
	for (; rd->nr_bounce < pages; rd->nr_bounce++) {
		rd->bounce[rd->nr_bounce] = alloc_page(gfp);
		if (!rd->bounce[rd->nr_bounce])
			return -ENOMEM;
	}
	return 0;
}

static struct bio *dsfs_read_next_bio(struct dsfs_read *rd, u64 dev,
				      blk_opf_t opf)
{
	struct bio *bio = &rd->bios[rd->nr_bios];
	const unsigned int used = rd->nr_bios * BIO_MAX_VECS;

	/* All bios but the last are full, so there are vecs left. */
	if (WARN_ON_ONCE(used >= rd->nr_vecs))
		return NULL;
	bio_init(bio, rd->inode->i_sb->s_bdev, rd->vecs + used,
		 min(rd->nr_vecs - used, BIO_MAX_VECS), opf);
	bio->bi_iter.bi_sector = dev >> SECTOR_SHIFT;
	bio->bi_private = rd;
	bio->bi_end_io = dsfs_read_end_io;
	rd->nr_bios++;
	return bio;
}

/* Add memory for the next bytes of the device, in a new bio if need be. */
static struct bio *dsfs_read_add(struct dsfs_read *rd, struct bio *bio,
				 u64 *dev, struct folio *folio, size_t len,
				 size_t off, blk_opf_t opf)
{
	if (!bio || !bio_add_folio(bio, folio, len, off)) {
		bio = dsfs_read_next_bio(rd, *dev, opf);
		if (!bio || !bio_add_folio(bio, folio, len, off))
			dsfs_read_fail(rd, -EIO);
	}
	*dev += len;
	return bio;
}

static struct bio *dsfs_read_add_bounce(struct dsfs_read *rd, struct bio *bio,
					u64 *dev, u64 len, unsigned int *page,
					blk_opf_t opf)
{
	u64 n;

	for (; len; len -= n) {
		n = min_t(u64, len, PAGE_SIZE);
		bio = dsfs_read_add(rd, bio, dev,
				    page_folio(rd->bounce[(*page)++]), n, 0,
				    opf);
	}
	return bio;
}

/* Lay the device's bytes out over bounce pages and folios. */
static int dsfs_read_layout(struct dsfs_read *rd, blk_opf_t opf, gfp_t gfp)
{
	const u64 start = rd->attr.start;
	u64 head = 0, tail = 0, dev = rd->dev, want;
	unsigned int i, page = 0;
	struct bio *bio = NULL;
	int ret;

	if (rd->bounced) {
		head = rd->dev_end - rd->dev;
	} else {
		head = start + rd->pos - rd->dev;
		if (rd->dev_end > start + rd->pos + rd->len)
			tail = rd->dev_end - (start + rd->pos + rd->len);
	}
	ret = dsfs_read_buffers(rd, head, tail, gfp);
	if (ret)
		return ret;
	bio = dsfs_read_add_bounce(rd, bio, &dev, head, &page, opf);
	for (i = 0; !rd->bounced && i < rd->nr_folios; i++) {
		if (dev >= rd->dev_end)
			break;
		want = min_t(u64, folio_size(rd->folios[i]), rd->dev_end - dev);
		bio = dsfs_read_add(rd, bio, &dev, rd->folios[i], want, 0, opf);
	}
	dsfs_read_add_bounce(rd, bio, &dev, tail, &page, opf);
	return rd->error;
}

/*
 * Start reading the folios of @rd, which are locked and adjacent.  It is freed,
 * and they are unlocked, when all is done; before that @done, if any, is woken
 * and the caller finishes the read.
 */
static int dsfs_read_submit(struct dsfs_read *rd, struct completion *done,
			    blk_opf_t opf, gfp_t gfp)
{
	struct dsfs_err err = {};
	unsigned int i;
	int ret;

	rd->done = done;
	INIT_WORK(&rd->work, dsfs_read_work);
	ret = dsfs_read_range(rd, &err);
	if (ret) {
		dsfs_corrupt(rd->inode->i_sb, rd->attr.ino, &err, ret);
		goto fail;
	}
	dsfs_read_widen(rd);
	/* A hole, or folios behind the end of the file: no bytes are wanted. */
	if (rd->from == rd->to)
		return dsfs_read_finish(rd);
	ret = dsfs_read_layout(rd, opf, gfp);
	if (ret)
		goto fail;

	atomic_set(&rd->pending, rd->nr_bios + 1);
	for (i = 0; i < rd->nr_bios; i++)
		submit_bio(&rd->bios[i]);
	dsfs_read_put(rd);
	if (!done)
		return 0;
	wait_for_completion_io(done);
	return dsfs_read_finish(rd);
fail:
	dsfs_read_fail(rd, ret);
	return dsfs_read_finish(rd);
}

/* Read one folio and wait: the error, if any, is the caller's to see. */
static int dsfs_read_folio(struct file *file, struct folio *folio)
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct dsfs_read *rd;

	rd = dsfs_read_alloc(folio->mapping->host, 1, GFP_KERNEL);
	if (!rd) {
		folio_unlock(folio);
		return -ENOMEM;
	}
	rd->pos = folio_pos(folio);
	rd->len = folio_size(folio);
	rd->folios[rd->nr_folios++] = folio;
	return dsfs_read_submit(rd, &done, REQ_OP_READ, GFP_KERNEL);
}

/* A first touch brings in a small file whole, unless it is read at random. */
static void dsfs_expand(struct readahead_control *rac)
{
	struct inode *inode = rac->mapping->host;
	const u64 size = i_size_read(inode);

	if (size > READ_ONCE(DSFS_SB(inode->i_sb)->opt.wholefile))
		return;
	if (rac->file && rac->file->f_mode & FMODE_RANDOM)
		return;
	readahead_expand(rac, 0, size);
}

static void dsfs_readahead(struct readahead_control *rac)
{
	/* What does not come easily is left to reads of single folios. */
	const gfp_t gfp = GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN;
	const unsigned int max = DSFS_READ_MAX >> PAGE_SHIFT;
	struct dsfs_read *rd;
	struct folio *folio;

	dsfs_expand(rac);
	folio = readahead_folio(rac);
	while (folio) {
		/* Count and position of @rac still include the current folio. */
		rd = dsfs_read_alloc(rac->mapping->host,
				     min(readahead_count(rac), max), gfp);
		if (!rd) {
			/* What is left in @rac is given up by the caller. */
			folio_unlock(folio);
			return;
		}
		rd->pos = folio_pos(folio);
		do {
			rd->folios[rd->nr_folios++] = folio;
			rd->len += folio_size(folio);
			folio = readahead_folio(rac);
		} while (folio && rd->len < DSFS_READ_MAX);
		dsfs_read_submit(rd, NULL, REQ_OP_READ | REQ_RAHEAD, gfp);
	}
}

const struct address_space_operations dsfs_aops = {
	.read_folio	= dsfs_read_folio,
	.readahead	= dsfs_readahead,
};

/**
 * dsfs_data_init - make what reads need, for all mounts
 *
 * Return: 0 or -ENOMEM.
 */
int __init dsfs_data_init(void)
{
	/*
	 * Readers wait for it, hence the priority.  Work stays on the CPU that
	 * took the interrupt, to spare waking another one.
	 */
	dsfs_read_wq = alloc_workqueue("dsfs-read", WQ_HIGHPRI | WQ_PERCPU,
				       num_online_cpus());
	return dsfs_read_wq ? 0 : -ENOMEM;
}

/* dsfs_data_flush - wait for completions that have begun */
void dsfs_data_flush(void)
{
	flush_workqueue(dsfs_read_wq);
}

/* dsfs_data_exit - undo dsfs_data_init() */
void dsfs_data_exit(void)
{
	destroy_workqueue(dsfs_read_wq);
}
