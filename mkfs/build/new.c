// SPDX-License-Identifier: GPL-2.0
/*
 * A new image of a source.  A source that is listed is planned before its contents are read.
 * Archives are read once.  Their tree is known when all contents are stored; only then is it known
 * which contents have no name any more.
 */
#include "build.h"

static int store_listed(struct run *r)
{
	int ret = step_list(r) ?: step_plan(r) ?: step_check_room(r) ?: step_stop_dry(r);

	if (ret)
		return ret;
	step_prepare(r);
	return step_open_target(r) ?: step_store(r) ?: step_plan_again(r);
}

static int store_once(struct run *r)
{
	step_prepare(r);
	return step_open_target(r) ?: feed_data(&r->stream) ?: step_end_source(r) ?:
	       step_order_tree(r) ?: dead_data(&r->store) ?: step_plan(r);
}

int build_new(struct run *r)
{
	int ret = output_check_new(&r->out, r->o, NULL) ?: step_open_source(r);

	if (ret)
		return ret;
	step_decide_new(r);
	ret = step_decide_codec(r);
	if (ret)
		return ret;
	ret = source_once(r->source) ? store_once(r) : store_listed(r);
	if (ret)
		return ret;
	patterns_unused(&r->o->pack.except, "compress-exclude");
	r->store.figures.stored = r->store.place.stored - r->store.figures.dead;
	return step_complete(r);
}
