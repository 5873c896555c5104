// SPDX-License-Identifier: GPL-2.0
/*
 * Completion of reads: stored data is verified, folios are filled from bounce pages
 * or unpacked, and good folios become uptodate. Process context, but for a page's
 * worth (dsfs_read_is_short()).
 *
 * Whoever waits for a locked folio waits for the task that finishes its read. A task may be
 * stopped for seconds when it has used up its quota (cpu.max) or when others have all
 * processors (SCHED_IDLE). So it is not stopped here: where it would have to give way, a
 * worker goes on.
 *
 * A checksum covers a chunk, and so does an error: folios that overlap a bad
 * chunk do not become uptodate. A later read of one of them reads single chunks
 * and returns either the data or the error.
 */
#include "read.h"
#include "trace.h"
#include "unpack.h"

#include <linux/highmem.h>
#include <linux/prefetch.h>

static void dsfs_chunk_check(struct dsfs_read *rd, u64 from, u64 to, u32 sum)
{
	struct super_block *sb = rd->inode->i_sb;
	const u32 want = rd->sums[(from - rd->from) >> rd->chunk_bits];

	/* Of a chunk that was marked bad before, the expected one may be missing. */
	if (sum == want || dsfs_range_bad(rd, from, to))
		return;
	dsfs_read_mark_bad(rd, from, to, -EBADMSG);
	if (!rd->wanted)
		return;
	atomic64_inc(&DSFS_SB(sb)->sum_errors);
	trace_dsfs_checksum_failure(sb, rd->attr.ino, rd->attr.start + from, to - from);
	dsfs_error_limited(sb, DSFS_LIMIT_DATA,
			   "inode %u: data at %llu to %llu (device offset %llu): checksum is 0x%x, should be 0x%x",
			   rd->attr.ino, from, to, rd->attr.start + from, sum, want);
}

/* Computes the checksum of each chunk; offsets are in the stored data. */
struct dsfs_sum_cursor {
	u64 at;		/* next byte */
	u64 chunk;	/* start of its chunk */
	u64 end;	/* end of its chunk */
	struct dsfs_datasum sum;	/* of the chunk so far */
};

/*
 * Data that a device has just written is in no cache of the CPU, and the checksum
 * takes little longer than memory. So the next bytes are prefetched: far enough
 * ahead to hide the latency, and few enough to stay in the L1 cache. An address
 * that is not mapped does no harm.
 */
#define DSFS_PREFETCH	SZ_4K

static inline void dsfs_prefetch(const char *p, size_t len)
{
	const char *end = p + min_t(size_t, len, DSFS_PREFETCH);

	for (; p < end; p += L1_CACHE_BYTES)
		prefetch(p);
}

/* False if a worker has to go on, which begins anew. */
static bool dsfs_sum_folio(struct dsfs_read *rd, struct dsfs_sum_cursor *cur,
			   struct folio *folio, size_t off, size_t len)
{
	const u64 chunk = 1ULL << rd->chunk_bits;
	size_t n;
	char *p;

	for (; len; len -= n, off += n) {
		/* Within a page, as kmap_local_folio() may map no more. */
		n = min3((u64)len, cur->end - cur->at,
			 (u64)DSFS_PREFETCH - (off & (DSFS_PREFETCH - 1)));
		p = kmap_local_folio(folio, off);
		dsfs_prefetch(p + n, len - n);
		dsfs_datasum_add(&cur->sum, p, n);
		kunmap_local(p);
		cur->at += n;
		if (cur->at < rd->to && dsfs_read_gives_way(rd))
			return false;
		if (cur->at < cur->end)
			continue;
		dsfs_chunk_check(rd, cur->chunk, cur->end, dsfs_datasum_end(&cur->sum));
		cur->chunk = cur->end;
		cur->end = min(cur->end + chunk, rd->stored);
		dsfs_datasum_begin(&cur->sum);
	}
	return true;
}

/*
 * Verify the chunks of a read. The device range [dev, dev_end) includes the
 * stored data [from, to). False if a worker has to go on.
 */
static bool dsfs_read_verify(struct dsfs_read *rd)
{
	const u64 chunk = 1ULL << rd->chunk_bits;
	const u64 first = rd->attr.start + rd->from;
	const u64 last = rd->attr.start + rd->to;
	struct dsfs_sum_cursor cur = {
		.at = rd->from,
		.chunk = rd->from,
		.end = min(rd->from + chunk, rd->stored),
	};
	struct folio_iter fi;
	u64 dev = rd->dev;

	dsfs_datasum_begin(&cur.sum);
	bio_for_each_folio_all(fi, &rd->bio) {
		u64 lo = max(dev, first);
		u64 hi = min(dev + fi.length, last);

		if (lo < hi && !dsfs_sum_folio(rd, &cur, fi.folio, fi.offset + (lo - dev),
					       hi - lo))
			return false;
		dev += fi.length;
	}
	return true;
}

