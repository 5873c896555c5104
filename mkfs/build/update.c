// SPDX-License-Identifier: GPL-2.0
/*
 * A new generation of an image.  Files that have not changed keep their data, which stays
 * where it is; new data and all metadata are written behind the image.
 */
#include "../base/places.h"
#include "build.h"

static int open_base(struct run *r)
{
	return base_open(&r->base, r->out.path, false);
}

static int decide(struct run *r)
{
	step_decide_new(r);
	step_decide_behind(r);
	r->gen.start = base_end(r->base, r->params.object_bits);
	return 0;
}

static int match(struct run *r)
{
	return base_match(r->base, &r->tree, r->o);
}

/* What was moved or copied has its content under another name. */
static int index_contents(struct run *r)
{
	return r->o->no_dedup ? 0 : content_index_init(r->base);
}

/* New files may have come beside old ones, and others gone: who shares a block is new. */
static int keep_layout(struct run *r)
{
	struct array places;
	int ret = run_keep_layout(r, &places);

	if (!ret) {
		places_share(&places);
		places_measure(&places, r->base, &r->params);
		r->store.figures.stored = r->base->stored;
	}
	array_free(&places);
	return ret;
}

static const step_fn steps[] = {
	step_check_image,
	step_open_source,
	open_base,
	decide,
	step_list,
	match,
	step_plan,
	step_check_room,
	step_stop_dry,
	index_contents,
	step_prepare,
	step_open_target,
	step_store,
	keep_layout,
	step_plan_again,
	step_note,
	step_set_time,
	step_write_meta,
	step_finish,
	NULL
};

int build_update(struct run *r)
{
	return steps_take(r, steps);
}
