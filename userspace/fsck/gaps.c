// SPDX-License-Identifier: GPL-2.0
/*
 * Regions without fixed records: the gaps between their objects are zero, and
 * objects do not overlap unless they are shared.
 */
#include "fsck.h"

int range_cmp(const void *a, const void *b)
{
	const struct frange *x = a, *y = b;

	if (x->pos != y->pos)
		return x->pos < y->pos ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static void check_gap(struct fsck *f, int region, const char *what, u64 from, u64 to)
{
	struct dsfs_mref ref;
	bool zero;
	u64 n;

	/* Without all objects in the lists, gaps cannot be told from objects. */
	for (; from < to && !stop_asked() && !f->incomplete; from += n) {
		n = DSFS_BLOCK_SIZE - (from & (DSFS_BLOCK_SIZE - 1));
		if (n > to - from)
			n = to - from;
		/* an unreadable block was reported before */
		if (dsfs_meta_get(f->src, region, from, n, &ref))
			continue;
		zero = all_zero(ref.p, n);
		dsfs_meta_put(&ref);
		if (zero)
			continue;
		problem(f, what, NO_INO, meta_pos(f, region, from),
			"bytes of the gap up to %llu are not zero", meta_pos(f, region, to));
		return;
	}
}

static void check_ranges(struct fsck *f, int region, struct array *vec,
			 const char *gap, const char *overlap)
{
	const struct frange *r;
	u64 end = 0;
	size_t i;

	array_sort(vec, range_cmp);
	r = vec->p;
	for (i = 0; i < vec->n && !stop_asked(); i++) {
		if (r[i].pos > end)
			check_gap(f, region, gap, end, r[i].pos);
		/* equal ranges are a shared xattr set */
		else if (overlap && r[i].pos < end &&
			 (region != DSFS_REGION_XATTRS || r[i].pos != r[i - 1].pos))
			problem(f, overlap, r[i].ino, meta_pos(f, region, r[i].pos),
				"what lies before it ends at %llu", meta_pos(f, region, end));
		if (r[i].pos + r[i].len > end)
			end = r[i].pos + r[i].len;
	}
	check_gap(f, region, gap, end, f->geo->regions[region].bytes);
}

int check_gaps(struct fsck *f)
{
	check_ranges(f, DSFS_REGION_NAMES, &f->blocks, "gap between name blocks",
		     "name blocks that overlap");
	check_ranges(f, DSFS_REGION_XATTRS, &f->sets,
		     "gap between sets of xattrs", "sets of xattrs that overlap");
	check_ranges(f, DSFS_REGION_SYMLINKS, &f->targets, "gap between symlink targets", NULL);
	return 0;
}
