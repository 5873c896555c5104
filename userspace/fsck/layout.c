// SPDX-License-Identifier: GPL-2.0
/*
 * The layout of the data.  Files are sorted by place, so every conflict between
 * two files is one between neighbours.
 */

#include "fsck.h"

int data_cmp(const void *a, const void *b)
{
	const struct fdata *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->stored != y->stored)
		return x->stored < y->stored ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static u64 first_block(const struct fdata *r)
{
	return r->start >> DSFS_BLOCK_BITS;
}

static u64 last_block(const struct fdata *r)
{
	return (r->start + r->stored - 1) >> DSFS_BLOCK_BITS;
}

/* Compare the checksums of two files with the same place. */
static void check_same_sums(struct fsck *f, const struct fdata *a,
			    const struct fdata *b)
{
	const u64 chunk = 1ULL << f->geo->chunk_bits;
	struct dsfs_attr x = { .ino = a->ino }, y = { .ino = b->ino };
	struct dsfs_err err = { 0 };
	u32 want, have;
	u64 i;
	int ret;

	if (a->sum == b->sum || !f->geo->chunk_bits)
		return;
	for (i = 0; i * chunk < a->stored && !fsck_stop; i++) {
		if (dsfs_chunk_sum(f->src, &x, a->stored, i, &want, &err))
			return;		/* reported when the data is verified */
		ret = dsfs_chunk_sum(f->src, &y, b->stored, i, &have, &err);
		if (ret) {
			problem_err(f, b->ino, b->start + i * chunk, &err, ret);
			return;
		}
		if (have != want) {
			problem(f, "checksum of shared data", b->ino,
				b->start + i * chunk,
				"%#x, inode %u has %#x", have, a->ino, want);
			return;
		}
	}
}

static void check_place(struct fsck *f, const struct fdata *r)
{
	if (r->stored <= DSFS_BLOCK_SIZE && first_block(r) != last_block(r))
		problem(f, "small file that crosses a block", r->ino, r->start,
			"%llu bytes", (u64)r->stored);
}

/* Check DSFS_INODE_SHARED of the files [@from, @to), which have the same place. */
static void check_shared(struct fsck *f, const struct fdata *data, size_t from,
			 size_t to, bool shared)
{
	size_t i;

	for (i = from; i < to; i++)
		if (data[i].shared != shared)
			problem(f, "flag of shared data", data[i].ino,
				data[i].start, shared ?
				"a block of it holds other data too" :
				"no block of it holds other data");
}

int check_layout(struct fsck *f)
{
	struct fdata *r;
	const u64 room = f->geo->data_end - f->geo->data_start;
	u64 stored = 0, end = 0, end_block = 0, twice = 0;
	size_t i, n;

	vec_sort(&f->data, data_cmp);
	r = f->data.v;
	for (i = 0; i < f->data.n && !fsck_stop; i += n) {
		bool shared = end && end_block == first_block(&r[i]);

		for (n = 1; i + n < f->data.n && r[i + n].start == r[i].start &&
		     r[i + n].stored == r[i].stored; n++) {
			r[i + n].again = 1;
			check_same_sums(f, &r[i], &r[i + n]);
		}
		check_place(f, &r[i]);
		if (r[i].start < end) {
			problem(f, "data that overlaps", r[i].ino, r[i].start,
				"%llu bytes, the data before it ends at %llu",
				(u64)r[i].stored, end);
			/*
			 * overlapping data is read again, but in all no more
			 * than the data area
			 */
			twice += r[i].stored;
			r[i].again = twice > room;
		}
		if (i + n < f->data.n && last_block(&r[i]) == first_block(&r[i + n]))
			shared = true;
		check_shared(f, r, i, i + n, shared);
		stored += r[i].stored;
		if (r[i].start + r[i].stored > end) {
			end = r[i].start + r[i].stored;
			end_block = last_block(&r[i]);
		}
	}
	if (stored != f->geo->stored_bytes && !fsck_stop && !f->incomplete)
		problem(f, "stored bytes of all files", NO_INO,
			DSFS_SB_POS(f->img.use), "%llu, found %llu",
			f->geo->stored_bytes, stored);
	return 0;
}
