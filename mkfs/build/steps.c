// SPDX-License-Identifier: GPL-2.0
/*
 * Steps that several recipes have.
 */
#include <time.h>

#include "build.h"
#include "format.h"
#include "msg.h"
#include "nsec.h"
#include "parse.h"

int step_open_source(struct run *r)
{
	const struct options *o = r->o;
	const struct source_ops *ops = o->ntars || o->tar_index ? &tar_ops :
				       o->manifest ? &manifest_ops : &directory_ops;
	int ret = source_open(&r->source, ops, o, &r->tree, r->threads);

	if (ret)
		return ret;
	r->source->lists_only = o->plan_only;
	r->source->shard_by = o->tar_index ? "--tar-index" : "--wds";
	return 0;
}

int step_list(struct run *r)
{
	return r->source->ops->list(r->source) ?: tree_order(&r->tree);
}

int step_plan(struct run *r)
{
	r->planned_gone = r->tree.gone;
	plan_make(&r->plan, &r->tree);
	return 0;
}

static int write_meta(struct run *r, struct output *out, struct place *place)
{
	r->meta = (struct meta){
		.draft = &r->draft, .tree = &r->tree, .out = out, .place = place,
		.content = r->store.content, .stored = r->store.figures.stored,
	};
	return meta_write(&r->meta);
}

int step_count(struct run *r, const struct place *place)
{
	struct plan *p = &r->plan;
	struct place end = *place;
	int ret = write_meta(r, NULL, &end);

	p->meta_bytes = le64_to_cpu(r->meta.super.meta_bytes);
	p->padding = r->meta.start - r->draft.start - place->stored;
	p->object_padding = place_object_padding(place);
	p->upper = le64_to_cpu(r->meta.super.image_bytes);
	meta_free(&r->meta);
	return ret;
}

/* Count with contents as they may be at least, and at most. */
static int count_guess(struct run *r, bool whole)
{
	struct guess g;
	int ret = guess_contents(&g, &r->tree, &r->draft, whole);

	if (ret == -ENOMEM)
		no_memory();
	ret = ret ?: step_count(r, &g.place);
	guess_end(&g, &r->tree);
	return ret;
}

int step_bounds(struct run *r)
{
	struct plan *p = &r->plan;
	int ret;

	if (!r->o->plan_only && !r->out.limit)
		return 0;
	ret = count_guess(r, false);
	p->lower = p->upper;
	ret = ret ?: count_guess(r, true);
	p->upper += guess_slack(&r->tree, &r->draft);
	return ret ?: step_check_room(r);
}

int step_check_room(const struct run *r)
{
	const struct output *out = &r->out;
	const struct plan *plan = &r->plan;
	char have[32], need[32];

	if (!out->limit)
		return 0;
	parse_format_size(have, sizeof(have), out->limit);
	if (plan->lower > out->limit) {
		parse_format_size(need, sizeof(need), plan->lower);
		return msg_fail(-ENOSPC, out->path, "%s too small: %s: at least %s needed",
				output_what(out), have, need);
	}
	if (plan->upper > out->limit && r->o->verbose) {
		parse_format_size(need, sizeof(need), plan->upper);
		msg_warn(out->path, "%s of %s may be too small: up to %s needed", output_what(out),
			 have, need);
	}
	return 0;
}

int step_stop_dry(struct run *r)
{
	const struct pack_rules *pack = &r->pack;
	int ret;

	if (!r->o->plan_only)
		return 0;
	ret = pack->codec ? estimate_make(&r->estimate, r->source, pack) : 0;
	if (ret)
		return ret;
	report_plan(r);
	return 1;
}

void step_prepare(struct run *r)
{
	r->store = (struct store){
		.o = r->o, .draft = &r->draft, .tree = &r->tree, .source = r->source,
		.base = r->base, .out = r->counts ? NULL : &r->out, .rules.pack = r->pack,
	};
	store_init(&r->store);
	r->stream = (struct stream){ .store = &r->store };
}

