// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs compact: a new image of the newest generation of another one, or with --keep of several
 * generations: then it is made as updates would have made it, the oldest of them first.
 * Each one is loaded from the image, and what of its data the new image has not is copied.  All of
 * that is run first without a target, which says how long the image will be.
 *
 * The result gets a generation number of its own and has no history: inodes keep their numbers,
 * but the data of a file handle lies elsewhere.  With --keep=2 and more, generations keep their
 * numbers, because users know them by these.
 */
#include "../options/rows.h"
#include "build.h"
#include "format.h"
#include "msg.h"
#include "parse.h"
#include "pieces.h"

/*
 * --keep of two or more: then the image is as if updates had made it.  What generations share is
 * stored once, and each but the oldest has the one before it in its history.
 */
static bool several(const struct run *r)
{
	return r->o->keep > 1;
}

/* Check that data which a later generation shares has the alignment that it would give it. */
static int check_alignment(const struct base *base, const struct dsfs_geo *geo)
{
	const unsigned int newest = base->img.geo->align_bits;

	if (geo->align_bits == newest)
		return 0;
	return msg_fail(-EOPNOTSUPP, base->img.path,
			"generation %llu: alignment of %u, the newest has %u: keep fewer",
			geo->generation, 1U << geo->align_bits, 1U << newest);
}

static int add_generation(struct array *list, u64 number)
{
	const struct retained_one one = { .number = number };

	return array_append(list, &one) ? no_memory() : 0;
}

/* List the generations to be kept; says if there are fewer than asked for.  0 or -errno. */
static int find_generations(struct retained *retained, const struct base *base, u64 keep)
{
	struct dsfs_slot now = *base_super(base);
	int ret;

	retained->list.size = sizeof(struct retained_one);
	retained->dropped.size = sizeof(struct retained_one);
	ret = add_generation(&retained->list, now.geo.generation);
	while (!ret && retained->list.n < keep) {
		ret = image_older(&base->img, &now.geo, &now);
		if (ret < 0)
			return base_damaged(base, "history", &now.err, ret);
		if (!ret)
			break;
		ret = check_alignment(base, &now.geo) ?:
		      add_generation(&retained->list, now.geo.generation);
	}
	if (!ret && retained->list.n < keep)
		msg_warn(base->img.path, "--keep=%llu: generations in the image: %zu: all are kept",
			 keep, retained->list.n);
	return ret;
}

