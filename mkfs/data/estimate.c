// SPDX-License-Identifier: GPL-2.0
/*
 * --dry-run with --compress: nobody knows what a codec makes of contents but the codec.  So they
 * are compressed: all of a small tree, and of a larger one the units at SAMPLES places, which are
 * at equal distances in the contents one behind the other, so that each byte counts the same.  A
 * file of which a unit is looked at is taken for compressed if that unit gets smaller by a tenth.
 */
#include <stdlib.h>

#include "msg.h"
#include "pack.h"
#include "stream.h"

#define SAMPLES		512
#define RATIO_BITS	20	/* of the parts of a unit that is left, which are added up */

/**
 * struct estimating - what the threads share
 * @walk, @node, @before: the file that comes next, and the bytes of those before it
 * @at: the byte that is looked at next; @step: from one to the next; 0: all are
 * @ratios: sum over the samples
 * @err: of the thread that was the first to fail
 */
struct estimating {
	struct estimate *e;
	struct source *src;
	const struct pack_rules *rules;
	pthread_mutex_t lock;
	struct tree_walk walk;
	struct node *node;
	u64 before;
	u64 at;
	u64 step;
	u64 ratios;
	int err;
};

/**
 * struct look - a thread, and what it looks at
 * @pos: of a unit in the file
 * @buf: PACK_SAMPLE bytes
 */
struct look {
	struct estimating *all;
	struct packer *packer;
	struct input *in;
	char *buf;
	struct dir *dir;
	struct node *node;
	u64 pos;
};

static struct node *next_file(const struct tree *t, struct tree_walk *walk)
{
	struct node *n;

	do
		n = tree_next(t, walk);
	while (n && !node_is_data(n));
	return n;
}

/* Take what is looked at next; lock held. */
static bool take(struct estimating *all, struct look *l)
{
	if (all->err)
		return false;
	while (all->node && all->at >= all->before + all->node->size) {
		all->before += all->node->size;
		all->node = next_file(all->src->tree, &all->walk);
	}
	if (!all->node)
		return false;
	l->dir = all->walk.dir;
	l->node = all->node;
	l->pos = (all->at - all->before) >> DSFS_UNIT_BITS << DSFS_UNIT_BITS;
	all->at = all->step ? all->at + all->step : all->before + all->node->size;
	return true;
}

static bool next_look(struct look *l)
{
	bool more;

	pthread_mutex_lock(&l->all->lock);
	more = take(l->all, l);
	pthread_mutex_unlock(&l->all->lock);
	return more;
}

static bool read_at(struct look *l, u64 pos, u32 most, u32 *n)
{
	const u64 left = l->node->size - pos;

	*n = left < most ? left : most;
	return l->in->src->ops->read(l->in, l->buf, *n, pos);
}

/* What is stored behind the first mebibyte of an open file; UINT64_MAX: it cannot be read */
static u64 look_rest(struct look *l, bool packs)
{
	const u32 most = packs ? DSFS_UNIT_SIZE : PACK_SAMPLE;
	u64 stored = 0, at;
	const char *frame;
	u32 n;

	for (at = PACK_SAMPLE; at < l->node->size; at += n) {
		if (!read_at(l, at, most, &n))
			return UINT64_MAX;
		stored += packs ? pack_unit(l->packer, l->buf, n, &frame) : pack_plain(l->buf, n);
	}
	return stored;
}

/* The same of all of it */
static u64 look_all(struct look *l)
{
	u64 rest;
	u32 n, stored;

	if (!read_at(l, 0, PACK_SAMPLE, &n))
		return UINT64_MAX;
	stored = pack_pays(l->packer, l->node->size, l->buf);
	rest = look_rest(l, stored);
	return rest == UINT64_MAX ? rest : rest + (stored ? stored : pack_plain(l->buf, n));
}

/* The part that is stored of the unit of an open file; UINT64_MAX: it cannot be read */
static u64 look_unit(struct look *l)
{
	u32 n, stored;

	if (!read_at(l, l->pos, DSFS_UNIT_SIZE, &n))
		return UINT64_MAX;
	stored = pack_pays(l->packer, n, l->buf);
	return ((u64)(stored ? stored : pack_plain(l->buf, n)) << RATIO_BITS) / n;
}

static u64 look(struct look *l)
{
	const struct estimating *all = l->all;
	u64 got = all->step ? 1 << RATIO_BITS : l->node->size;

	if (!pack_wanted(all->rules, all->src->tree, l->dir, l->node))
		return got;
	if (!input_open(l->in, l->dir, l->node))
		return UINT64_MAX;
	got = all->step ? look_unit(l) : look_all(l);
	input_close(l->in);
	return got;
}

/* Add what was seen; a file that cannot be read is said, and counts for nothing. */
static void add(struct look *l, u64 got)
{
	struct estimating *all = l->all;
	int ret = 0;

	pthread_mutex_lock(&all->lock);
	if (got == UINT64_MAX)
		ret = source_unreadable(all->src, l->dir, l->node, l->in->why, l->in->err);
	else if (all->step)
		all->ratios += got;
	else
		all->e->stored += got;
	all->e->samples += all->step && got != UINT64_MAX;
	if (!all->err)
		all->err = ret;
	pthread_mutex_unlock(&all->lock);
}

static void *look_on(void *arg)
{
	struct estimating *all = arg;
	struct look l = { .all = all, .in = input_new(all->src), .buf = malloc(PACK_SAMPLE),
			  .packer = packer_new(all->rules) };

	if (!l.in || !l.buf || !l.packer)
		__atomic_store_n(&all->err, no_memory(), __ATOMIC_RELAXED);
	else
		while (next_look(&l))
			add(&l, look(&l));
	if (l.packer && packer_failed(l.packer))
		__atomic_store_n(&all->err, no_memory(), __ATOMIC_RELAXED);
	input_free(l.in);
	packer_free(l.packer);
	free(l.buf);
	return NULL;
}

static u64 all_bytes(const struct tree *t)
{
	struct tree_walk walk = { 0 };
	const struct node *n;
	u64 bytes = 0;

	while ((n = next_file(t, &walk)))
		bytes += n->size;
	return bytes;
}

int estimate_make(struct estimate *e, struct source *src, const struct pack_rules *rules)
{
	struct estimating all = { .e = e, .src = src, .rules = rules };
	int ret;

	*e = (struct estimate){ .bytes = all_bytes(src->tree) };
	if (e->bytes > (u64)SAMPLES << DSFS_UNIT_BITS)
		all.step = e->bytes / SAMPLES;
	all.at = all.step / 2;
	all.node = next_file(src->tree, &all.walk);
	pthread_mutex_init(&all.lock, NULL);
	ret = source_run(src->threads, look_on, &all, 0) ?: all.err;
	pthread_mutex_destroy(&all.lock);
	if (e->samples)
		e->stored = (double)all.ratios / e->samples / (1 << RATIO_BITS) * e->bytes;
	return ret;
}
