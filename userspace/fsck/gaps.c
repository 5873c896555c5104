// SPDX-License-Identifier: GPL-2.0
/*
 * Regions without fixed records: the gaps between their objects are zero, and
 * objects do not overlap unless they are shared.
 */
#include "fsck.h"

static void check_gap(struct fsck *f, int region, const char *what, u64 from, u64 to)
{
	if (!meta_is_zero(f, region, from, to))
		problem(f, what, NO_INO, meta_pos(f, region, from),
			"bytes of the gap up to %llu are not zero", meta_pos(f, region, to));
}

/**
 * struct ranges - the objects of a region, in the order of places
 * @gap: what a gap between them is called
 * @overlap: what it is called that two of them overlap; NULL: they may
 * @shared: of those that begin at one place one is meant
 * @last: where the last one begins
 * @bytes: of that one
 * @end: of the one that reaches farthest
 */
struct ranges {
	struct fsck *f;
	int region;
	const char *gap;
	const char *overlap;
	bool shared;
	u64 last;
	u64 bytes;
	u64 end;
};

static void add_range(struct ranges *r, u64 pos, u64 len, u32 ino)
{
	if (pos > r->end)
		check_gap(r->f, r->region, r->gap, r->end, pos);
	else if (r->overlap && pos < r->end && !(r->shared && pos == r->last))
		problem(r->f, r->overlap, ino, meta_pos(r->f, r->region, pos),
			"what lies before it ends at %llu", meta_pos(r->f, r->region, r->end));
	r->last = pos;
	if (pos + len > r->end)
		r->end = pos + len;
}

static void end_ranges(struct ranges *r)
{
	check_gap(r->f, r->region, r->gap, r->end, r->f->geo->regions[r->region].bytes);
}

static int block_cmp(const void *a, const void *b)
{
	const struct frange *x = a, *y = b;

	return array_order(x->pos, y->pos) ?: array_order(x->ino, y->ino);
}

static int keep_block(void *arg, const struct frange *b)
{
	return array_append(arg, b);
}

/* The name blocks, which another writer than mkfs.dsfs may have placed in any order */
static int sort_blocks(struct ranges *r)
{
	struct array blocks = { .size = sizeof(struct frange) };
	const int ret = each_block(r->f, keep_block, &blocks);
	const struct frange *at;

	array_sort(&blocks, block_cmp);
	at = blocks.p;
	for (size_t i = 0; !ret && i < blocks.n && !stop_asked(); i++)
		add_range(r, at[i].pos, at[i].len, at[i].ino);
	array_free(&blocks);
	return ret;
}

/* The gaps between blocks that came in order */
static void kept_gaps(struct ranges *r)
{
	const struct names_gap *gaps = r->f->names_gaps.p;

	for (size_t i = 0; i < r->f->names_gaps.n && !stop_asked(); i++)
		check_gap(r->f, r->region, r->gap, gaps[i].from, gaps[i].to);
	r->end = r->f->names_end;
}

static int check_names_gaps(struct fsck *f)
{
	struct ranges r = {
		.f = f, .region = DSFS_REGION_NAMES,
		.gap = "gap between name blocks", .overlap = "name blocks that overlap",
	};
	const int ret = f->unordered ? sort_blocks(&r) : 0;

	if (!f->unordered)
		kept_gaps(&r);
	if (!ret)
		end_ranges(&r);
	return ret;
}

/* Places that have no length are those of sets. */
static int add_place(void *arg, const struct ref *p)
{
	struct ranges *r = arg;

	if (r->region != DSFS_REGION_XATTRS)
		r->bytes = p->len;
	else if (p->pos != r->last)
		r->bytes = set_bytes(r->f, p->pos);
	add_range(r, p->pos, r->bytes, p->ino);
	return 0;
}

static int check_places(struct ranges *r, struct refs *of)
{
	const int ret = refs_each(of, r->f->src, add_place, r);

	if (!ret)
		end_ranges(r);
	return ret;
}

int check_gaps(struct fsck *f)
{
	struct ranges sets = {
		.f = f, .region = DSFS_REGION_XATTRS, .gap = "gap between sets of xattrs",
		.overlap = "sets of xattrs that overlap", .shared = true,
		.last = NO_POS,
	};
	struct ranges targets = {
		.f = f, .region = DSFS_REGION_SYMLINKS, .gap = "gap between symlink targets",
	};

	return check_names_gaps(f) ?: check_places(&sets, &f->sets) ?:
	       check_places(&targets, &f->targets);
}
