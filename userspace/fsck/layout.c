// SPDX-License-Identifier: GPL-2.0
/*
 * The layout of the data.  Files are sorted by place, so every conflict between
 * two files is one between neighbours.  In an image of archives a file may lie inside another
 * one.  The neighbours of the outer file are then the next outer files.
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
static void check_same_sums(struct fsck *f, const struct fdata *a, const struct fdata *b)
{
	const u64 chunk = 1ULL << f->geo->chunk_bits;
	struct dsfs_attr x = { .ino = a->ino }, y = { .ino = b->ino };
	struct dsfs_err err = { 0 };
	u32 want, have;
	u64 i;
	int ret;

	if (a->sum == b->sum || !f->geo->chunk_bits)
		return;
	for (i = 0; i * chunk < a->stored && !stop_asked(); i++) {
		if (dsfs_chunk_sum(f->src, &x, a->stored, i, &want, &err))
			return;		/* reported when the data is verified */
		ret = dsfs_chunk_sum(f->src, &y, b->stored, i, &have, &err);
		if (ret) {
			problem_err(f, b->ino, b->start + i * chunk, &err, ret);
			return;
		}
		if (have != want) {
			problem(f, "checksum of shared data", b->ino, b->start + i * chunk,
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

/**
 * struct walk - a walk over stored data, in the order of places
 * @end, @end_block: of the data that reaches farthest
 * @inner_end: end of the last data inside the file @at
 * @at, @n: the first, and the number, of the last files that lie inside no other one; they
 *	have one place
 * @shared: a block of these holds other data, too
 * @stored: bytes up to here, each counted once
 * @twice: bytes that are read again because of overlaps
 */
struct walk {
	u64 end;
	u64 end_block;
	u64 inner_end;
	size_t at;
	size_t n;
	bool shared;
	u64 stored;
	u64 twice;
};

/* Check the flag of the last place.  It depends on the next data, @next; NULL: there is none. */
static void end_place(struct fsck *f, struct walk *w, const struct fdata *next)
{
	const struct fdata *r = f->data.p;

	if (!w->n)
		return;
	if (next && last_block(&r[w->at]) == first_block(next))
		w->shared = true;
	check_shared(f, r, w->at, w->at + w->n, w->shared);
}

/* Whether files may lie in others, and this one does. */
static bool is_inside(const struct fsck *f, const struct walk *w, const struct fdata *r)
{
	return f->geo->compat & DSFS_COMPAT_ARCHIVES && r->start >= w->inner_end &&
	       r->start + r->stored <= w->end;
}

/* A place in the data of the file at @w->at */
static void add_inside(struct fsck *f, struct walk *w, size_t i, size_t n)
{
	struct fdata *r = f->data.p;

	w->shared = true;
	w->inner_end = r[i].start + r[i].stored;
	for (size_t k = i; k < i + n; k++)
		r[k].inside = 1;
	check_shared(f, r, i, i + n, true);
}

static void add_place(struct fsck *f, struct walk *w, size_t i, size_t n)
{
	const u64 room = f->geo->data_end - f->geo->data_start;
	struct fdata *r = (struct fdata *)f->data.p + i;

	check_place(f, r);
	if (r->start < w->end) {
		problem(f, "data that overlaps", r->ino, r->start,
			"%llu bytes, the data before it ends at %llu", (u64)r->stored, w->end);
		/* overlapping data is read again, but in all no more than the data area */
		w->twice += r->stored;
		r->again = w->twice > room;
	}
	w->at = i;
	w->n = n;
	w->shared = w->end && w->end_block == first_block(r);
	w->stored += r->stored;
	w->inner_end = 0;
	if (r->start + r->stored > w->end) {
		w->end = r->start + r->stored;
		w->end_block = last_block(r);
	}
}

int check_layout(struct fsck *f)
{
	struct walk w = { 0 };
	struct fdata *r;
	size_t i, n;

	array_sort(&f->data, data_cmp);
	r = f->data.p;
	for (i = 0; i < f->data.n && !stop_asked(); i += n) {
		const bool inside = is_inside(f, &w, &r[i]);

		if (!inside)
			end_place(f, &w, &r[i]);
		for (n = 1; i + n < f->data.n && r[i + n].start == r[i].start &&
		     r[i + n].stored == r[i].stored; n++) {
			r[i + n].again = 1;
			check_same_sums(f, &r[i], &r[i + n]);
		}
		if (inside)
			add_inside(f, &w, i, n);
		else
			add_place(f, &w, i, n);
	}
	if (!stop_asked())
		end_place(f, &w, NULL);
	if (w.stored != f->geo->stored_bytes && !stop_asked() && !f->incomplete)
		problem(f, "stored bytes of all files", NO_INO, DSFS_SB_POS(f->img.use),
			"%llu, found %llu", f->geo->stored_bytes, w.stored);
	return 0;
}
