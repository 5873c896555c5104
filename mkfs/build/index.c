// SPDX-License-Identifier: GPL-2.0
/*
 * --tar-index: archives that stay as they are become an image, or are added to one.  Archives that
 * lie in the target already are not written to before all that can be wrong with them is known.
 */
#include <unistd.h>

#include "build.h"
#include "msg.h"

static void decide(struct run *r)
{
	draft_new(r);
	if (r->base)
		draft_behind(r);
	if (r->base && options_in_place(r->o))
		r->draft.start = base_end(r->base, 0);
	r->draft.compat = DSFS_COMPAT_ARCHIVES;
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
	ret = copy_archive(r, &a) ?: source_archive_index(r->source, &a);
	close(a.fd);
	return ret;
}

/* Archives that lie in the target are behind what it has, up to its end or as many bytes. */
static int find_archives(struct run *r)
{
	const u64 from = r->draft.start, all = output_end(&r->out);
	const u64 most = all > from ? all - from : 0, bytes = r->o->tar_bytes;

	if (bytes <= most)
		return source_archives_find(r->source, from, from + (bytes ? bytes : most));
	return msg_fail(-EINVAL, r->o->image,
			"--tar-index: %llu bytes: the limit is %llu: behind byte %llu there are no more",
			bytes, most, from);
}

static int read_archives(struct run *r)
{
	struct archives *a = archives_begin(&r->store);
	int ret = a ? 0 : -ENOMEM;

	if (!a)
		return ret;
	r->source->index = (struct source_index){
		.fd = r->out.fd, .before = r->base ? r->base->root.u.dir : NULL,
	};
	if (options_in_place(r->o))
		ret = find_archives(r);
	for (unsigned int i = 0; !ret && i < r->o->ntars; i++)
		ret = add_archive(r, r->o->tars[i]);
	archives_finish(a);
	return ret;
}

/* What an image has stays as it is; its tree gets the names of what was added. */
static int unite(struct run *r)
{
	struct edit e;
	int ret;

	if (!r->base)
		return tree_order(&r->tree);
	swap_trees(r);
	ret = edit_begin(&e, &r->tree) ?: edit_add(&e, &r->base->root, "/", false);
	ret = ret ? no_memory() : edit_end(&e);
	edit_free(&e);
	return ret;
}

/* The archives begin the target, unless they lie in it. */
static int store_archives(struct run *r)
{
	step_prepare(r);
	return (r->base ? tree_load(&r->tree, r->base, &r->base->root) : 0) ?:
	       (options_in_place(r->o) ? 0 : step_open_target(r)) ?: read_archives(r) ?:
	       step_end_source(r) ?: unite(r);
}

/*
 * Data ends with the last archive; what is written comes behind it.  Archives and what lies in
 * them share all their blocks.
 */
static int end_data(struct run *r)
{
	struct store *s = &r->store;
	int ret = step_extents(r);

	s->figures.stored = ret ? 0 : archives_share(s, &r->extents);
	r->draft.start = s->place.at.end;
	if (ret || step_plan(r) || !r->out.limit)
		return ret;
	ret = step_count(r, &s->place);
	r->plan.lower = r->plan.upper;
	return ret ?: step_check_room(r);
}

int build_index(struct run *r)
{
	int ret;

	decide(r);
	ret = store_archives(r) ?: end_data(r);
	if (ret)
		return ret;
	if (r->base) {
		r->base->kept_files = r->plan.kept;
		r->base->kept_bytes = r->plan.kept_bytes;
	}
	return (options_in_place(r->o) ? step_open_target(r) : 0) ?:
	       output_begin(&r->out, r->draft.start) ?: step_complete(r);
}
