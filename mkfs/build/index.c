// SPDX-License-Identifier: GPL-2.0
/*
 * --tar-index: archives that stay as they are become an image, or are added to one.  Archives that
 * lie in the target already are not written to before all that can be wrong with them is known.
 */
#include <unistd.h>

#include "graft.h"
#include "build.h"
#include "msg.h"

/* The target has the archives, or gets copies of them. */
static bool in_place(const struct run *r)
{
	return !r->o->ntars;
}

static int check_target(struct run *r)
{
	return in_place(r) ? output_check_archives(&r->out, r->o) : step_check_new(r);
}

static int open_base(struct run *r)
{
	return base_open(&r->base, r->out.path, true);
}

static int decide(struct run *r)
{
	step_decide_new(r);
	if (r->base) {
		step_decide_behind(r);
		r->gen.start = base_end(r->base, in_place(r) ? 0 : r->params.object_bits);
	}
	r->gen.compat = DSFS_COMPAT_ARCHIVES;
	r->report.once = true;
	r->report.archives = true;
	r->report.in_place = in_place(r);
	return 0;
}

static int list_base(struct run *r)
{
	return base_tree(r->base, r->o, &r->tree);
}

static int open_early(struct run *r)
{
	return in_place(r) ? 0 : step_open_target(r);
}

static int open_late(struct run *r)
{
	return in_place(r) ? step_open_target(r) : 0;
}

/* Let the target have an archive behind what it has; extents are shared in whole blocks. */
static int copy_archive(struct run *r, struct source_archive *a)
{
	const u64 mask = DSFS_BLOCK_SIZE - 1, end = r->store.place.at.end;
	int ret;

	a->pos = (end + mask) & ~mask;
	ret = output_pad(&r->out, end, a->pos);
	return ret ? ret : output_clone(&r->out, a->pos, a->fd, a->path, a->bytes,
					&r->store.figures.cloned);
}

static int add_archive(struct run *r, const char *path)
{
	struct source_archive a;
	int ret = source_archive_open(r->source, path, &a);

	if (ret)
		return ret;
	ret = copy_archive(r, &a);
	if (!ret)
		ret = source_archive_index(r->source, &a);
	close(a.fd);
	return ret;
}

/* Archives that lie in the target are behind what it has, up to its end or to --tar-bytes. */
static int find_archives(struct run *r)
{
	const u64 from = r->gen.start, all = output_end(&r->out);
	const u64 most = all > from ? all - from : 0, bytes = r->o->tar_bytes;

	if (bytes <= most)
		return source_archives_find(r->source, from, from + (bytes ? bytes : most));
	msg_error(r->o->image,
		  "--tar-bytes: %llu bytes: the limit is %llu: behind byte %llu there are no more",
		  (unsigned long long)bytes, (unsigned long long)most, (unsigned long long)from);
	return -EINVAL;
}

static int read_archives(struct run *r)
{
	struct placed *p = placed_begin(&r->store);
	int ret = p ? 0 : -ENOMEM;

	if (!p)
		return ret;
	r->source->index = (struct source_index){
		.fd = r->out.fd, .before = r->base ? r->base->root_dir : NULL,
	};
	if (in_place(r))
		ret = find_archives(r);
	for (unsigned int i = 0; !ret && i < r->o->ntars; i++)
		ret = add_archive(r, r->o->tars[i]);
	placed_finish(p);
	return ret;
}

static int graft(struct run *r)
{
	return base_graft(r->base, &r->tree);
}

/* Data ends with the last archive; what is written comes behind it. */
static int end_data(struct run *r)
{
	int ret = placed_share(&r->store);

	r->gen.start = r->store.place.at.end;
	return ret;
}

static int take_figures(struct run *r)
{
	if (r->base) {
		r->base->kept_files = r->plan.kept;
		r->base->kept_bytes = r->plan.kept_bytes;
	}
	return 0;
}

static int begin(struct run *r)
{
	return output_begin(&r->out, r->gen.start);
}

/* Archives and what lies in them share all their blocks: placed_share(). */
static int keep_layout(struct run *r)
{
	struct array places;
	int ret = run_keep_layout(r, &places);

	array_free(&places);
	r->store.figures.stored = r->base->stored;
	return ret;
}

static int no_layout(struct run *r)
{
	r->store.figures.stored = r->store.place.stored;
	return 0;
}

static const step_fn added[] = {
	step_check_image,
	step_open_source,
	open_base,
	decide,
	step_prepare,
	list_base,
	open_early,
	read_archives,
	step_end_source,
	graft,
	step_order_tree,
	end_data,
	step_plan,
	take_figures,
	step_check_room,
	open_late,
	begin,
	keep_layout,
	step_note,
	step_set_time,
	step_write_meta,
	step_finish,
	NULL
};

static const step_fn alone[] = {
	check_target,
	step_open_source,
	decide,
	step_prepare,
	open_early,
	read_archives,
	step_end_source,
	step_order_tree,
	end_data,
	step_plan,
	step_check_room,
	open_late,
	begin,
	no_layout,
	step_note,
	step_set_time,
	step_write_meta,
	step_finish,
	NULL
};

int build_index(struct run *r)
{
	return steps_take(r, r->o->build == BUILD_UPDATE ? added : alone);
}
