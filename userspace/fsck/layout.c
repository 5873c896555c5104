// SPDX-License-Identifier: GPL-2.0
/*
 * The layout of the data.  Files come in the order of places, so every conflict between
 * two files is one between neighbours.  In an image of archives a file may lie inside another
 * one.  The neighbours of the outer file are then the next outer files.
 */

#include "fsck.h"

static u64 first_block(const struct ref *r)
{
	return r->pos >> DSFS_BLOCK_BITS;
}

static u64 last_block(const struct ref *r)
{
	return (r->pos + r->len - 1) >> DSFS_BLOCK_BITS;
}

/* Compare the checksums of two files with the same place. */
static void check_same_sums(struct fsck *f, const struct ref *a, const struct ref *b)
{
	const u64 chunk = 1ULL << dsfs_chunk_bits(f->geo, a->len);
	const struct dsfs_attr x = { .ino = a->ino, .sum = a->sum };
	const struct dsfs_attr y = { .ino = b->ino, .sum = b->sum };
	struct dsfs_err err = { 0 };
	u32 want, have;
	int ret;

	if (a->sum == b->sum || !f->geo->chunk_bits)
		return;
	for (u64 i = 0; i * chunk < a->len && !stop_asked(); i++) {
		if (dsfs_chunk_sum(f->src, &x, a->len, i, &want, &err))
			return;		/* reported when the data is verified */
		ret = dsfs_chunk_sum(f->src, &y, b->len, i, &have, &err);
		if (ret) {
			problem_err(f, b->ino, b->pos + i * chunk, &err, ret);
			return;
		}
		if (have != want) {
			problem(f, "checksum of shared data", b->ino, b->pos + i * chunk,
				"%#x, inode %u has %#x", have, a->ino, want);
			return;
		}
	}
}

/* Get a compressed file, whose place is known to be good. */
static bool get_compressed(struct fsck *f, u32 ino, struct dsfs_attr *attr)
{
	struct dsfs_err err;

	return !dsfs_inode_get(f->src, ino, attr, &err) && attr->flags & DSFS_INODE_COMPRESSED;
}

static bool same_ends(struct fsck *f, const struct dsfs_attr *x, const struct dsfs_attr *y)
{
	const u64 count = x->units == y->units ? 0 : dsfs_units(x);
	struct dsfs_err err;
	u32 from, end_x, end_y;

	for (u64 i = 0; i < count && !stop_asked(); i++)
		if (dsfs_units_get(f->src, x, i, &from, &end_x, &err) ||
		    dsfs_units_get(f->src, y, i, &from, &end_y, &err) || end_x != end_y)
			return false;
	return true;
}

/* Compare the frames of two files with the same place: only those of one are unpacked. */
static void check_same_frames(struct fsck *f, const struct ref *a, const struct ref *b)
{
	struct dsfs_attr x, y;

	if (!(f->geo->incompat & DSFS_INCOMPAT_COMPRESSED) ||
	    !get_compressed(f, a->ino, &x) || !get_compressed(f, b->ino, &y))
		return;
	if (x.size != y.size || dsfs_attr_codec(&x) != dsfs_attr_codec(&y) || !same_ends(f, &x, &y))
		problem(f, "frames of shared data", b->ino, b->pos,
			"inode %u has others", a->ino);
}

static void check_place(struct fsck *f, const struct ref *r)
{
	if (r->len <= DSFS_BLOCK_SIZE && first_block(r) != last_block(r))
		problem(f, "small file that crosses a block", r->ino, r->pos,
			"%llu bytes", (u64)r->len);
}

/**
 * struct sharers - files that have one place
 * @first: the first of them
 * @n: how many do not have the flag DSFS_INODE_SHARED, and how many do
 * @from, @to: where they are in the share of places
 * @parted: some were in the share before
 */
struct sharers {
	struct ref first;
	u64 n[2];
	size_t from;
	size_t to;
	bool parted;
};

