// SPDX-License-Identifier: GPL-2.0
/*
 * mkfs.dsfs: from a source to an image.  The way of a byte, by folders:
 *
 *   source/  lists names and attributes, and reads contents: a directory, a
 *            manifest, an image
 *   tree/    the tree in memory that the source makes and all others use
 *   base/    the image that gets a new generation, or is packed anew: what
 *            of it stays
 *   plan/    numbers, names, places, bounds of the size: no I/O
 *   data/    readers take contents, one writer places them: checksums, holes,
 *            deduplication
 *   meta/    the tree as inode records, names, index and so on, behind the data
 *   output/  the file or device that gets it, and the superblocks at the end
 */
#include <stdlib.h>

#include "base/compact.h"
#include "base/base.h"
#include "data/stream.h"
#include "meta/meta.h"
#include "output/output.h"
#include "plan/plan.h"
#include "source/manifest.h"
#include "source/scan.h"
#include "libdsfs.h"
#include "msg.h"
#include "parse.h"
#include "progress.h"
#include "report.h"

/* The device must hold what the plan is sure of. */
static int check_room(const struct output *out, const struct plan *plan,
		      const struct options *o)
{
	char have[32], need[32];

	if (!out->limit)
		return 0;
	parse_format_size(have, sizeof(have), out->limit);
	if (plan->lower > out->limit) {
		parse_format_size(need, sizeof(need), plan->lower);
		msg_error(out->path, "device too small: %s: at least %s needed",
			  have, need);
		return -ENOSPC;
	}
	if (plan->upper > out->limit && o->verbose) {
		parse_format_size(need, sizeof(need), plan->upper);
		msg_warn(out->path, "device of %s may be too small: up to %s needed",
			 have, need);
	}
	return 0;
}

static int write_super(struct meta *m, struct output *out)
{
	struct dsfs_super slots[DSFS_SB_SLOTS];
	const void *raw[DSFS_SB_SLOTS];

	for (unsigned int i = 0; i < DSFS_SB_SLOTS; i++) {
		slots[i] = m->super;
		slots[i].slot = i;
		slots[i].checksum = cpu_to_le32(dsfs_super_sum(&slots[i]));
		raw[i] = &slots[i];
	}
	return output_finish(out, raw, le64_to_cpu(m->super.image_bytes));
}

static int make_plan(struct source *src, struct plan *plan)
{
	return plan_make(plan, &src->tree, src->o, &src->params, src->start);
}

/* Files that could not be read are out: number and count the others again. */
static int plan_again(struct source *src, struct plan *plan, u64 gone_before)
{
	if (src->tree.gone == gone_before)
		return 0;
	if (tree_prune(&src->tree)) {
		msg_error(NULL, "out of memory");
		return -ENOMEM;
	}
	return make_plan(src, plan);
}

/* All contents, from wherever they come. */
static int build_data(struct stream *s, const struct plan *plan,
		      struct output *out)
{
	int ret = output_open(out, s->src->start);

	if (!ret && s->src->o->build == BUILD_COMPACT)
		return compact_data(s);
	if (!ret)
		ret = order_read(s);
	return ret ? ret : stream_data(s, plan->data,
				       plan->bytes - plan->kept_bytes);
}

static int build(struct source *src, struct plan *plan, struct output *out)
{
	u64 gone = src->tree.gone;
	struct stream *stream = calloc(1, sizeof(*stream));
	struct meta *meta = calloc(1, sizeof(*meta));
	int ret = -ENOMEM;

	if (!stream || !meta || stream_init(stream, src, out)) {
		msg_error(NULL, "out of memory");
		goto out;
	}
	if (src->o->build == BUILD_COMPACT) {
		ret = compact_worth(stream);
		if (ret <= 0)
			goto out;
	}
	ret = build_data(stream, plan, out);
	if (!ret)
		ret = plan_again(src, plan, gone);
	if (!ret)
		ret = meta_write(meta, src, stream, out);
	if (!ret)
		ret = write_super(meta, out);
	if (ret)
		output_abort(out);
	else
		report_done(src, plan, stream, meta);
out:
	if (stream)
		stream_free(stream);
	if (meta)
		meta_free(meta);
	free(stream);
	free(meta);
	return ret;
}

/* The tree that the image is to have. */
static int get_tree(struct source *src)
{
	const struct options *o = src->o;
	int ret;

	if (o->build == BUILD_COMPACT)
		return image_tree(src);
	ret = o->manifest ? manifest_read(src) : scan_tree(src);
	return ret || o->build != BUILD_UPDATE ? ret : base_match(src);
}

/* The base image, and what follows from there being one or not. */
static int get_base(struct source *src, struct output *out)
{
	const struct options *o = src->o;
	const struct dsfs_geo *geo = NULL;
	int ret;

	if (o->build != BUILD_NEW) {
		ret = base_open(&src->base, o->build == BUILD_UPDATE ? out->path :
								      o->source);
		if (ret)
			return ret;
		geo = src->base->img.geo;
		out->first_slot = !src->base->img.use;
	}
	params_decide(&src->params, o, geo, out->object_bits);
	src->data_start = DSFS_DATA_START_MIN;
	src->start = DSFS_DATA_START_MIN;
	if (o->build == BUILD_UPDATE) {
		src->data_start = geo->data_start;
		src->start = base_end(src->base, src->params.object_bits);
	}
	return 0;
}

static int run(const struct options *o, struct source *src, struct output *out)
{
	struct plan plan;
	int ret = output_check(out, o);

	if (!ret)
		ret = source_init(src, o);
	if (!ret)
		ret = get_base(src, out);
	if (ret)
		return ret;
	src->image_dev = out->dev;
	src->image_ino = out->ino;
	ret = get_tree(src);
	if (!ret)
		ret = make_plan(src, &plan);
	if (!ret)
		ret = check_room(out, &plan, o);
	if (ret)
		return ret;
	if (o->plan_only) {
		report_plan(src, &plan);
		return 0;
	}
	return build(src, &plan, out);
}

int main(int argc, char **argv)
{
	struct source src = { 0 };
	struct output out;
	struct options o;
	int ret;

	msg_init("mkfs.dsfs", 1);
	ret = options_parse(&o, argc, argv);
	if (ret) {
		options_free(&o);
		return ret < 0 ? 0 : ret;
	}
	progress_enable(!o.quiet && !o.json);
	if (signals_init()) {
		msg_error(NULL, "cannot start a thread");
		options_free(&o);
		return 1;
	}
	ret = run(&o, &src, &out);
	base_free(src.base);
	source_free(&src);
	output_free(&out);
	options_free(&o);
	return ret ? 1 : 0;
}
