// SPDX-License-Identifier: GPL-2.0
/*
 * The completion of reads, in process context: stored bytes are checked against
 * their checksums, folios are filled where they went through bounce pages, and
 * what is right becomes uptodate.
 *
 * A checksum covers a chunk, so an error does too: folios that touch a bad chunk
 * stay as they are, and a read of one of them tries again, chunk by chunk, and gets
 * the errno or the bytes.
 */
#include "read.h"
#include "trace.h"

#include <linux/highmem.h>
#include <linux/pagemap.h>
#include <linux/prefetch.h>

static bool dsfs_range_bad(const struct dsfs_read *rd, u64 from, u64 to)
{
	return rd->error && from < rd->bad_to && to > rd->bad_from;
}

static void dsfs_chunk_check(struct dsfs_read *rd, u64 from, u64 to, u32 sum)
{
	struct super_block *sb = rd->inode->i_sb;
	const u32 want = rd->sums[(from - rd->from) >> dsfs_geo(sb)->chunk_bits];

	/* Of a chunk that is bad already, the checksum may be what was not to be had. */
	if (sum == want || dsfs_range_bad(rd, from, to))
		return;
	dsfs_read_spoil(rd, from, to, -EBADMSG);
	if (!rd->reports)
		return;
	atomic64_inc(&DSFS_SB(sb)->sum_errors);
	trace_dsfs_checksum_failure(sb, rd->attr.ino, rd->attr.start + from, to - from);
	dsfs_error_limited(sb, DSFS_LIMIT_DATA,
			   "inode %u: data at %llu to %llu (device offset %llu): checksum is 0x%x, should be 0x%x",
			   rd->attr.ino, from, to, rd->attr.start + from, sum,
			   want);
}

/* Where a pass over the stored bytes of a read has got to. */
struct dsfs_pass {
	u64 at;		/* stored offset of the next byte */
	u64 chunk;	/* where its chunk began */
	u64 end;	/* where its chunk ends */
	u32 sum;
};

/*
 * Data that a device has just written is in no cache of the CPU, and crc32c by three
 * interleaved streams of 8 bytes goes as fast as memory answers: fetch what comes next
 * meanwhile.  Far enough ahead to hide that, little enough to stay in the first cache.
 */
#define DSFS_PREFETCH	SZ_4K

static inline void dsfs_prefetch(const char *p, size_t len)
{
	const char *end = p + len;

	for (; p < end; p += L1_CACHE_BYTES)
		prefetch(p);
}

static void dsfs_pass_bytes(struct dsfs_read *rd, struct dsfs_pass *pass,
			    const char *p, size_t len)
{
	const u64 chunk = 1ULL << dsfs_geo(rd->inode->i_sb)->chunk_bits;
	size_t n;

	for (; len; len -= n, p += n) {
		n = min3((u64)len, pass->end - pass->at, (u64)DSFS_PREFETCH);
		dsfs_prefetch(p + n, min_t(size_t, len - n, DSFS_PREFETCH));
		pass->sum = dsfs_crc32c(pass->sum, p, n);
		pass->at += n;
		if (pass->at < pass->end)
			continue;
		dsfs_chunk_check(rd, pass->chunk, pass->end, pass->sum);
		pass->chunk = pass->end;
		pass->end = min(pass->end + chunk, rd->stored);
		pass->sum = 0;
	}
}

/* As much at once as can be mapped: a call for every page has its price. */
static void dsfs_pass_folio(struct dsfs_read *rd, struct dsfs_pass *pass,
			    struct folio *folio, size_t off, size_t len)
{
	size_t n;
	char *p;

	for (; len; len -= n, off += n) {
		n = len;
		if (IS_ENABLED(CONFIG_KMAP_LOCAL))
			n = min_t(size_t, n, PAGE_SIZE - offset_in_page(off));
		p = kmap_local_folio(folio, off);
		dsfs_pass_bytes(rd, pass, p, n);
		kunmap_local(p);
	}
}

/* The device read [dev, dev_end); the file's part is [from, to). */
static void dsfs_read_verify(struct dsfs_read *rd)
{
	const u64 chunk = 1ULL << dsfs_geo(rd->inode->i_sb)->chunk_bits;
	const u64 first = rd->attr.start + rd->from;
	const u64 last = rd->attr.start + rd->to;
	struct dsfs_pass pass = {
		.at = rd->from,
		.chunk = rd->from,
		.end = min(rd->from + chunk, rd->stored),
	};
	struct folio_iter fi;
	u64 dev = rd->dev;
	unsigned int i;

	for (i = 0; i < rd->nr_bios; i++) {
		bio_for_each_folio_all(fi, &rd->bios[i]) {
			u64 lo = max(dev, first);
			u64 hi = min(dev + fi.length, last);

			if (lo < hi)
				dsfs_pass_folio(rd, &pass, fi.folio,
						fi.offset + (lo - dev), hi - lo);
			dev += fi.length;
		}
	}
}

