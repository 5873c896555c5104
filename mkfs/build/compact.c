// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs compact: a new image of the newest generation of another one, or with --keep of several
 * generations: then it is made as updates would have made it, the oldest of them first.
 * Each one is listed from the image, and what of its data the new image has not is copied.
 *
 * The result gets a generation number of its own and has no history: inodes keep their numbers,
 * but the data of a file handle lies elsewhere.  With --keep=2 and more, generations keep their
 * numbers, because users know them by these.
 */
#include <stdio.h>

#include "../base/places.h"
#include "../options/rows.h"
#include "build.h"
#include "msg.h"
#include "parse.h"

/* --keep of two or more: then the image is as if updates had made it. */
static bool several(const struct run *r)
{
	return r->o->keep > 1;
}

static int measure(struct run *r)
{
	const bool forced = r->o->object_set;

	return retained_measure(&r->retained, r->base, forced,
				forced ? r->o->object_bits : r->out.object_bits,
				r->o->plan_only && several(r));
}

/*
 * Whether an image has unused bytes enough to be packed anew where it is; fewer than
 * BASE_DEAD_PERCENT are not worth it.  A target of another name is always made.
 */
static bool is_worth(const struct run *r)
{
	const u64 bytes = r->base->img.geo->image_bytes;
	const u64 dead = base_dead(r->base, &base_super(r->base)->raw);
	const u64 percent = dead * 100 / bytes;
	char dead_text[32], all_text[32];

	if (r->o->image != r->o->source || r->o->force || percent >= BASE_DEAD_PERCENT)
		return true;
	parse_format_size(dead_text, sizeof(dead_text), dead);
	parse_format_size(all_text, sizeof(all_text), bytes);
	if (!r->o->quiet && !r->o->json)
		printf("only %s use %s of %s, %llu %%: left as it is (see -f)\n",
		       dead_of(r), dead_text, all_text, percent);
	return false;
}

/*
 * The bounds follow from what was measured.  Where metadata of an earlier generation gets
 * shorter, data behind it may leave an object.
 */
static void set_bounds(struct run *r)
{
	const struct base *base = r->base;
	struct plan *plan = &r->plan;

	plan->meta_bytes = base->img.geo->meta_bytes;
	plan->lower = several(r) ? DSFS_DATA_START_MIN : base->packed;
	for (size_t i = 0; several(r) && i < r->retained.list.n; i++)
		plan->lower += retained_at(&r->retained, i)->stored;
	plan->upper = base->packed + plan->meta_bytes + r->retained.slack;
	if (r->o->message || r->o->digest)
		plan->upper += DSFS_BLOCK_SIZE;
}

static void decide(struct run *r)
{
	const struct dsfs_geo *geo = r->base->img.geo;

	draft_new(r);
	draft_of_image(r);
	r->draft.number = geo->generation + !several(r);
	if (!r->retained.done)
		return;
	r->draft.start = le64_to_cpu(r->retained.super.image_bytes);
	r->draft.previous = &r->retained.super;
}

/* List the generation that is looked at; the label of the command line belongs to the newest. */
static int list(struct run *r)
{
	int ret = source_image(&r->source, r->o, &r->tree, r->threads, r->base);

	if (ret)
		return ret;
	decide(r);
	if (!retained_later(&r->retained))
		draft_label(r);
	return step_list(r) ?: step_plan(r) ?: step_check_room(r);
}

/* The first generation begins the target. */
static int open_target(struct run *r)
{
	return r->retained.done ? 0 : (copied_init(&r->copied) ?: step_open_target(r));
}

/* Other files than before are beside each other: who shares a block is new. */
static int share_blocks(struct run *r)
{
	struct array places;
	int ret = places_collect(&places, NULL, &r->tree);

	if (!ret)
		places_share(&places);
	else
		no_memory();
	array_free(&places);
	return ret;
}

/* The same tree has the same note. */
static int keep_note(struct run *r)
{
	const struct base *base = r->base;

	if (base->note_ret)
		return base_damaged(base, "note", &base->note_err, base->note_ret);
	r->draft.note = base->note;
	r->draft.has_note = r->draft.note.message_bytes || r->draft.note.digest_kind;
	return 0;
}

static int end_earlier(struct run *r)
{
	retained_done(&r->retained, &r->meta.super, r->meta.start - r->draft.start);
	run_end_generation(r);
	return run_begin_generation(r);
}

/* Pack the next generation.  Message and digest of the command line belong to the newest one. */
static int pack(struct run *r)
{
	const bool newest = !retained_later(&r->retained);
	int ret = retained_next(&r->retained, r->base) ?: list(r);

	if (ret)
		return ret;
	step_prepare(r);
	ret = open_target(r) ?: copy_data(&r->store, &r->copied) ?: step_keep_layout(r) ?:
	      share_blocks(r) ?: keep_note(r);
	if (ret)
		return ret;
	if (newest)
		draft_note(r);
	if (several(r))
		r->draft.time = r->base->img.geo->build_time;
	else
		step_set_time(r);
	return step_write_meta(r) ?: (newest ? step_finish(r) : end_earlier(r));
}

static int plan(struct run *r)
{
	int ret = list(r);

	if (ret)
		return ret;
	set_bounds(r);
	return step_stop_dry(r);
}

static int run(struct run *r)
{
	const struct options *o = r->o;
	bool more = true;
	const struct target target = target_of(o);
	int ret = output_check_new(&r->out, &target, o->source) ?:
		  base_open(&r->base, o->source, false, o->limits.memory) ?:
		  retained_find(&r->retained, r->base, o->keep) ?: measure(r);

	if (ret || o->plan_only)
		return ret ? ret : plan(r);
	if (!is_worth(r))
		return 1;
	set_bounds(r);
	ret = step_check_room(r);
	while (!ret && more) {
		more = retained_later(&r->retained);
		ret = pack(r);
	}
	return ret;
}

static const struct arg align_words[] = { WORD_OBJECT, { } };

static const struct arg option_table[] = {
	{ ROW_LABEL },
	{ ROW_MESSAGE },
	{ ROW_DIGEST },
	{ 0, "align", "object=SIZE", "files do not cross multiples of SIZE, 64K to 1G, or none",
	  ARG_PARTS(align_words) },
	{ 0, "keep", "N", "pack the N newest generations (default: 1)",
	  ARG_NUMBER(struct options, keep, 1, MKFS_KEEP_MAX) },
	{ ROW_THREADS },
	{ ROW_MEMORY },
	{ 'f', "force", NULL, "pack what saves little; overwrite TARGET, or a device in use",
	  ARG_FLAG(struct options, force) },
	{ ROW_DRY_RUN },
	{ ROW_QUIET },
	{ 'v', "verbose", NULL, "say more", ARG_FLAG(struct options, verbose) },
	{ ROW_JSON },
	{ ARG_HELP },
	{ ARG_VERSION },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs compact [options] IMAGE [TARGET]\n"
	"Pack IMAGE anew, without its older generations, or into TARGET.\n",
	.more = "Exit: 0 done, 1 failed (and IMAGE is as it was), 2 wrong usage.\n",
	.wrong = EXIT_USAGE,
	.table = option_table,
};

static int settle(struct options *o, int n, char **args)
{
	if (!n || n > 2)
		return args_wrong(EXIT_USAGE, n ? "too many arguments" : "IMAGE is needed");
	o->source = args[0];
	o->image = args[n - 1];
	o->align_bits = DSFS_BLOCK_BITS;
	return 0;
}

const struct recipe recipe_compact = { "dsfs compact", &command_line, settle, run };
