/* SPDX-License-Identifier: GPL-2.0 */
/*
 * struct dsfs_read, shared by the files that create reads (data.c, whole.c),
 * send them (submit.c) and complete them (complete.c).
 *
 * A read has everything that its completion needs before the first bio is sent,
 * because completions must not wait for a device: that device may be a loop
 * device on a file of this file system, and its reads wait for completions too.
 */
#ifndef DSFS_READ_H
#define DSFS_READ_H

#include "stats.h"

#include <linux/workqueue.h>

/**
 * struct dsfs_read - a read, from allocation to completion
 * @inode: the file
 * @attr: its decoded inode record
 * @pos: offset in the file of the first folio
 * @len: bytes of all folios
 * @stored: length of the stored data of the file
 * @from: start of the range to read, in stored data
 * @to: end of that range; equal to @from: nothing to read
 * @dev: start of the range on the device, in bytes
 * @dev_end: end of the range on the device
 * @verify: verify checksums
 * @bounced: fill all folios from bounce pages
 * @bad_from: start of the range that is marked bad, in stored data
 * @bad_to: end of that range
 * @error: errno of the bad range
 * @wanted: folio whose error dsfs_read_finish() returns; not dereferenced then
 * @pending: bios in flight, plus one during submission
 * @status: status of a failed bio
 * @kind: purpose, for the counters
 * @hint: bytes in flight of the user whose hint caused the read; NULL: no hint
 * @sync: a task waits, and finishes the read itself
 * @reports: count and log an error. Unset for reads whose folios are read again
 *	after an error
 * @state: bits DSFS_READ_BUSY and DSFS_READ_ORPHAN, for @sync
 * @work: finishes the read in a worker
 * @buffers: allocation of the arrays that follow
 * @bios: bios
 * @vecs: their bio_vecs
 * @nr_vecs: number of bio_vecs
 * @nr_bios: number of bios in use
 * @sums: expected checksum of each chunk from @from on
 * @bounce: bounce pages
 * @nr_bounce: number of bounce pages
 * @blocks: for a file with holes: stored offset of each 4 KiB block from @pos
 *	on, or DSFS_READ_HOLE
 * @nr_folios: number of folios
 * @folios: locked, adjacent, in file order
 */
struct dsfs_read {
	struct inode *inode;
	struct dsfs_attr attr;
	u64 pos;
	u64 len;
	u64 stored;
	u64 from;
	u64 to;
	u64 dev;
	u64 dev_end;
	bool verify;
	bool bounced;
	u64 bad_from;
	u64 bad_to;
	int error;
	const struct folio *wanted;
	atomic_t pending;
	blk_status_t status;
	enum dsfs_request kind;
	atomic_long_t *hint;
	bool sync;
	bool reports;
	unsigned long state;
	struct work_struct work;
	void *buffers;
	struct bio *bios;
	struct bio_vec *vecs;
	unsigned int nr_vecs;
	unsigned int nr_bios;
	u32 *sums;
	struct page **bounce;
	unsigned int nr_bounce;
	u64 *blocks;
	unsigned int nr_folios;
	struct folio *folios[];
};

/* dsfs_read_failed - true if all of a read is marked bad */
static inline bool dsfs_read_failed(const struct dsfs_read *rd)
{
	return rd->error && rd->bad_to == U64_MAX;
}

/* Bits of dsfs_read.state */
#define DSFS_READ_BUSY		0	/* bios are in flight */
#define DSFS_READ_ORPHAN	1	/* the waiting task was killed */

#define DSFS_READ_HOLE	U64_MAX

/*
 * Size of the reads that a readahead window is split into. Each is verified and
 * unlocked on its own, so that the first page of a large window is available
 * early. The block layer merges their bios.
 */
#define DSFS_AHEAD_MAX	SZ_512K

/* Limit of the folios of one read, in bytes */
#define DSFS_READ_MAX	SZ_8M

/* data.c */
struct folio *dsfs_add_folio(struct address_space *mapping, pgoff_t index,
			     unsigned int order, gfp_t gfp);

/* read.c */
struct dsfs_read *dsfs_read_alloc(struct inode *inode, unsigned int folios,
				  gfp_t gfp);
void dsfs_read_free(struct dsfs_read *rd);
void dsfs_read_add_folio(struct dsfs_read *rd, struct folio *folio);
void dsfs_read_mark_bad(struct dsfs_read *rd, u64 from, u64 to, int error);
void dsfs_read_mark_all_bad(struct dsfs_read *rd, int error);

/* submit.c */
int dsfs_read_submit(struct dsfs_read *rd, blk_opf_t opf, gfp_t gfp);

/* whole.c */
void dsfs_hint_uncharge(struct dsfs_sb_info *sbi, atomic_long_t *user, long bytes);

/* cache.c */
void dsfs_cache_read(struct dsfs_read *rd);

/* complete.c */
int dsfs_read_finish(struct dsfs_read *rd);

#endif /* DSFS_READ_H */
