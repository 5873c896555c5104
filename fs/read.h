/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A read in flight: what data.c, which sends it out, and complete.c, which
 * receives it, both know.
 */
#ifndef DSFS_READ_H
#define DSFS_READ_H

#include "internal.h"

#include <linux/workqueue.h>

/**
 * struct dsfs_read - a read in flight
 * @inode: the file
 * @attr: what libdsfs needs of it
 * @ext: its side record
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
 * @pending: bios in flight, plus one while they are being submitted
 * @status: of the first bio that failed
 * @done: whom to wake; NULL: completion goes on in a worker
 * @work: that worker's
 * @bios: one after the other
 * @vecs: theirs
 * @nr_vecs: how many
 * @nr_bios: how many
 * @bounce: pages for what has no folio
 * @nr_bounce: how many
 * @nr_folios: how many
 * @folios: locked, in order, adjacent
 */
struct dsfs_read {
	struct inode *inode;
	struct dsfs_attr attr;
	struct dsfs_ext_info ext;
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
	atomic_t pending;
	blk_status_t status;
	struct completion *done;
	struct work_struct work;
	struct bio *bios;
	struct bio_vec *vecs;
	unsigned int nr_vecs;
	unsigned int nr_bios;
	struct page **bounce;
	unsigned int nr_bounce;
	unsigned int nr_folios;
	struct folio *folios[];
};

/* data.c */
void dsfs_read_free(struct dsfs_read *rd);

/* complete.c */
void dsfs_read_fail(struct dsfs_read *rd, int error);
int dsfs_read_finish(struct dsfs_read *rd);

#endif /* DSFS_READ_H */
