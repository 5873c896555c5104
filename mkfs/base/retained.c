// SPDX-License-Identifier: GPL-2.0
/*
 * The generations that dsfs compact --keep takes over: which they are, and what they need.
 *
 * The new image is made as updates would have made it: the oldest of them first, and each
 * later one behind it, with the data that those before it do not have.  So what they share
 * is stored once, and each but the oldest has the one before it in its history.
 */
#include "../plan/place.h"
#include "base.h"
#include "retained.h"
#include "format.h"
#include "msg.h"
#include "table.h"

/* Check that data which a later generation shares has the alignment that it would give it. */
static int check_alignment(const struct base *base, const struct dsfs_geo *geo)
{
	const unsigned int newest = base->img.geo->align_bits;

	if (geo->align_bits == newest)
		return 0;
	msg_error(base->img.path, "generation %llu: alignment of %u, the newest has %u: keep fewer",
		  geo->generation, 1U << geo->align_bits, 1U << newest);
	return -EOPNOTSUPP;
}

static int add_generation(struct array *list, u64 number)
{
	const struct retained_one one = { .number = number };

	return array_append(list, &one) ? no_memory() : 0;
}

int retained_find(struct retained *retained, const struct base *base, u64 keep)
{
	struct dsfs_slot now = *base_super(base);
	int ret;

	retained->list.size = sizeof(struct retained_one);
	retained->dropped.size = sizeof(struct retained_one);
	ret = add_generation(&retained->list, now.geo.generation);
	while (!ret && retained->list.n < keep) {
		ret = image_older(&base->img, &now.geo, &now);
		if (ret < 0)
			return base_damaged(base, "history", &now.err, ret);
		if (!ret)
			break;
		ret = check_alignment(base, &now.geo) ?:
		      add_generation(&retained->list, now.geo.generation);
	}
	if (!ret && retained->list.n < keep)
		msg_warn(base->img.path, "--keep=%llu: generations in the image: %zu: all are kept",
			 keep, retained->list.n);
	return ret;
}

/**
 * struct measure - placement without writing
 * @seen: data that was placed: its offset in the image, and its length
 * @any: stands for all files, because place_file() sets flags that a measurement does not need
 * @forced, @object_bits: as of retained_measure()
 * @slack: as in struct retained
 */
struct measure {
	struct retained *retained;
	struct base *base;
	bool forced;
	unsigned int object_bits;
	struct table seen;
	struct place place;
	struct node any;
	u64 slack;
};

/* Place the data of an inode, unless it was placed with another one. */
static int measure_inode(struct measure *m, u32 ino, struct dsfs_err *err)
{
	struct dsfs_attr attr;
	u64 stored, key[2];
	int ret = image_stored_get(m->base->prev, ino, &attr, &stored, err);

	if (ret || !stored)
		return ret;
	key[0] = attr.start;
	key[1] = stored;
	if (table_find(&m->seen, key))
		return 0;
	m->any.size = attr.size;
	place_file(&m->place, &m->any, stored);
	return table_add(&m->seen, key) ? 0 : -ENOMEM;
}

/*
 * Measure the generation that is looked at, which begins at @start.  Inodes have the order
 * in which their data is copied.
 */
static int measure_one(struct measure *m, struct retained_one *one, u64 start)
{
	const bool first = one == retained_at(m->retained, 0);
	const struct dsfs_geo *geo = m->base->img.geo;
	struct dsfs_err err = { 0 };
	const unsigned int object_bits = m->forced || !geo->object_bits ? m->object_bits :
					 geo->object_bits;
	int ret = 0;

	place_init(&m->place, start, geo->align_bits, object_bits);
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
	if (object_bits && !first)
		m->slack += 1ULL << object_bits;
	return ret;
}

/* The generations in front of the oldest one that is retained, as far as the history leads. */
static int list_dropped(struct retained *retained, struct base *base)
{
	struct dsfs_slot now;
	int ret = base_use(base, retained_at(retained, 0)->number);

	if (ret)
		return ret;
	now = *base_super(base);
	while ((ret = image_older(&base->img, &now.geo, &now)) == 1) {
		ret = add_generation(&retained->dropped, now.geo.generation);
		if (ret)
			return ret;
	}
	return ret < 0 ? base_damaged(base, "history", &now.err, ret) : 0;
}

/* Measure generations that are not retained, in the order in which images would lose them. */
static int measure_dropped(struct measure *m)
{
	const struct array *dropped = &m->retained->dropped;
	const u64 newest = m->base->img.geo->generation;
	int ret = list_dropped(m->retained, m->base);

	for (size_t i = 0; !ret && i < dropped->n; i++) {
		struct retained_one *one = (struct retained_one *)dropped->p + i;

		ret = base_use(m->base, one->number) ?: measure_one(m, one, DSFS_DATA_START_MIN);
	}
	return ret ? ret : base_use(m->base, newest);
}

int retained_measure(struct retained *retained, struct base *base, bool forced,
		     unsigned int object_bits, bool dropped)
{
	struct measure m = {
		.retained = retained, .base = base, .forced = forced, .object_bits = object_bits,
	};
	u64 start = DSFS_DATA_START_MIN;
	int ret = table_init(&m.seen, 2 * sizeof(u64), 2 * sizeof(u64));

	if (ret)
		no_memory();
	for (size_t i = 0; !ret && i < retained->list.n; i++) {
		struct retained_one *one = retained_at(retained, i);

		ret = base_use(base, one->number) ?: measure_one(&m, one, start);
		base->packed = start + one->data;
		start += one->data + one->meta;
	}
	retained->slack = m.slack;
	if (!ret && dropped)
		ret = measure_dropped(&m);
	table_free(&m.seen);
	return ret;
}

void retained_free(struct retained *retained)
{
	array_free(&retained->list);
	array_free(&retained->dropped);
}

int retained_next(const struct retained *retained, struct base *base)
{
	const struct retained_one *one = retained_at(retained, retained->done);
	int ret = base_use(base, one->number);

	base->stored = one->stored;
	return ret;
}

void retained_done(struct retained *retained, const struct dsfs_super *super, u64 data)
{
	struct retained_one *one = retained_at(retained, retained->done++);

	retained->super = *super;
	retained->super.checksum = cpu_to_le32(dsfs_super_sum(&retained->super));
	one->data = data;
	one->meta = le64_to_cpu(super->meta_bytes);
}
