// SPDX-License-Identifier: GPL-2.0
/*
 * A new image of a source.  A source that is listed is planned before its contents are read.
 * Archives are read once: their tree is known when all contents are stored, and so is what
 * of them no name is left of.
 */
#include "build.h"

static int feed(struct run *r)
{
	return feed_data(&r->stream);
}

static int bury(struct run *r)
{
	return dead_data(&r->store);
}

static int take_figures(struct run *r)
{
	r->store.figures.stored = r->store.place.stored - r->store.figures.dead;
	return 0;
}

static const step_fn listed[] = {
	step_decide_new,
	step_list,
	step_plan,
	step_check_room,
	step_stop_dry,
	step_prepare,
	step_open_target,
	step_store,
	take_figures,
	step_plan_again,
	step_note,
	step_set_time,
	step_write_meta,
	step_finish,
	NULL
};

static const step_fn once[] = {
	step_decide_new,
	step_prepare,
	step_open_target,
	feed,
	step_end_source,
	step_order_tree,
	bury,
	take_figures,
	step_plan,
	step_note,
	step_set_time,
	step_write_meta,
	step_finish,
	NULL
};

int build_new(struct run *r)
{
	int ret = step_check_new(r);

	if (!ret)
		ret = step_open_source(r);
	if (ret)
		return ret;
	r->report.once = source_once(r->source);
	return steps_take(r, r->report.once ? once : listed);
}
