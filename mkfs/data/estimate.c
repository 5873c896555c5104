// SPDX-License-Identifier: GPL-2.0
/*
 * --dry-run with --compress: nobody knows what a codec makes of contents but the codec.  So they
 * are compressed: all of a small tree, and of a larger one the units at SAMPLES places, which are
 * at equal distances in the contents one behind the other, so that each byte counts the same.  A
 * file of which a unit is looked at is taken for compressed if that unit gets smaller by a tenth.
 */
#include "msg.h"
#include "pack.h"
#include "stream.h"

#define SAMPLES		512
#define ROOM		1024	/* looks that wait for a thread, or for those before them */
#define RATIO_BITS	20	/* of the parts of a unit that is left, which are added up */

/**
 * struct estimating - a run
 * @stream, @store: readers, and what they go by; nothing is stored
 * @dir, @node, @before: the file that comes next, and the bytes of those before it
 * @at: the byte that is looked at next; @step: from one to the next; 0: all are
 * @ratios: sum over the samples
 */
struct estimating {
	struct stream stream;
	struct store store;
	struct estimate *e;
	struct dir *dir;
	struct node *node;
	u64 before;
	u64 at;
	u64 step;
	u64 ratios;
};

/**
 * struct look - what is looked at
 * @pos: of a unit in the file
 * @got: what was seen; UINT64_MAX: @why it cannot be read
 * @failed: the codec had no memory
 */
struct look {
	struct work_task task;
	struct dir *dir;
	struct node *node;
	u64 pos;
	u64 got;
	const char *why;
	int err;
	bool failed;
};

static bool next_look(void *estimating, struct work_task *task)
{
	struct estimating *all = estimating;
	struct look *l = (struct look *)task;

	while (!all->node || all->at >= all->before + all->node->size) {
		all->before += all->node ? all->node->size : 0;
		if (!order_next(&all->stream.order, &all->dir, &all->node))
			return false;
	}
	l->dir = all->dir;
	l->node = all->node;
	l->pos = (all->at - all->before) >> DSFS_UNIT_BITS << DSFS_UNIT_BITS;
	all->at = all->step ? all->at + all->step : all->before + all->node->size;
	return true;
}

static bool read_at(struct reader *r, u64 pos, u32 most, u32 *n)
{
	const u64 left = r->in->node->size - pos;

	*n = left < most ? left : most;
	return r->in->src->ops->read(r->in, r->sample, *n, pos);
}

/* What is stored behind the first mebibyte of an open file; UINT64_MAX: it cannot be read */
static u64 look_rest(struct reader *r, bool packs)
{
	const u32 most = packs ? DSFS_UNIT_SIZE : PACK_SAMPLE;
	u64 stored = 0, at;
	const char *frame;
	u32 n;

	for (at = PACK_SAMPLE; at < r->in->node->size; at += n) {
		if (!read_at(r, at, most, &n))
			return UINT64_MAX;
		stored += packs ? pack_unit(r->packer, r->sample, n, &frame) :
				  pack_plain(r->sample, n);
	}
	return stored;
}

/* The same of all of it */
static u64 look_all(struct reader *r)
{
	u64 rest;
	u32 n, stored;

	if (!read_at(r, 0, PACK_SAMPLE, &n))
		return UINT64_MAX;
	stored = pack_pays(r->packer, r->in->node->size, r->sample);
	rest = look_rest(r, stored);
	return rest == UINT64_MAX ? rest : rest + (stored ? stored : pack_plain(r->sample, n));
}

/* The part that is stored of the unit of an open file; UINT64_MAX: it cannot be read */
static u64 look_unit(struct reader *r, u64 pos)
{
	u32 n, stored;

	if (!read_at(r, pos, DSFS_UNIT_SIZE, &n))
		return UINT64_MAX;
	stored = pack_pays(r->packer, n, r->sample);
	return ((u64)(stored ? stored : pack_plain(r->sample, n)) << RATIO_BITS) / n;
}

static void look(struct work_task *task, void *own)
{
	struct look *l = (struct look *)task;
	struct reader *r = own;
	const struct estimating *all = (struct estimating *)r->s;

	l->got = all->step ? 1 << RATIO_BITS : l->node->size;
	if (!pack_wanted(&all->store.rules.pack, all->store.source->tree, l->dir, l->node))
		return;
	l->got = UINT64_MAX;
	if (input_open(r->in, l->dir, l->node)) {
		l->got = all->step ? look_unit(r, l->pos) : look_all(r);
		input_close(r->in);
	}
	l->why = r->in->why;
	l->err = r->in->err;
	l->failed = packer_failed(r->packer);
}

/* Add what was seen; a file that cannot be read is said, and counts for nothing. */
static int add(void *estimating, struct work_task *task)
{
	const struct look *l = (const struct look *)task;
	struct estimating *all = estimating;

	if (l->failed)
		return no_memory();
	if (l->got == UINT64_MAX)
		return source_unreadable(all->store.source, l->dir, l->node, l->why, l->err);
	if (all->step) {
		all->ratios += l->got;
		all->e->samples++;
	} else {
		all->e->stored += l->got;
	}
	return 0;
}

static u64 all_bytes(const struct tree *t)
{
	struct order order = { .tree = t };
	struct node *n;
	struct dir *d;
	u64 bytes = 0;

	while (order_next(&order, &d, &n))
		bytes += n->size;
	return bytes;
}

int estimate_make(struct estimate *e, struct source *src, const struct pack_rules *rules)
{
	static const struct work_pass pass = { .bytes = sizeof(struct look), .room = ROOM,
					       .run = look, .next = next_look, .take = add };
	struct estimating all = { .store = { .source = src, .rules.pack = *rules }, .e = e };
	int ret;

	all.stream.store = &all.store;
	*e = (struct estimate){ .bytes = all_bytes(src->tree) };
	if (e->bytes > (u64)SAMPLES << DSFS_UNIT_BITS)
		all.step = e->bytes / SAMPLES;
	all.at = all.step / 2;
	all.stream.order.tree = src->tree;
	ret = stream_look(&all.stream, &pass);
	if (e->samples)
		e->stored = (double)all.ratios / e->samples / (1 << RATIO_BITS) * e->bytes;
	return ret;
}
