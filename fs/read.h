/* SPDX-License-Identifier: GPL-2.0 */
/*
 * struct dsfs_read, shared by the files that create reads (data.c, whole.c),
 * send them (submit.c) and complete them (complete.c).
 *
 * A read has everything that its completion needs before its bio is sent,
 * as completions must not wait for a device: that device may be a loop
 * device on a file of this file system, and its reads wait for completions too.
 */
#ifndef DSFS_READ_H
#define DSFS_READ_H

#include "stats.h"

#include <linux/sched.h>

/* A read, from allocation to completion. All offsets and lengths are bytes. */
struct dsfs_read {
	struct inode *inode;
	struct dsfs_attr attr;		/* decoded row */
	u64 pos;			/* of the first folio in the file */
	u64 len;			/* of all folios */
	u64 stored;			/* stored data of the file */
	u64 from, to;			/* range of it to read; may be empty */
	u64 dev, dev_end;		/* that range on the device */
	u64 bad_from, bad_to;		/* range of stored data that is marked bad */
	int error;			/* errno of the bad range */
	unsigned int chunk_bits;	/* log2 of the chunk size of the file */
	enum dsfs_request kind;		/* purpose, for the counters */
	int cpu;			/* that has sent it */
	bool verify;			/* verify checksums */
	bool bounced;			/* fill all folios from bounce pages */
	bool sync;			/* a task waits, and finishes the read if it can at once */
	gfp_t gfp;			/* no effort unless it waits */
	bool own;			/* that task does */
	bool prepared;			/* has all that it needs to be sent */
	bool sent;			/* or not to be sent: to be finished */
	bool finished;			/* for that task: no folio is locked any more */
	int ret;			/* for that task: error of @wanted */
	atomic_t refs;			/* of who finishes it, and of that task */
	/*
	 * The folio whose error the task gets. Without one an error is neither
	 * counted nor logged, because the folios are read again.
	 */
	const struct folio *wanted;
	struct dsfs_room *room;		/* that the epoch cache has admitted it to */
	atomic_long_t *hint;		/* bytes in flight of the user whose hint it is */
	long hinted;			/* of them, those of this read */
	struct delayed_work work;	/* sends the read, or finishes it, in a worker */
	struct bio bio;			/* reads all of it, whatever the number of pages */
	void *buffers;			/* allocation of the bio_vecs and these arrays: */
	struct page **bounce;
	u32 *sums;			/* expected checksums, of the chunks from @from on */
	unsigned int nr_bounce;
	unsigned int nr_folios;
	u64 *blocks;			/* with holes: stored offset of each block from @pos on */
	struct dsfs_frames *frames;	/* of a compressed file: what is to be unpacked */
	unsigned int nr_cached;		/* folios that are in the page cache, and locked, */
	unsigned int nr_done;		/* and of these, not any more */
	struct folio *folios[];		/* adjacent, in file order */
};

/* dsfs_read_failed - true if all of a read is marked bad */
static inline bool dsfs_read_failed(const struct dsfs_read *rd)
{
	return rd->error && rd->bad_to == U64_MAX;
}

/* dsfs_range_bad - true if a range of stored data overlaps one that is marked bad */
static inline bool dsfs_range_bad(const struct dsfs_read *rd, u64 from, u64 to)
{
	return rd->error && from < rd->bad_to && to > rd->bad_from;
}

/*
 * dsfs_read_mark_bad - mark a range of stored data bad
 *
 * Bad ranges are merged into one. The first error counts.
 */
static inline void dsfs_read_mark_bad(struct dsfs_read *rd, u64 from, u64 to, int error)
{
	if (!rd->error) {
		rd->error = error;
		rd->bad_from = from;
	}
	rd->bad_from = min(rd->bad_from, from);
	rd->bad_to = max(rd->bad_to, to);
}

/* dsfs_is_cached - true if the page cache has a page, which may be locked */
static inline bool dsfs_is_cached(struct address_space *mapping, pgoff_t index)
{
	const void *entry = xa_load(&mapping->i_pages, index);

	return entry && !xa_is_value(entry);
}

/* dsfs_read_unpacks - true for a compressed file */
static inline bool dsfs_read_unpacks(const struct dsfs_read *rd)
{
	return IS_ENABLED(CONFIG_DSFS_COMPRESSION) && rd->frames;
}

/* dsfs_read_gives_way - true if a worker has to go on with a read; a worker gives way itself */
static inline bool dsfs_read_gives_way(const struct dsfs_read *rd)
{
	if (rd->own)
		return need_resched();
	cond_resched();
	return false;
}

/* dsfs_read_put - give back a reference of a read that is finished, or left to who finishes it */
static inline void dsfs_read_put(struct dsfs_read *rd)
{
	if (atomic_dec_and_test(&rd->refs))
		kvfree(rd);
}

#define DSFS_READ_HOLE	U64_MAX	/* in dsfs_read.blocks */

/*
 * Size of the reads that a readahead window is split into. Each is verified and
 * unlocked on its own, so that the first page of a large window is available
 * early. The block layer merges their bios.
 */
#define DSFS_AHEAD_MAX	SZ_512K

/* Limit of the bytes in flight for hints of one user, where memory is not smaller */
#define DSFS_HINT_MAX	SZ_256M

/* Limit of the folios of one read, in bytes */
#define DSFS_READ_MAX	SZ_8M

/* read.c */
void dsfs_widen_to_chunks(const struct inode *inode, pgoff_t *first, pgoff_t *end);
long dsfs_hint_add(struct dsfs_sb_info *sbi, atomic_long_t *user, long bytes);
atomic_long_t *dsfs_hint_charge(struct dsfs_sb_info *sbi, long bytes);
void dsfs_hint_done(const struct inode *inode, pgoff_t pages, enum dsfs_decision decision);
struct dsfs_read *dsfs_read_alloc(struct inode *inode, unsigned int folios,
				  enum dsfs_request kind, bool sync);
void dsfs_read_release(struct dsfs_read *rd);
void dsfs_read_free(struct dsfs_read *rd);
struct folio *dsfs_add_part(struct address_space *mapping, const struct folio *folio,
			    pgoff_t index, unsigned int order);
void dsfs_read_add_folio(struct dsfs_read *rd, struct folio *folio);
bool dsfs_read_take(struct dsfs_read *rd, pgoff_t index, pgoff_t end, unsigned int max);
pgoff_t dsfs_piece_pages(const struct inode *inode);

/* submit.c */
void dsfs_give_way(void);
bool dsfs_read_enter(struct dsfs_read *rd);
int dsfs_read_send(struct dsfs_read *rd);
int dsfs_read_submit(struct dsfs_read *rd);

/* complete.c */
bool dsfs_read_finish(struct dsfs_read *rd);
void dsfs_read_end(struct dsfs_read *rd);

#endif /* DSFS_READ_H */
