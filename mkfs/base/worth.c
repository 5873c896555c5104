// SPDX-License-Identifier: GPL-2.0
/*
 * Whether packing an image anew saves enough.
 *
 * The result gets a generation number of its own and has no history: inodes
 * keep their numbers, but the data of a file handle lies elsewhere.  With --keep=2
 * and more, generations keep their numbers, because users know them by these.
 */
#include <stdio.h>

#include "../mkfs.h"
#include "../plan/plan.h"
#include "msg.h"
#include "parse.h"
#include "places.h"
#include "worth.h"

static int measure(struct mkfs *mkfs)
{
	struct array places;
	int ret;

	if (mkfs->kept.list.n)
		return kept_measure(mkfs);
	ret = places_collect(&places, mkfs->base, &mkfs->tree, NULL, NULL);
	if (!ret)
		places_measure(&places, mkfs->base, &mkfs->params);
	array_free(&places);
	if (ret == -ENOMEM)
		msg_error(NULL, "out of memory");
	return ret;
}

/* Where metadata of an earlier generation gets shorter, data behind it may leave an object. */
static void kept_bounds(const struct mkfs *mkfs, struct plan *plan)
{
	const struct kept *kept = &mkfs->kept;

	plan->lower = DSFS_DATA_START_MIN;
	for (size_t i = 0; i < kept->list.n; i++)
		plan->lower += kept_at(kept, i)->stored;
	plan->upper += kept->slack;
}

void base_bounds(const struct mkfs *mkfs, struct plan *plan)
{
	const struct base *base = mkfs->base;

	plan->meta_bytes = base->img.geo->meta_bytes;
	plan->lower = base->packed;
	plan->upper = base->packed + plan->meta_bytes;
	if (mkfs->o->message || mkfs->o->digest)
		plan->upper += DSFS_BLOCK_SIZE;
	if (mkfs->kept.list.n)
		kept_bounds(mkfs, plan);
}

int base_plan(struct mkfs *mkfs, struct plan *plan)
{
	int ret = measure(mkfs);

	if (!ret)
		base_bounds(mkfs, plan);
	return ret;
}

int base_worth(struct mkfs *mkfs)
{
	const struct options *o = mkfs->o;
	struct base *base = mkfs->base;
	u64 bytes = base->img.geo->image_bytes, dead, percent;
	char dead_text[32], all_text[32];
	int ret = measure(mkfs);

	if (ret)
		return ret;
	dead = base_dead(base, &base_super(base)->raw);
	percent = dead * 100 / bytes;
	if (o->force || percent >= BASE_DEAD_PERCENT)
		return 1;
	parse_format_size(dead_text, sizeof(dead_text), dead);
	parse_format_size(all_text, sizeof(all_text), bytes);
	if (!o->quiet && !o->json)
		printf("only %s use %s of %s, %llu %%: left as it is (see -f)\n",
		       base_dead_of(mkfs->o), dead_text, all_text, percent);
	return 0;
}
