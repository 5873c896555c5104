/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A read in flight: what those who decide on one (data.c, whole.c), submit.c,
 * which sends it out, and complete.c, which receives it, all know.
 *
 * All that a completion needs is held by the read before its first bio is sent.  A
 * completion must wait for no device: the one that it would wait for may lie on a
 * file of this very file system, behind reads whose completions wait for a worker.
 */
#ifndef DSFS_READ_H
#define DSFS_READ_H

#include "stats.h"

#include <linux/workqueue.h>

/**
 * struct dsfs_read - a read in flight
 * @inode: the file
 * @attr: what libdsfs needs of it
 * @pos: offset in the file of the first folio
 * @len: bytes of folios
 * @stored: bytes that the file stores
 * @from: first stored byte that is read
 * @to: end of the stored bytes that are read; equal to @from: nothing is
 * @dev: byte offset on the device where the read begins
 * @dev_end: where it ends
 * @verify: check against checksums
 * @bounced: folios are filled from bounce pages
 * @bad_from: stored bytes from here ...
 * @bad_to: ... to here are not to be trusted
 * @error: why
 * @wanted: whose error dsfs_read_finish() returns; not to be looked into then
 * @pending: bios in flight, plus one while they are being submitted
 * @status: of the first bio that failed
 * @kind: what for
 * @sync: somebody waits, and finishes the read himself
 * @hint: somebody will want it, maybe: its bytes count as in flight
 * @reports: an error is counted and logged; where it is not, who wants the bytes
 *	tries again, chunk by chunk
 * @state: DSFS_READ_*; of a read with @sync
 * @work: of a worker that finishes the read where nobody waits
 * @buffers: memory of the arrays that follow
 * @bios: one after the other
 * @vecs: theirs
 * @nr_vecs: how many
 * @nr_bios: how many
 * @sums: what the checksum of each chunk from @from on should be
 * @bounce: pages for what has no folio
 * @nr_bounce: how many
 * @blocks: of a file with holes, where each block of 4 KiB from @pos on is stored,
 *	or DSFS_READ_HOLE
 * @nr_folios: how many
 * @folios: locked, in order, adjacent
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
	bool sync;
	bool hint;
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

/* dsfs_read_failed - whether nothing of a read may be used */
static inline bool dsfs_read_failed(const struct dsfs_read *rd)
{
	return rd->error && rd->bad_to == U64_MAX;
}

/* Bits of dsfs_read.state */
#define DSFS_READ_BUSY		0	/* the device is not done */
#define DSFS_READ_ORPHAN	1	/* who waited was killed */

#define DSFS_READ_HOLE	U64_MAX

/*
 * Readahead is cut into reads of about this size, which the block layer puts together
 * again as far as the device takes it.  Each is checked, and its folios unlocked, alone:
 * who waits for the first page of a large window has it when a part is done.
 */
#define DSFS_AHEAD_MAX	SZ_512K

/* A read takes no more folios when it has this many bytes of them. */
#define DSFS_READ_MAX	SZ_8M

/* data.c */
struct folio *dsfs_add_folio(struct address_space *mapping, pgoff_t index,
			     unsigned int order, gfp_t gfp);

/* read.c */
struct dsfs_read *dsfs_read_alloc(struct inode *inode, unsigned int folios,
				  gfp_t gfp);
void dsfs_read_free(struct dsfs_read *rd);
void dsfs_read_add_folio(struct dsfs_read *rd, struct folio *folio);
void dsfs_read_spoil(struct dsfs_read *rd, u64 from, u64 to, int error);
void dsfs_read_fail(struct dsfs_read *rd, int error);

/* submit.c */
int dsfs_read_submit(struct dsfs_read *rd, blk_opf_t opf, gfp_t gfp);

/* cache.c */
void dsfs_cache_read(struct dsfs_read *rd);

/* complete.c */
int dsfs_read_finish(struct dsfs_read *rd);

#endif /* DSFS_READ_H */