/**
 * struct walk - a walk over stored data, in the order of places
 * @run: the files of the current place; none in the beginning
 * @inside: they lie in the data of others
 * @outer: the last files that lie inside no other one
 * @shared: a block of these holds other data, too
 * @end, @end_block: of the data that reaches farthest
 * @inner_end: end of the last data inside @outer
 * @stored: bytes up to here, each counted once
 * @twice: bytes that are read again because of overlaps
 */
struct walk {
	struct fsck *f;
	struct share s;
	struct sharers run;
	bool inside;
	struct sharers outer;
	bool shared;
	u64 end;
	u64 end_block;
	u64 inner_end;
	u64 stored;
	u64 twice;
};

static void report_shared(struct fsck *f, const struct share *s, size_t from, size_t to,
			  bool shared)
{
	const struct ref *r;

	for (; from < to; from++) {
		r = share_at(s, from);
		if (r->flag != shared)
			problem(f, "flag of shared data", r->ino, r->pos, shared ?
				"a block of it holds other data too" :
				"no block of it holds other data");
	}
}

/* Check DSFS_INODE_SHARED of files with one place.  Return: 0 or -ENOMEM. */
static int check_shared(struct walk *w, const struct sharers *run, bool shared)
{
	struct share all = { .of = w->s.of, .src = w->s.src, .at.size = w->s.at.size };
	int ret;

	if (!run->n[!shared])
		return 0;
	if (!run->parted) {
		report_shared(w->f, &w->s, run->from, run->to, shared);
		return 0;
	}
	ret = refs_same(&all, &run->first);
	if (!ret)
		report_shared(w->f, &all, 0, all.at.n, shared);
	share_end(&all);
	return ret;
}

/* Check the flag of the outer files.  It depends on the next data, @next; NULL: there is none. */
static int end_outer(struct walk *w, const struct ref *next)
{
	if (!w->outer.to)
		return 0;
	if (next && last_block(&w->outer.first) == first_block(next))
		w->shared = true;
	return check_shared(w, &w->outer, w->shared);
}

/* Whether files may lie in others, and this one does. */
static bool is_inside(const struct walk *w, const struct ref *r)
{
	return w->f->geo->compat & DSFS_COMPAT_ARCHIVES && r->pos >= w->inner_end &&
	       r->pos + r->len <= w->end;
}

/* A place in the data of the outer files */
static int add_inside(struct walk *w)
{
	const struct ref *r = &w->run.first;

	w->shared = true;
	w->inner_end = r->pos + r->len;
	bits_set(&w->f->inside, r->ino);
	return check_shared(w, &w->run, true);
}

static void check_overlap(struct walk *w, const struct ref *r)
{
	const u64 room = w->f->geo->data_end - w->f->geo->data_start;

	if (r->pos >= w->end)
		return;
	problem(w->f, "data that overlaps", r->ino, r->pos,
		"%llu bytes, the data before it ends at %llu", (u64)r->len, w->end);
	/* overlapping data is read again, but in all no more than the data area */
	w->twice += r->len;
	if (w->twice > room)
		bits_set(&w->f->again, r->ino);
}

static void add_outer(struct walk *w)
{
	const struct ref *r = &w->run.first;

	check_place(w->f, r);
	check_overlap(w, r);
	w->outer = w->run;
	w->shared = w->end && w->end_block == first_block(r);
	w->stored += r->len;
	w->inner_end = 0;
	if (r->pos + r->len > w->end) {
		w->end = r->pos + r->len;
		w->end_block = last_block(r);
	}
}

/*
 * Data that two generations share.  An older generation shares most of its data
 * with the next later one, which was checked before.  Data at the same place
 * with the same checksums is not read again.
 */

static u64 chunks_of(const struct dsfs_geo *geo, const struct ref *r)
{
	const unsigned int bits = dsfs_chunk_bits(geo, r->len);

	return (r->len + (1ULL << bits) - 1) >> bits;
}