/* List those in front of the oldest one, as far as the history leads.  0 or -errno. */
static int find_dropped(struct retained *retained, struct base *base)
{
	struct dsfs_slot now;
	int ret = base_use(base, retained_at(retained, 0)->number);

	if (ret)
		return ret;
	now = *base_super(base);
	while ((ret = image_older(&base->img, &now.geo, &now)) == 1) {
		ret = add_generation(&retained->dropped, now.geo.generation);
		if (ret)
			return ret;
	}
	return ret < 0 ? base_damaged(base, "history", &now.err, ret) : 0;
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

/* The tree of the generation that is looked at, which is packed or counted. */
static int load(struct run *r)
{
	int ret;

	decide(r);
	ret = tree_load(&r->tree, r->base, &r->tree.root) ?: tree_order(&r->tree);
	if (ret)
		return ret;
	step_prepare(r);
	return step_extents(r);
}

/* The first generation begins the target. */
static int open_target(struct run *r)
{
	return r->counts || r->retained.done ? 0 : step_open_target(r);
}

/* Copy what the image has not yet: all files have other positions then. */
static int copy(struct run *r)
{
	int ret = copy_data(&r->store, &r->copied, retained_at(&r->retained,
							       r->retained.done)->stored);

	if (ret)
		return ret;
	extents_sort(&r->extents, &r->tree);
	return step_share_blocks(r);
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

/* A generation that is not the newest one, or is only counted */
static int end_one(struct run *r)
{
	struct retained *retained = &r->retained;
	struct retained_one *one = retained_at(retained, retained->done++);

	retained->super = r->meta.super;
	retained->super.checksum = cpu_to_le32(dsfs_super_sum(&retained->super));
	one->data = r->meta.start - r->draft.start;
	one->stored = r->store.place.stored;
	one->meta = le64_to_cpu(retained->super.meta_bytes);
	run_end_generation(r);
	return run_begin_generation(r);
}

/* What is said of the newest generation on the command line */
static void settle_newest(struct run *r)
{
	draft_label(r);
	draft_note(r);
}

/* Pack the next generation, or count what it takes. */
static int pack(struct run *r)
{
	const bool newest = !retained_later(&r->retained);
	int ret = base_use(r->base, retained_at(&r->retained, r->retained.done)->number) ?:
		  load(r) ?: open_target(r) ?: copy(r) ?: keep_note(r);

	if (ret)
		return ret;
	step_plan(r);
	if (newest)
		settle_newest(r);
	if (several(r))
		r->draft.time = r->base->img.geo->build_time;
	else
		step_set_time(r);
	if (r->counts)
		return step_count(r, &r->store.place) ?: end_one(r);
	return step_write_meta(r) ?: (newest ? step_finish(r) : end_one(r));
}

static int pack_all(struct run *r)
{
	bool more = true;
	int ret = copied_init(&r->copied);

	r->retained.done = 0;
	while (!ret && more) {
		more = retained_later(&r->retained);
		ret = pack(r);
	}
	return ret;
}

/* What the others have alone, in the order in which images would lose it */
static int count_dropped(struct run *r)
{
	const u64 newest = r->base->img.geo->generation;
	struct array *dropped = &r->retained.dropped;
	int ret = find_dropped(&r->retained, r->base);

	for (size_t i = 0; !ret && i < dropped->n; i++) {
		struct retained_one *one = (struct retained_one *)dropped->p + i;

		ret = base_use(r->base, one->number) ?: load(r) ?:
		      copy_data(&r->store, &r->copied, 0);
		one->stored = r->store.place.stored;
		one->meta = r->base->img.geo->meta_bytes;
		run_end_generation(r);
		ret = ret ?: run_begin_generation(r);
	}
	return ret ?: base_use(r->base, newest);
}

/* Pack without a target: then it is known how long the image will be. */
static int count(struct run *r)
{
	int ret;

	r->counts = true;
	ret = pack_all(r);
	r->plan.lower = r->plan.upper;
	r->base->packed = r->plan.upper - r->plan.meta_bytes;
	if (!ret && r->o->plan_only && several(r))
		ret = count_dropped(r);
	table_free(&r->copied);
	r->counts = false;
	r->retained.done = 0;
	return ret;
}

/* What is behind the image goes with the file: parts that were not joined yet. */
static int check_behind(const struct run *r)
{
	if (r->o->image != r->o->source || r->o->force || r->out.old < 0)
		return 0;
	return guard_range(r->out.old, r->out.path, "join it, or use -f to lose it",
			   base_super(r->base)->geo.image_bytes, INT64_MAX);
}

/* By the name of a part a file would be made, which that name would mean from then on. */
static int check_whole(const struct run *r, const char *target)
{
	const char *text;
	size_t len;

	if (strcmp(target, r->o->source))
		return 0;
	if (reader_list(r->base->img.reader, &text, &len))
		return msg_fail(-EINVAL, target, "is a list: pack it to another TARGET");
	if (!r->base->img.start)
		return 0;
	return msg_fail(-EINVAL, target, "is a part: pack it to another TARGET");
}

static int run(struct run *r)
{
	const struct options *o = r->o;
	const struct target target = target_of(o);
	int ret = output_check_new(&r->out, &target, o->source) ?:
		  base_open(&r->base, o->source, BASE_PLAIN, o->limits.memory) ?:
		  check_whole(r, target.path) ?: check_behind(r) ?:
		  find_generations(&r->retained, r->base, o->keep) ?: count(r) ?: step_stop_dry(r);

	if (ret)
		return ret;
	if (!is_worth(r))
		return 1;
	return step_check_room(r) ?: pack_all(r);
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
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs compact [options] IMAGE [TARGET]\n"
	"Pack IMAGE anew, without its older generations, or into TARGET.\n",
	.more = "Exit: 0 done, 1 failed (and IMAGE is as it was), 2 wrong usage.\n",
	.examples =
	"  dsfs compact train.dsfs\n"
	"  dsfs compact --keep=2 train.dsfs small.dsfs\n",
	.words = "IMAGE", .low = 1, .high = 2,
	.table = option_table,
};

static int settle(struct options *o, int n, char **args)
{
	o->source = args[0];
	o->image = args[n - 1];
	o->align_bits = DSFS_BLOCK_BITS;
	return 0;
}

const struct recipe recipe_compact = { "dsfs compact", &command_line, settle, run };
