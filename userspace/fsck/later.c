// SPDX-License-Identifier: GPL-2.0
/*
 * Data that two generations share.  An older generation shares most of its data
 * with the next later one, which was checked before.  Data at the same place
 * with the same checksums is not read again.
 */
#include "fsck.h"

static u64 chunks_of(const struct dsfs_geo *geo, const struct fdata *r)
{
	const u64 chunk = 1ULL << geo->chunk_bits;

	return (r->stored + chunk - 1) >> geo->chunk_bits;
}

/* Whether the checksums of the data of a file are the same in both generations. */
static bool same_sums(struct fsck *f, const struct fdata *a, const struct fdata *later)
{
	struct dsfs_attr x = { .ino = a->ino }, y = { .ino = later->ino };
	struct dsfs_err err = { 0 };
	u32 one, other;
	u64 i, n;

	if (f->geo->chunk_bits != f->later.geo.chunk_bits)
		return false;
	if (!f->geo->chunk_bits)
		return true;
	n = chunks_of(f->geo, a);
	for (i = 0; i < n && !stop_asked(); i++) {
		if (dsfs_chunk_sum(f->src, &x, a->stored, i, &one, &err) ||
		    dsfs_chunk_sum(f->later.src, &y, later->stored, i, &other,
				   &err) || one != other)
			return false;
	}
	return true;
}

void mark_known(struct fsck *f)
{
	const struct fdata *later = f->later.data.p;
	struct fdata *r = f->data.p;
	size_t i, k = 0;

	for (i = 0; i < f->data.n && !stop_asked(); i++) {
		while (k < f->later.data.n &&
		       (later[k].start < r[i].start ||
			(later[k].start == r[i].start &&
			 later[k].stored < r[i].stored)))
			k++;
		if (k == f->later.data.n)
			break;
		if (!r[i].again && later[k].start == r[i].start && later[k].stored == r[i].stored)
			r[i].known = same_sums(f, &r[i], &later[k]);
	}
}

void free_later(struct fsck *f)
{
	image_source_free(f->later.src);
	array_free(&f->later.data);
	f->later.src = NULL;
}

void keep_later(struct fsck *f)
{
	free_later(f);
	f->later.geo = *f->geo;
	f->later.src = f->src;
	f->later.data = f->data;
	f->src = NULL;
	f->data.p = NULL;
	f->data.n = 0;
	f->data.cap = 0;
}
