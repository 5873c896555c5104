// SPDX-License-Identifier: GPL-2.0
/*
 * Places in their order.  All at once they would take more memory than all else that is known
 * of an image, as there is one for nearly every inode.  So the order is divided into shares,
 * and for each of them the inodes are read again.  The bounds of shares come from a
 * sample.  mkfs.dsfs places data in the order of inode numbers, so a share is that of few groups
 * of inodes, and the others are passed over; in any order there are few shares.
 *
 * An image that was made to mislead the sample has shares of any size, and takes more memory.
 */
#include "refs.h"
#include "stop.h"

/* At least so many places, and a SHARES-th of them if there are more, are a share. */
#ifndef SHARE_MIN
#define SHARE_MIN	524288
#endif
#define SHARES		32
/* One place of so many is in the sample; a power of two */
#ifndef SAMPLE_OF
#define SAMPLE_OF	1024
#endif
/* Inodes of a group */
#ifndef GROUP_BITS
#define GROUP_BITS	12
#endif

/* Bits of a position by which places are sorted in one pass */
#define DIGIT_BITS	11
#define DIGIT_MASK	((1U << DIGIT_BITS) - 1)

/* The lowest and the highest place of a group of inodes; @low above @high: it has none. */
struct group {
	u64 low;
	u64 high;
};

/* The order of places */
static int ref_cmp(const void *a, const void *b)
{
	const struct ref *x = a, *y = b;

	return array_order(x->pos, y->pos) ?: array_order(x->len, y->len) ?:
	       array_order(x->ino, y->ino);
}

void refs_init(struct refs *of, ref_get *get)
{
	*of = (struct refs){
		.get = get,
		.groups.size = sizeof(struct group),
		.sample.size = sizeof(struct ref),
		.left_out.size = sizeof(u32),
	};
}

void refs_free(struct refs *of)
{
	array_free(&of->groups);
	array_free(&of->sample);
	array_free(&of->left_out);
	of->n = 0;
}

/* By the number of the inode, but in no period: files of a directory may take turns. */
static bool in_sample(u32 ino)
{
	return !((u32)(ino * 0x9e3779b1U) >> 12 & (SAMPLE_OF - 1));
}

int refs_add(struct refs *of, const struct ref *p)
{
	static const struct group none = { UINT64_MAX, 0 };
	struct group *g;

	while (of->groups.n <= p->ino >> GROUP_BITS)
		if (array_append(&of->groups, &none))
			return -ENOMEM;
	g = (struct group *)of->groups.p + of->groups.n - 1;
	if (p->pos < g->low)
		g->low = p->pos;
	if (p->pos > g->high)
		g->high = p->pos;
	of->n++;
	return in_sample(p->ino) ? array_append(&of->sample, p) : 0;
}

int refs_leave_out(struct refs *of, u32 ino)
{
	return array_append(&of->left_out, &ino);
}

/**
 * struct gather - inodes that are read for a share
 * @low: the first place; @high: behind the last one
 * @left: index of the next inode that is left out
 */
struct gather {
	struct share *s;
	struct ref low;
	struct ref high;
	size_t left;
};

static bool is_left_out(struct gather *g, u32 ino)
{
	const struct array *left = &g->s->of->left_out;
	const u32 *at = left->p;

	while (g->left < left->n && at[g->left] < ino)
		g->left++;
	return g->left < left->n && at[g->left] == ino;
}

static int gather_inode(struct gather *g, const struct dsfs_attr *attr)
{
	struct ref p = { .ino = attr->ino };

	if (!g->s->of->get(g->s->src, attr, &p) || ref_cmp(&p, &g->low) < 0 ||
	    ref_cmp(&p, &g->high) >= 0 || is_left_out(g, attr->ino) ||
	    (g->s->skip && bits_test(g->s->skip, attr->ino)))
		return 0;
	if (g->s->of->sums)
		p.sum = attr->sum;
	return array_append(&g->s->at, &p);
}

static int gather_group(struct gather *g, u64 number)
{
	u64 from = number << GROUP_BITS, end = (number + 1) << GROUP_BITS, place = DSFS_NO_PLACE;
	const struct dsfs_geo *geo = dsfs_source_geo(g->s->src);
	struct dsfs_attr attr;
	struct dsfs_err err;
	int ret = 0;

	if (from < DSFS_ROOT_INO)
		from = DSFS_ROOT_INO;
	if (end > geo->inodes)
		end = geo->inodes;
	/* What is wrong with an inode was reported. */
	for (; !ret && from < end; from++)
		if (!dsfs_inode_next(g->s->src, from, &place, &attr, &err))
			ret = gather_inode(g, &attr);
	return ret;
}