/* Whether the checksums of the data of a file are the same in both generations. */
static bool same_sums(struct fsck *f, const struct ref *a, const struct ref *later)
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
static int at_later(struct later *l, const struct ref **p)
{
	int ret = 1;

	for (; ret > 0 && l->i >= l->share.at.n; l->i = 0)
		ret = share_next(&l->share);
	*p = ret > 0 ? share_at(&l->share, l->i) : NULL;
	return ret < 0 ? ret : 0;
}

/*
 * Whether the later generation has the same data of a file, which is asked for in the order of
 * places; 1, 0 or -ENOMEM
 */
static int is_known(struct fsck *f, const struct ref *p)
{
	struct later *l = &f->later;
	const struct ref *at;
	int ret;

	if (!l->src)
		return 0;
	for (;; l->i++) {
		ret = at_later(l, &at);
		if (ret || !at)
			return ret;
		if (at->pos > p->pos || (at->pos == p->pos && at->len >= p->len))
			return ref_same(at, p) && same_sums(f, p, at);
	}
}

void free_later(struct fsck *f)
{
	share_end(&f->later.share);
	image_source_free(f->later.src);
	refs_free(&f->later.data);
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
	f->data = (struct refs){ };
	share_begin(&f->later.share, &f->later.data, f->later.src);
}

/* Whether the data of a place is to be read; 0 or -ENOMEM */
static int count_unread(struct walk *w, const struct ref *r)
{
	struct fsck *f = w->f;
	int known;

	if (f->no_data || bits_test(&f->again, r->ino))
		return 0;
	known = is_known(f, r);
	if (known > 0)
		bits_set(&f->known, r->ino);
	else if (!known)
		f->unread += r->len;
	return known < 0 ? known : 0;
}

static int end_run(struct walk *w)
{
	int ret = 0;

	if (!w->run.to)
		return 0;
	if (w->inside)
		ret = add_inside(w);
	else
		add_outer(w);
	return ret ? ret : count_unread(w, &w->run.first);
}

static int begin_run(struct walk *w, const struct ref *r, size_t i)
{
	int ret = end_run(w);

	if (ret)
		return ret;
	w->inside = is_inside(w, r);
	w->run = (struct sharers){ .first = *r, .from = i };
	return w->inside ? 0 : end_outer(w, r);
}

static int add_file(struct walk *w, size_t i)
{
	const struct ref *r = share_at(&w->s, i);
	int ret = 0;

	if (w->run.to && ref_same(&w->run.first, r)) {
		bits_set(&w->f->again, r->ino);
		check_same_sums(w->f, &w->run.first, r);
		check_same_frames(w->f, &w->run.first, r);
	} else {
		ret = begin_run(w, r, i);
	}
	w->run.n[r->flag]++;
	w->run.to = i + 1;
	return ret;
}

/* Return: 1, 0: there are no more files, or -ENOMEM */
static int walk_share(struct walk *w)
{
	int ret = share_next(&w->s), fail = 0;

	w->run.parted = true;
	w->outer.parted = true;
	for (size_t i = 0; !fail && i < w->s.at.n && !stop_asked(); i++)
		fail = add_file(w, i);
	return fail ? fail : ret;
}

int check_layout(struct fsck *f)
{
	struct walk w = { .f = f };
	int ret = 1;

	share_begin(&w.s, &f->data, f->src);
	while (ret > 0 && !stop_asked())
		ret = walk_share(&w);
	if (!ret)
		ret = end_run(&w);
	if (!ret && !stop_asked())
		ret = end_outer(&w, NULL);
	share_end(&w.s);
	if (!ret && w.stored != f->geo->stored_bytes && !stop_asked() && !f->incomplete)
		problem(f, "stored bytes of all files", NO_INO, DSFS_SB_POS(f->img.use),
			"%llu, found %llu", f->geo->stored_bytes, w.stored);
	return ret < 0 ? ret : 0;
}
