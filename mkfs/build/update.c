// SPDX-License-Identifier: GPL-2.0
/*
 * A new generation of an image.  Files that have not changed keep their data, which stays
 * where it is; new data and all metadata are written behind the image.
 */
#include "build.h"
#include "msg.h"

static void decide(struct run *r)
{
	step_decide_new(r);
	step_decide_behind(r);
	r->gen.start = base_end(r->base, r->params.object_bits);
}

/* What was moved or copied has its content under another name. */
static int index_contents(struct run *r)
{
	return r->o->no_dedup ? 0 : content_index_init(r->base);
}

/*
 * A source that is not mounted today is an empty directory, one whose listing was cut short has
 * fewer files: neither should become the newest generation unseen.  -n tells of it, too.
 */
static int check_files(const struct run *r)
{
	const u64 had = le64_to_cpu(base_super(r->base)->raw.files);
	const u64 has = r->plan.types[DT_REG];

	if (r->o->force || has >= had - had / 2)
		return 0;
	(r->o->plan_only ? msg_warn : msg_error)
		(r->tree.source,
		 "files: %llu, the image has %llu: use -f if more than half are gone", has, had);
	return r->o->plan_only ? 0 : -EINVAL;
}

int build_update(struct run *r)
{
	int ret = output_check_update(&r->out, r->o) ?: step_open_source(r) ?:
		  base_open(&r->base, r->out.path, false, r->o->limits.memory);

	if (ret)
		return ret;
	decide(r);
	ret = step_decide_codec(r) ?: step_list(r) ?: base_match(r->base, &r->tree, r->o) ?:
	      step_plan(r) ?: check_files(r) ?: step_check_room(r) ?: step_stop_dry(r) ?:
	      index_contents(r);
	if (ret)
		return ret;
	step_prepare(r);
	return step_open_target(r) ?: step_store(r) ?: step_keep_layout(r) ?: step_plan_again(r) ?:
	       step_complete(r);
}
