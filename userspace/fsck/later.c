// SPDX-License-Identifier: GPL-2.0
/*
 * Data that two generations share.  An older generation shares most of its data
 * with the next later one, which was checked before.  Data at the same place
 * with the same checksums is not read again.
 */
#include "fsck.h"

static u64 chunks_of(const struct dsfs_geo *geo, const struct place *r)
{
	const unsigned int bits = dsfs_chunk_bits(geo, r->len);

	return (r->len + (1ULL << bits) - 1) >> bits;
}

/* Whether the checksums of the data of a file are the same in both generations. */
static bool same_sums(struct fsck *f, const struct place *a, const struct place *later)
{
	const struct dsfs_attr x = { .ino = a->ino, .sum = a->sum };
	const struct dsfs_attr y = { .ino = later->ino, .sum = later->sum };
	struct dsfs_err err = { 0 };
	u32 one, other;
	u64 i, n;

	if (dsfs_chunk_bits(f->geo, a->len) != dsfs_chunk_bits(&f->later.geo, a->len))
		return false;
	if (!f->geo->chunk_bits)
		return true;
	n = chunks_of(f->geo, a);
	for (i = 0; i < n && !stop_asked(); i++) {
		if (dsfs_chunk_sum(f->src, &x, a->len, i, &one, &err) ||
		    dsfs_chunk_sum(f->later.src, &y, later->len, i, &other,
				   &err) || one != other)
			return false;
	}
	return true;
}

/* The place of the later generation that the walk is at, NULL at its end; 0 or -ENOMEM */
static int at_later(struct later *l, const struct place **p)
{
	int ret = 1;

	for (; ret > 0 && l->i >= l->share.at.n; l->i = 0)
		ret = share_next(&l->share);
	*p = ret > 0 ? share_at(&l->share, l->i) : NULL;
	return ret < 0 ? ret : 0;
}

int is_known(struct fsck *f, const struct place *p)
{
	struct later *l = &f->later;
	const struct place *at;
	int ret;

	if (!l->src)
		return 0;
	for (;; l->i++) {
		ret = at_later(l, &at);
		if (ret || !at)
			return ret;
		if (at->pos > p->pos || (at->pos == p->pos && at->len >= p->len))
			return place_same(at, p) && same_sums(f, p, at);
	}
}

void free_later(struct fsck *f)
{
	share_end(&f->later.share);
	image_source_free(f->later.src);
	places_free(&f->later.data);
	f->later.src = NULL;
}

void keep_later(struct fsck *f)
{
	free_later(f);
	f->later.geo = *f->geo;
	f->later.src = f->src;
	f->later.data = f->data;
	f->later.i = 0;
	f->src = NULL;
	f->data = (struct places){ };
	share_begin(&f->later.share, &f->later.data, f->later.src);
}