static bool group_may_have(const struct gather *g, u64 number)
{
	const struct group *at = (const struct group *)g->s->of->groups.p + number;

	if (at->low > at->high || at->low > g->high.pos || at->high < g->low.pos)
		return false;
	/* A share of what refers to one place is that of a range of inodes. */
	return !ref_same(&g->low, &g->high) ||
	       (number <= g->high.ino >> GROUP_BITS && number >= g->low.ino >> GROUP_BITS);
}

static int gather(struct gather *g)
{
	int ret = 0;

	g->s->at.n = 0;
	for (u64 i = 0; !ret && i < g->s->of->groups.n; i++)
		if (group_may_have(g, i))
			ret = gather_group(g, i);
	return ret;
}

/* Copy places in the order of one digit of their position, those of one digit as they are. */
static void sort_digit(struct ref *to, const struct ref *from, size_t n, u64 low, int shift)
{
	size_t at[1 << DIGIT_BITS] = { 0 }, i, sum = 0, count;

	for (i = 0; i < n; i++)
		at[(from[i].pos - low) >> shift & DIGIT_MASK]++;
	for (i = 0; i < 1 << DIGIT_BITS; i++) {
		count = at[i];
		at[i] = sum;
		sum += count;
	}
	for (i = 0; i < n; i++)
		to[at[(from[i].pos - low) >> shift & DIGIT_MASK]++] = from[i];
}

static bool in_order(const struct share *s)
{
	for (size_t i = 1; i < s->at.n; i++)
		if (ref_cmp(share_at(s, i - 1), share_at(s, i)) > 0)
			return false;
	return true;
}

/* Sort by position in several passes, for which @aside has room; inodes are in order. */
static void sort_by_pos(struct share *s, struct ref *aside)
{
	u64 low = UINT64_MAX, high = 0;
	struct ref *at = s->at.p;
	bool odd = false;

	for (size_t i = 0; i < s->at.n; i++) {
		low = at[i].pos < low ? at[i].pos : low;
		high = at[i].pos > high ? at[i].pos : high;
	}
	for (int shift = 0; shift < 64 && (high - low) >> shift; shift += DIGIT_BITS, odd = !odd)
		sort_digit(odd ? at : aside, odd ? aside : at, s->at.n, low, shift);
	if (odd)
		memcpy(at, aside, s->at.n * sizeof(*at));
}

/* By digits, as that is several times faster than by comparison */
static void sort_share(struct share *s)
{
	struct ref *aside;

	if (in_order(s))
		return;
	aside = malloc(s->at.n * sizeof(*aside));
	if (aside)
		sort_by_pos(s, aside);
	free(aside);
	/* what begins at one place may still be out of order by its length */
	array_sort(&s->at, ref_cmp);
}

void share_begin(struct share *s, struct refs *of, struct dsfs_source *src)
{
	const u64 most = of->n / SHARES > SHARE_MIN ? of->n / SHARES : SHARE_MIN;

	array_sort(&of->sample, ref_cmp);
	*s = (struct share){
		.of = of, .src = src, .at.size = sizeof(struct ref),
		.shares = (of->n + most - 1) / most,
	};
	if (s->shares > of->sample.n + 1)
		s->shares = of->sample.n + 1;
}

/* The place that share @i begins with. */
static struct ref bound(const struct share *s, u64 i)
{
	const struct ref *sample = s->of->sample.p;

	if (!i)
		return (struct ref){ 0 };
	if (i == s->shares)
		return (struct ref){ .pos = UINT64_MAX };
	return sample[i * s->of->sample.n / s->shares];
}

int share_next(struct share *s)
{
	struct gather g = { .s = s };
	int ret;

	s->at.n = 0;
	if (share_is_last(s))
		return 0;
	g.low = bound(s, s->next);
	g.high = bound(s, ++s->next);
	ret = gather(&g);
	if (ret)
		return ret;
	sort_share(s);
	return 1;
}

int refs_same(struct share *s, const struct ref *p)
{
	struct gather g = { .s = s, .low = *p, .high = *p };

	g.low.ino = 0;
	g.high.ino = U32_MAX;
	return gather(&g);
}

void share_end(struct share *s)
{
	array_free(&s->at);
}

int refs_each(struct refs *of, struct dsfs_source *src, ref_fn *fn, void *arg)
{
	struct share s;
	int ret = 1;

	share_begin(&s, of, src);
	while (ret > 0 && !stop_asked()) {
		ret = share_next(&s);
		for (size_t i = 0; ret > 0 && i < s.at.n && !stop_asked(); i++)
			ret = fn(arg, share_at(&s, i)) ?: 1;
	}
	share_end(&s);
	return ret < 0 ? ret : 0;
}
