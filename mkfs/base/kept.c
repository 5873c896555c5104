// SPDX-License-Identifier: GPL-2.0
/*
 * The generations that --compact --keep takes over: which they are, and what they need.
 *
 * The new image is made as updates would have made it: the oldest of them first, and each
 * later one behind it, with the data that those before it do not have.  So what they share
 * is stored once, and each but the oldest has the one before it in its history.
 */
#include "../options/options.h"
#include "../plan/place.h"
#include "base.h"
#include "kept.h"
#include "format.h"
#include "msg.h"
#include "placemap.h"

/* What later generations take from earlier ones has the alignment of these. */
static int check_alignment(const struct base *base, const struct dsfs_geo *geo)
{
	const unsigned int newest = base->img.geo->align_bits;

	if (geo->align_bits == newest)
		return 0;
	msg_error(base->img.path, "generation %llu: alignment of %u, the newest has %u: keep fewer",
		  (unsigned long long)geo->generation, 1U << geo->align_bits, 1U << newest);
	return -EOPNOTSUPP;
}

static int add_generation(struct array *list, u64 number)
{
	struct kept_one *one = array_add(list);

	if (!one)
		return no_memory();
	one->number = number;
	return 0;
}

/* The history leads from the newest one to the oldest one. */
static void turn(struct kept *kept)
{
	const size_t n = kept->list.n;

	for (size_t i = 0; i < n / 2; i++) {
		struct kept_one *a = kept_at(kept, i), *b = kept_at(kept, n - 1 - i);
		struct kept_one was = *a;

		*a = *b;
		*b = was;
	}
}

int kept_find(struct kept *kept, const struct base *base, u64 keep)
{
	struct dsfs_slot now = *base_super(base);
	int ret;

	kept->list.size = sizeof(struct kept_one);
	kept->dropped.size = sizeof(struct kept_one);
	ret = add_generation(&kept->list, now.geo.generation);
	while (!ret && kept->list.n < keep) {
		ret = image_older(&base->img, &now.geo, &now);
		if (ret < 0)
			return base_damaged(base, "history", &now.err, ret);
		if (!ret)
			break;
		ret = check_alignment(base, &now.geo) ?:
		      add_generation(&kept->list, now.geo.generation);
	}
	if (!ret && kept->list.n < keep)
		msg_warn(base->img.path, "--keep=%llu: generations in the image: %zu: all are kept",
			 (unsigned long long)keep, kept->list.n);
	turn(kept);
	return ret;
}

/**
 * struct measure - placement without writing
 * @seen: data that was placed: struct placemap_key
 * @any: stands for all files: what is said of them is for the run
 * @slack: as in struct kept
 */
struct measure {
	struct kept *kept;
	struct base *base;
	const struct options *o;
	unsigned int object_bits;
	struct placemap seen;
	struct place place;
	struct node any;
	u64 slack;
};

/* Place the data of an inode, unless it was placed with another one. */
static int measure_inode(struct measure *m, u32 ino, struct dsfs_err *err)
{
	struct dsfs_attr attr;
	u64 stored;
	int ret = image_stored_get(m->base->prev, ino, &attr, &stored, err);

	if (ret || !stored || placemap_find(&m->seen, attr.start, stored))
		return ret;
	m->any.size = attr.size;
	place_file(&m->place, &m->any, stored);
	return placemap_add(&m->seen, attr.start, stored) ? 0 : -ENOMEM;
}

/*
 * Measure the generation that is looked at, which begins at @start.  Inodes have the order
 * in which their data is copied.
 */
static int measure_one(struct measure *m, struct kept_one *one, u64 start)
{
	const bool first = one == kept_at(m->kept, 0);
	const struct dsfs_geo *geo = m->base->img.geo;
	struct dsfs_err err = { 0 };
	struct params params;
	int ret = 0;

	params_of_image(&params, m->o, geo, m->object_bits);
	place_init(&m->place, start, params.align_bits, params.object_bits);
	for (u64 ino = DSFS_ROOT_INO; !ret && ino < geo->inodes; ino++) {
		ret = measure_inode(m, ino, &err);
		if (ret == -ENOMEM)
			no_memory();
		else if (ret)
			base_bad_inode(m->base, ino, &err, ret);
	}
	one->stored = m->place.stored;
	one->data = place_meta(&m->place, first) - start;
	one->meta = geo->meta_bytes;
	if (params.object_bits && !first)
		m->slack += 1ULL << params.object_bits;
	return ret;
}

/* The generations in front of the oldest one that is kept, as far as the history leads. */
static int list_dropped(struct kept *kept, struct base *base)
{
	struct dsfs_slot now;
	int ret = base_use(base, kept_at(kept, 0)->number);

	if (ret)
		return ret;
	now = *base_super(base);
	while ((ret = image_older(&base->img, &now.geo, &now)) == 1) {
		ret = add_generation(&kept->dropped, now.geo.generation);
		if (ret)
			return ret;
	}
	return ret < 0 ? base_damaged(base, "history", &now.err, ret) : 0;
}

/* What is not kept, in the order in which it would be left out of one image after another. */
static int measure_dropped(struct measure *m)
{
	const struct array *dropped = &m->kept->dropped;
	const u64 newest = m->base->img.geo->generation;
	int ret = list_dropped(m->kept, m->base);

	for (size_t i = 0; !ret && i < dropped->n; i++) {
		struct kept_one *one = (struct kept_one *)dropped->p + i;

		ret = base_use(m->base, one->number) ?: measure_one(m, one, DSFS_DATA_START_MIN);
	}
	return ret ? ret : base_use(m->base, newest);
}

int kept_measure(struct kept *kept, struct base *base, const struct options *o,
		 unsigned int object_bits, bool dropped)
{
	struct measure m = { .kept = kept, .base = base, .o = o, .object_bits = object_bits };
	u64 start = DSFS_DATA_START_MIN;
	int ret = placemap_init(&m.seen, sizeof(struct placemap_key));

	if (ret)
		no_memory();
	for (size_t i = 0; !ret && i < kept->list.n; i++) {
		struct kept_one *one = kept_at(kept, i);

		ret = base_use(base, one->number) ?: measure_one(&m, one, start);
		base->packed = start + one->data;
		start += one->data + one->meta;
	}
	kept->slack = m.slack;
	if (!ret && dropped)
		ret = measure_dropped(&m);
	placemap_free(&m.seen);
	return ret;
}

void kept_free(struct kept *kept)
{
	array_free(&kept->list);
	array_free(&kept->dropped);
}

int kept_next(const struct kept *kept, struct base *base)
{
	const struct kept_one *one = kept_at(kept, kept->done);
	int ret = base_use(base, one->number);

	base->stored = one->stored;
	return ret;
}

void kept_done(struct kept *kept, const struct dsfs_super *super, u64 data)
{
	struct kept_one *one = kept_at(kept, kept->done++);

	kept->super = *super;
	kept->super.checksum = cpu_to_le32(dsfs_super_sum(&kept->super));
	one->data = data;
	one->meta = le64_to_cpu(super->meta_bytes);
}
