// SPDX-License-Identifier: GPL-2.0
/*
 * --compact: a new image of the newest generation of another one, or with --keep of several
 * generations: then it is made as updates would have made it, the oldest of them first.
 * Each one is listed from the image, and what of its data the new image has not is copied.
 */
#include "../base/places.h"
#include "../base/worth.h"
#include "bootsector.h"
#include "build.h"
#include "msg.h"

/* --keep of two or more: then the image is as if updates had made it. */
static bool several(const struct run *r)
{
	return r->o->keep > 1;
}

static int check_target(struct run *r)
{
	return output_check_new(&r->out, r->o, r->o->source);
}

static int open_base(struct run *r)
{
	return base_open(&r->base, r->o->source, false);
}

static int find_kept(struct run *r)
{
	return kept_find(&r->kept, r->base, r->o->keep);
}

static int measure(struct run *r)
{
	return kept_measure(&r->kept, r->base, r->o, r->out.object_bits,
			    r->o->plan_only && several(r));
}

static int stop_unless_worth(struct run *r)
{
	return !base_worth(r->base, r->o);
}

static int set_bounds(struct run *r)
{
	base_bounds(r->base, r->o, &r->kept, &r->plan);
	return 0;
}

static int use_next(struct run *r)
{
	return kept_next(&r->kept, r->base);
}

static int open_source(struct run *r)
{
	return source_image(&r->source, r->o, &r->tree, r->threads, r->base);
}

/* Without the option the image has what it had. */
static bool boot_signature(const struct run *r)
{
	u8 sector[BOOTSECTOR_BYTES];

	if (r->o->boot != BOOT_DEFAULT)
		return r->o->boot == BOOT_YES;
	return !image_pread(&r->base->img, sector, sizeof(sector), 0) && bootsector_is(sector);
}

/* With --keep generations keep their numbers, because users know them by these. */
static int decide(struct run *r)
{
	const struct dsfs_geo *geo = r->base->img.geo;

	step_decide_new(r);
	params_of_image(&r->params, r->o, geo, r->out.object_bits);
	r->out.boot_signature = boot_signature(r);
	r->gen.number = geo->generation + !several(r);
	r->report.dead_of = base_dead_of(r->o);
	r->report.keeps = r->kept.done;
	if (!r->kept.done)
		return 0;
	r->gen.start = le64_to_cpu(r->kept.super.image_bytes);
	r->gen.previous = &r->kept.super;
	return 0;
}

/* Label, message and digest of the command line belong to the newest generation. */
static int decide_newest(struct run *r)
{
	params_label(&r->params, r->o);
	return 0;
}

/* The first generation begins the target. */
static int open_target(struct run *r)
{
	int ret;

	if (r->kept.done)
		return 0;
	ret = copied_init(&r->copied);
	return ret ? ret : step_open_target(r);
}

static int copy(struct run *r)
{
	return copy_data(&r->store, &r->copied);
}

/* Other files than before are beside each other: who shares a block is new. */
static int share_blocks(struct run *r)
{
	struct array places;
	int ret = places_collect(&places, NULL, &r->tree, NULL, NULL);

	if (!ret)
		places_share(&places);
	else
		msg_error(NULL, "out of memory");
	array_free(&places);
	return ret;
}

static int keep_layout(struct run *r)
{
	struct array places;
	int ret = run_keep_layout(r, &places);

	if (!ret) {
		places_measure(&places, r->base, &r->params);
		r->store.figures.stored = r->base->stored;
	}
	array_free(&places);
	return ret ? ret : share_blocks(r);
}

/* The same tree has the same note. */
static int keep_note(struct run *r)
{
	struct dsfs_err err = { 0 };
	int ret = image_note(r->base->prev, &r->gen.note, &err);

	r->gen.has_note = r->gen.note.message_bytes || r->gen.note.digest_kind;
	return ret < 0 ? base_damaged(r->base, "note", &err, ret) : 0;
}

static int set_time(struct run *r)
{
	if (!several(r))
		return step_set_time(r);
	r->gen.time = r->base->img.geo->build_time;
	return 0;
}

static int end_earlier(struct run *r)
{
	kept_done(&r->kept, &r->meta.super, r->meta.start - r->gen.start);
	run_end_generation(r);
	return run_begin_generation(r);
}

static const step_fn begin[] = {
	check_target,
	open_base,
	find_kept,
	measure,
	NULL
};

static const step_fn dry[] = {
	open_source,
	decide,
	step_list,
	step_plan,
	step_check_room,
	set_bounds,
	step_stop_dry,
	NULL
};

static const step_fn check[] = {
	stop_unless_worth,
	set_bounds,
	step_check_room,
	NULL
};

/* A generation in front of the newest one. */
static const step_fn earlier[] = {
	use_next,
	open_source,
	decide,
	step_list,
	step_plan,
	step_check_room,
	step_prepare,
	open_target,
	copy,
	keep_layout,
	keep_note,
	set_time,
	step_write_meta,
	end_earlier,
	NULL
};

static const step_fn newest[] = {
	use_next,
	open_source,
	decide,
	decide_newest,
	step_list,
	step_plan,
	step_check_room,
	step_prepare,
	open_target,
	copy,
	keep_layout,
	keep_note,
	step_note,
	set_time,
	step_write_meta,
	step_finish,
	NULL
};

int build_compact(struct run *r)
{
	int ret = steps_take(r, begin);

	if (!ret)
		ret = steps_take(r, r->o->plan_only ? dry : check);
	while (!ret && kept_later(&r->kept))
		ret = steps_take(r, earlier);
	return ret ? ret : steps_take(r, newest);
}