int step_open_target(struct run *r)
{
	return output_open(&r->out, r->draft.start);
}

int step_store(struct run *r)
{
	const struct plan *p = &r->plan;

	return stream_data(&r->stream, p->data, p->bytes - p->kept_bytes);
}

/* Set what the generation stores, and where its metadata would begin if it were packed anew. */
static void measure(struct run *r)
{
	struct node any = { 0 };	/* flags are for the run */
	struct place packed;

	place_init(&packed, r->base->img.geo->data_start, r->draft.align_bits,
		   r->draft.object_bits);
	for (size_t i = 0; i < r->extents.n; i += extents_alike(&r->extents, &r->tree, i)) {
		const u64 stored = extent_stored(&r->extents, &r->tree, i);

		/* what is no larger than a block is placed by its stored bytes */
		any.size = stored <= DSFS_BLOCK_SIZE ? stored : extent_node(&r->extents, i)->size;
		place_file(&packed, &any, stored);
	}
	r->store.figures.stored = packed.stored;
	r->base->packed = place_meta(&packed, true);
}

int step_extents(struct run *r)
{
	return tree_extents(&r->extents, r->base, &r->tree);
}

int step_share_blocks(struct run *r)
{
	extents_share(&r->extents, &r->tree);
	measure(r);
	return 0;
}

int step_end_source(struct run *r)
{
	return r->source->ops->end(r->source);
}

int step_prune_tree(struct run *r)
{
	return tree_prune(&r->tree) ? no_memory() : tree_order(&r->tree);
}

int step_plan_again(struct run *r)
{
	if (r->tree.gone == r->planned_gone)
		return 0;
	return step_prune_tree(r) ?: step_plan(r);
}

void step_set_time(struct run *r)
{
	struct timespec ts;

	if (r->o->epoch) {
		r->draft.time = r->o->build_time;
		return;
	}
	clock_gettime(CLOCK_REALTIME, &ts);
	r->draft.time = nsec_of(&ts);
}

int step_write_meta(struct run *r)
{
	return write_meta(r, r->store.out, &r->store.place);
}

int step_check_list(const struct run *r)
{
	if (!r->out.listed || !(r->o->tar_index || r->o->digest))
		return 0;
	return msg_fail(-EINVAL, r->out.path, LISTED_NOT,
			r->o->digest ? "--digest" : "--tar-index");
}

int step_recheck(struct run *r)
{
	struct stat st;

	/* the image itself, which may have got a name of its own in the source, is no change */
	if (!r->source || r->rechecked)
		return 0;
	r->rechecked = true;
	if (!r->out.limit && !fstat(r->out.fd, &st)) {
		r->source->image_dev = st.st_dev;
		r->source->image_ino = st.st_ino;
	}
	return source_recheck(r->source);
}

int step_finish(struct run *r)
{
	int ret = step_recheck(r) ?: meta_keep_digest(&r->meta, r->o->digest, r->threads) ?:
		  output_finish(&r->out, &r->meta.super);

	if (!ret)
		report_done(r);
	return ret;
}

int step_complete(struct run *r)
{
	patterns_unused(&r->o->no_names, "xattrs-exclude");
	draft_note(r);
	step_set_time(r);
	return step_write_meta(r) ?: step_finish(r);
}

void run_end_generation(struct run *r)
{
	if (r->stream.store) {
		stream_free(&r->stream);
		store_free(&r->store);
		r->stream.store = NULL;
	}
	array_free(&r->extents);
	meta_free(&r->meta);
	source_free(r->source);
	r->source = NULL;
	tree_free(&r->tree);
	memset(&r->tree, 0, sizeof(r->tree));
}

int run_begin_generation(struct run *r)
{
	const char *source = r->o->manifest ? r->o->manifest : r->o->source;

	if (!tree_init(&r->tree, source, r->o->limits.memory))
		return 0;
	return no_memory();
}