/* Fill a folio from bounce pages, at most a block at once: holes are blocks. */
static int dsfs_fill_bounced(struct dsfs_read *rd, struct folio *folio, u64 pos, u64 end)
{
	u64 n, stored, off;
	size_t to;

	for (; pos < end; pos += n) {
		n = min(end - pos, DSFS_BLOCK_SIZE - (pos & (DSFS_BLOCK_SIZE - 1)));
		to = offset_in_folio(folio, pos);
		stored = pos;
		if (rd->blocks)
			stored = rd->blocks[(pos - rd->pos) >> DSFS_BLOCK_BITS];
		if (stored == DSFS_READ_HOLE) {
			folio_zero_segment(folio, to, to + n);
			continue;
		}
		if (rd->blocks)
			stored += pos & (DSFS_BLOCK_SIZE - 1);
		off = rd->attr.start + stored - rd->dev;
		n = min_t(u64, n, PAGE_SIZE - offset_in_page(off));
		if (dsfs_range_bad(rd, stored, stored + n))
			return rd->error;
		memcpy_page(folio_page(folio, to >> PAGE_SHIFT), offset_in_page(to),
			    rd->bounce[off >> PAGE_SHIFT], offset_in_page(off), n);
	}
	return 0;
}

/* Fill a folio, clear it after the end of the file, and mark it uptodate. */
static int dsfs_finish_folio(struct dsfs_read *rd, struct folio *folio)
{
	const u64 size = rd->attr.size;
	const u64 pos = folio_pos(folio);
	const u64 end = clamp(size, pos, pos + folio_size(folio));
	int ret = 0;

	if (dsfs_read_failed(rd))
		return rd->error;
	if (dsfs_read_unpacks(rd))
		ret = dsfs_frames_bad(rd, pos, end) ? rd->error : 0;
	else if (rd->bounced)
		ret = dsfs_fill_bounced(rd, folio, pos, end);
	else if (dsfs_range_bad(rd, pos, end))
		ret = rd->error;
	if (ret)
		return ret;
	/* The rest of the last block may hold data of other files. */
	folio_zero_segment(folio, end - pos, folio_size(folio));
	flush_dcache_folio(folio);
	folio_mark_uptodate(folio);
	return 0;
}

static void dsfs_read_device_error(struct dsfs_read *rd)
{
	struct super_block *sb = rd->inode->i_sb;

	if (rd->wanted) {
		atomic64_inc(&DSFS_SB(sb)->io_errors);
		dsfs_error_limited(sb, DSFS_LIMIT_DATA,
				   "inode %u: device offset %llu to %llu: I/O error",
				   rd->attr.ino, rd->dev, rd->dev_end);
	}
	/* Drivers use various errnos, -ENODATA among them. */
	dsfs_read_mark_bad(rd, 0, U64_MAX, -EIO);
}

/* Verify and unpack. Marks what is bad. False if a worker has to go on. */
static bool dsfs_read_process(struct dsfs_read *rd)
{
	bool done = true;

	if (rd->bio.bi_status) {
		dsfs_read_device_error(rd);
	} else if (rd->verify && rd->from < rd->to && !dsfs_read_failed(rd)) {
		done = dsfs_read_verify(rd);
		rd->verify = !done;
	}
	if (done && dsfs_read_unpacks(rd) && !dsfs_read_failed(rd))
		done = dsfs_frames_unpack(rd);
	return done;
}

/*
 * dsfs_read_finish - complete a read whose bio is done or was not sent
 *
 * Unlocks all folios, and marks those with good data uptodate. Waits neither
 * for a device nor for memory. Must be called in process context if there is
 * more than a page to verify, data to copy, or an error of the device. dsfs_read_end() has to
 * follow. Return: false if it is the read of the calling task, and a worker has to go on.
 */
bool dsfs_read_finish(struct dsfs_read *rd)
{
	struct folio *folio;
	int err;

	if (!rd->nr_done && !dsfs_read_process(rd))
		return false;
	if (!rd->nr_done) {
		if (rd->hint)
			dsfs_hint_add(DSFS_SB(rd->inode->i_sb), rd->hint, -rd->hinted);
		trace_dsfs_read_done(rd->inode, rd->pos, rd->error);
	}
	while (rd->nr_done < rd->nr_cached) {
		/* Only to copy takes long. */
		if (rd->nr_done && rd->bounced && !dsfs_read_unpacks(rd) && dsfs_read_gives_way(rd))
			return false;
		folio = rd->folios[rd->nr_done++];
		err = dsfs_finish_folio(rd, folio);
		if (folio == rd->wanted)
			rd->ret = err;
		folio_unlock(folio);
	}
	return true;
}

/*
 * dsfs_read_end - free a read that is finished, and wake the task that waits
 *
 * The inode and the mount may be gone, unless a task waits.
 */
void dsfs_read_end(struct dsfs_read *rd)
{
	dsfs_read_release(rd);
	if (rd->sync) {
		/* Before wake_up_var() looks for a waiter; the task sees @ret with it. */
		smp_store_mb(rd->finished, true);
		wake_up_var(rd);
	}
	dsfs_read_put(rd);
}