/* Copy stored bytes from the bounce pages into a folio. */
static void dsfs_copy_bounce(struct dsfs_read *rd, u64 stored, size_t len,
			     struct folio *folio, size_t to)
{
	u64 off = rd->attr.start + stored - rd->dev;
	size_t n;

	for (; len; len -= n, off += n, to += n) {
		n = min3(len, (size_t)(PAGE_SIZE - offset_in_page(off)),
			 (size_t)(PAGE_SIZE - offset_in_page(to)));
		memcpy_page(folio_page(folio, to >> PAGE_SHIFT),
			    offset_in_page(to), rd->bounce[off >> PAGE_SHIFT],
			    offset_in_page(off), n);
	}
}

/* Where a byte of a file that goes through bounce pages is stored. */
static u64 dsfs_stored_at(const struct dsfs_read *rd, u64 pos)
{
	u64 block;

	if (!rd->blocks)
		return pos;
	block = rd->blocks[(pos - rd->pos) >> DSFS_BLOCK_BITS];
	return block == DSFS_READ_HOLE ? block :
	       block + (pos & (DSFS_BLOCK_SIZE - 1));
}

/* Fill a folio of a file that goes through bounce pages. */
static int dsfs_fill_bounced(struct dsfs_read *rd, struct folio *folio, u64 pos,
			     u64 end)
{
	const u64 base = folio_pos(folio);
	u64 n, stored;

	for (; pos < end; pos += n) {
		/* Holes begin and end where blocks do. */
		n = min_t(u64, end - pos, DSFS_BLOCK_SIZE);
		stored = dsfs_stored_at(rd, pos);
		if (stored == DSFS_READ_HOLE) {
			folio_zero_segment(folio, pos - base, pos - base + n);
			continue;
		}
		if (dsfs_range_bad(rd, stored, stored + n))
			return rd->error;
		dsfs_copy_bounce(rd, stored, n, folio, pos - base);
	}
	return 0;
}

/* One folio: its bytes are right and zero behind the end of the file, or not. */
static int dsfs_finish_folio(struct dsfs_read *rd, struct folio *folio)
{
	const u64 size = rd->attr.size;
	const u64 pos = folio_pos(folio);
	const u64 end = clamp(size, pos, pos + folio_size(folio));
	int ret = 0;

	if (dsfs_read_failed(rd))
		return rd->error;
	if (rd->bounced)
		ret = dsfs_fill_bounced(rd, folio, pos, end);
	else if (dsfs_range_bad(rd, pos, end))
		ret = rd->error;
	if (ret)
		return ret;
	/* Neighbours share the last block: their bytes must not be seen. */
	folio_zero_segment(folio, end - pos, folio_size(folio));
	flush_dcache_folio(folio);
	folio_mark_uptodate(folio);
	return 0;
}

/**
 * dsfs_read_finish - the end of a read
 * @rd: all its bios are done, or were never sent; freed
 *
 * Every folio is unlocked, and uptodate if its bytes are right.  Nothing here waits
 * for a device or for memory.  It takes long, and must not be called by an interrupt,
 * if there is something to verify, bounce pages to copy from, or an error.
 *
 * Return: the error of @rd->wanted, or 0.
 */
int dsfs_read_finish(struct dsfs_read *rd)
{
	struct super_block *sb = rd->inode->i_sb;
	struct folio *folio;
	unsigned int i;
	int err, ret = 0;

	if (rd->hint)
		atomic_long_sub(rd->len, &DSFS_SB(sb)->hinted);
	if (rd->status) {
		if (rd->reports) {
			atomic64_inc(&DSFS_SB(sb)->io_errors);
			dsfs_error_limited(sb, DSFS_LIMIT_DATA,
					   "inode %u: device offset %llu to %llu: I/O error",
					   rd->attr.ino, rd->dev, rd->dev_end);
		}
		/* The device's name for it may be -ENODATA, or worse. */
		dsfs_read_fail(rd, -EIO);
	} else if (rd->verify && rd->from < rd->to && !dsfs_read_failed(rd)) {
		dsfs_read_verify(rd);
	}
	trace_dsfs_read_done(rd->inode, rd->pos, rd->error, rd->nr_bios);
	for (i = 0; i < rd->nr_folios; i++) {
		folio = rd->folios[i];
		err = dsfs_finish_folio(rd, folio);
		if (folio == rd->wanted)
			ret = err;
		folio_unlock(folio);
	}
	/* From here on the inode, and all but this read, may be gone. */
	dsfs_read_free(rd);
	return ret;
}
