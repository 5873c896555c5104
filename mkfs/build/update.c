// SPDX-License-Identifier: GPL-2.0
/*
 * A new generation of an image.  Files that have not changed keep their data, which stays
 * where it is; new data and all metadata are written behind the image.
 */
#include "behind.h"
#include "../options/rows.h"
#include "build.h"
#include "msg.h"

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

/* What files keep is known before any is read.  A device has to be written to, to see. */
static int plan_alone(struct run *r)
{
	if (!r->o->plan_only)
		return 0;
	return step_extents(r) ?: step_bounds(r) ?: step_stop_dry(r);
}

static int add_files(struct run *r)
{
	const bool by_time = !r->o->checksum && !r->o->fixed_time;
	int ret;

	draft_new(r);
	draft_behind(r);
	ret = draft_codec(r) ?: step_list(r) ?: base_match(r->base, &r->tree, by_time) ?:
	      step_plan(r) ?: check_files(r) ?: plan_alone(r) ?: index_contents(r);
	if (ret)
		return ret;
	step_prepare(r);
	return step_open_target(r) ?: step_store(r) ?: step_extents(r) ?:
	       step_share_blocks(r) ?: step_plan_again(r) ?:
	       step_complete(r);
}

static int run(struct run *r)
{
	const struct target target = target_of(r->o);
	const bool archives = r->o->tar_index;

	return output_check_update(&r->out, &target) ?: step_check_list(r) ?: step_open_source(r) ?:
	       base_open(&r->base, r->out.path, archives ? BASE_ARCHIVES : BASE_PLAIN,
			 r->o->limits.memory) ?: change_check_erasing(&r->base->img) ?:
	       (archives ? build_index(r) : add_files(r));
}

/* What decides the layout is not here: the image has its own.  dsfs compact changes it. */
static const struct arg option_table[] = {
	{ ROW_LABEL },
	{ ROW_MESSAGE },
	{ ROW_DIGEST },
	{ ROW_TIME },
	{ ROW_ALL_ROOT },
	{ ROW_XATTRS_EXCLUDE },
	{ ROW_EXCLUDE, .not = "manifest; tar-index" },
	{ ROW_ONE_FS, .not = "manifest; tar-index" },
	{ ROW_ALLOW },
	{ ROW_MANIFEST, .not = "tar-index" },
	{ ROW_TAR, .only = "tar-index" },
	{ ROW_WDS },
	{ ROW_TAR_INDEX },
	{ ROW_ORDER, .not = "tar-index" },
	{ ROW_NO_DEDUP, .not = "tar-index" },
	{ ROW_COMPRESS, .not = "tar-index: archives stay as they are" },
	{ 0, "checksum", NULL, "read all files, go by their contents",
	  ARG_FLAG(struct options, checksum), .not = "tar-index" },
	{ ROW_THREADS },
	{ ROW_MEMORY },
	{ 'f', "force", NULL, "lose more than half of the files",
	  ARG_FLAG(struct options, force) },
	{ ROW_DRY_RUN, .not = "tar-index" },
	{ ROW_QUIET },
	{ ROW_JSON },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs update [options] IMAGE SOURCE\n"
	"       dsfs update [options] --manifest=FILE IMAGE [SOURCE]\n"
	"       dsfs update [options] --tar-index [--tar=FILE...] IMAGE\n"
	"Add a generation to IMAGE: what is new or changed in SOURCE, and its tree.\n",
	.more = "Exit: 0 done, 1 failed (and IMAGE is as it was), 2 wrong usage.\n",
	.examples =
	"  dsfs update train.dsfs photos\n"
	"  dsfs update --message='new labels' train.dsfs photos\n",
	.table = option_table,
};

static int settle(struct options *o, int n, char **args)
{
	return check_source(o) ?: take_image_source(o, n, args);
}

const struct recipe recipe_update = { "dsfs update", &command_line, settle, run };
