// SPDX-License-Identifier: GPL-2.0
/*
 * Steps that several recipes have.
 */
#include <stdlib.h>
#include <time.h>

#include "../base/places.h"
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

int step_order_tree(struct run *r)
{
	int ret = tree_order(&r->tree);

	if (ret == -EFBIG)
		msg_error(r->tree.source, "too many names: the limit is %llu inodes",
			  DSFS_MAX_INODES);
	else if (ret)
		no_memory();
	return ret;
}

int step_list(struct run *r)
{
	return r->source->ops->list(r->source) ?: step_order_tree(r);
}

int step_plan(struct run *r)
{
	int ret;

	r->planned_gone = r->tree.gone;
	ret = plan_make(&r->plan, &r->tree, &r->draft);
	return ret == -ENOMEM ? no_memory() : ret;
}

int step_check_room(struct run *r)
{
	const struct output *out = &r->out;
	const struct plan *plan = &r->plan;
	char have[32], need[32];

	if (!out->limit)
		return 0;
	parse_format_size(have, sizeof(have), out->limit);
	if (plan->lower > out->limit) {
		parse_format_size(need, sizeof(need), plan->lower);
		msg_error(out->path, "device too small: %s: at least %s needed", have, need);
		return -ENOSPC;
	}
	if (plan->upper > out->limit && r->o->verbose) {
		parse_format_size(need, sizeof(need), plan->upper);
		msg_warn(out->path, "device of %s may be too small: up to %s needed", have, need);
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
		.base = r->base, .out = &r->out, .rules.pack = r->pack,
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

int step_keep_layout(struct run *r)
{
	struct array places;
	int ret = base_keep_layout(r->base, &r->tree, &places);

	if (!ret) {
		places_share(&places);
		places_measure(&places, r->base, &r->draft);
		r->store.figures.stored = r->base->stored;
	}
	array_free(&places);
	return ret;
}

int step_end_source(struct run *r)
{
	return r->source->ops->end(r->source);
}

int step_prune_tree(struct run *r)
{
	if (tree_prune(&r->tree))
		return no_memory();
	return step_order_tree(r);
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
	struct layout layout;
	int ret = layout_make(&layout, &r->tree);

	r->meta = (struct meta){
		.draft = &r->draft, .tree = &r->tree, .out = &r->out, .layout = &layout,
		.place = &r->store.place, .content = r->store.content,
		.stored = r->store.figures.stored,
	};
	if (ret)
		no_memory();
	else
		ret = meta_write(&r->meta);
	layout_free(&layout);
	return ret;
}

static int recheck(struct run *r)
{
	struct stat st;

	/* the image itself, which may have got a name of its own in the source, is no change */
	if (!r->out.limit && !fstat(r->out.fd, &st)) {
		r->source->image_dev = st.st_dev;
		r->source->image_ino = st.st_ino;
	}
	return source_recheck(r->source);
}

/* The digest is that of the image as it can be read now, whatever the source was. */
static int digest(struct run *r)
{
	const struct digest_request request = { .threads = r->threads, .kind = r->o->digest };
	struct image img = { .path = r->out.path };
	struct dsfs_super sb = r->meta.super;
	struct digest_result result;
	struct dsfs_err err;
	const char *what;
	int ret = output_settle(&r->out);

	if (ret)
		return ret;
	sb.checksum = cpu_to_le32(dsfs_super_sum(&sb));
	ret = dsfs_super_decode(&sb, 0, &img.slots[0].geo, &err);
	if (ret)
		return ret;
	img.geo = &img.slots[0].geo;
	img.bytes = img.geo->image_bytes;
	ret = reader_fd(r->out.fd, &img.reader, &what);
	if (ret)
		return ret;
	ret = digest_image(&img, &request, &result);
	image_close(&img);
	return ret ? ret : meta_keep_digest(&r->meta, request.kind, result.sum);
}

static int commit(struct run *r)
{
	struct dsfs_super *super = &r->meta.super;

	super->checksum = cpu_to_le32(dsfs_super_sum(super));
	return output_finish(&r->out, super, le64_to_cpu(super->image_bytes));
}

int step_finish(struct run *r)
{
	int ret = recheck(r) ?: (r->o->digest ? digest(r) : 0) ?: commit(r);

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
