// SPDX-License-Identifier: GPL-2.0
/*
 * Whether packing an image anew saves enough.
 *
 * The result gets a generation number of its own and has no history: inodes
 * keep their numbers, but the data of a file handle lies elsewhere.  With --keep=2
 * and more, generations keep their numbers, because users know them by these.
 */
#include <stdio.h>

#include "../plan/plan.h"
#include "base.h"
#include "kept.h"
#include "msg.h"
#include "parse.h"
#include "places.h"
#include "worth.h"

/* Where metadata of an earlier generation gets shorter, data behind it may leave an object. */
void base_bounds(const struct base *base, const struct options *o, const struct kept *kept,
		 struct plan *plan)
{
	plan->meta_bytes = base->img.geo->meta_bytes;
	plan->lower = DSFS_DATA_START_MIN;
	for (size_t i = 0; i < kept->list.n; i++)
		plan->lower += kept_at(kept, i)->stored;
	plan->upper = base->packed + plan->meta_bytes + kept->slack;
	if (o->message || o->digest)
		plan->upper += DSFS_BLOCK_SIZE;
	if (o->keep <= 1)
		plan->lower = base->packed;
}

bool base_worth(const struct base *base, const struct options *o)
{
	u64 bytes = base->img.geo->image_bytes, dead, percent;
	char dead_text[32], all_text[32];

	dead = base_dead(base, &base_super(base)->raw);
	percent = dead * 100 / bytes;
	if (o->force || percent >= BASE_DEAD_PERCENT)
		return true;
	parse_format_size(dead_text, sizeof(dead_text), dead);
	parse_format_size(all_text, sizeof(all_text), bytes);
	if (!o->quiet && !o->json)
		printf("only %s use %s of %s, %llu %%: left as it is (see -f)\n",
		       base_dead_of(o), dead_text, all_text, percent);
	return false;
}
