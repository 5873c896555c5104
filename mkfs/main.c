// SPDX-License-Identifier: GPL-2.0
/*
 * mkfs.dsfs: makes an image from a source.  Its folders, in the order in which
 * data passes them:
 *
 *   source/  lists names and attributes, and reads contents: a directory, a
 *            manifest, archives, an image
 *   tree/    the tree in memory that the source makes and all others use
 *   base/    the base image, which gets a new generation or is packed anew, and
 *            the files that keep their data
 *   plan/    numbers, names, places, bounds of the size: no I/O
 *   digest/  the digest of a source, of which no image is made
 *   data/    reader threads and one writer: checksums, holes, deduplication
 *   meta/    the metadata, which is written behind the data: inode records,
 *            names, indexes and so on
 *   output/  the target, a file or a device; its superblocks are written last
 */
#include <stdlib.h>

#include "base/graft.h"
#include "base/keep_layout.h"
#include "base/worth.h"
#include "bootsector.h"
#include "data/stream.h"
#include "digest/digest.h"
#include "meta/meta.h"
#include "mkfs.h"
#include "output/output.h"
#include "plan/layout.h"
#include "plan/plan.h"
#include "format.h"
#include "msg.h"
#include "parse.h"
#include "progress.h"
#include "report.h"

/* Check that the device is as long as the lower bound of the plan. */
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

/* The digest is that of the image as it can be read now, whatever the source was. */
static int keep_digest(struct meta *m, struct mkfs *mkfs)
{
	const struct digest_request r = { .threads = mkfs->threads, .kind = mkfs->o->digest };
	struct image img = { .path = mkfs->out.path, .fd = mkfs->out.fd };
	struct digest_result result;
	struct dsfs_super sb = m->super;
	struct dsfs_err err;
	int ret = output_settle(&mkfs->out);

	if (ret)
		return ret;
	sb.checksum = cpu_to_le32(dsfs_super_sum(&sb));
	ret = dsfs_super_decode(&sb, 0, &img.slots[0].geo, &err);
	if (ret)
		return ret;
	img.geo = &img.slots[0].geo;
	img.bytes = img.geo->image_bytes;
	ret = digest_image(&img, &r, &result);
	return ret ? ret : meta_keep_digest(m, r.kind, result.sum);
}

static int make_plan(struct mkfs *mkfs, struct plan *plan)
{
	return plan_make(plan, &mkfs->tree, mkfs->o, &mkfs->params, mkfs->start);
}

static int order_tree(struct tree *t)
{
	int ret = tree_order(t);

	if (ret == -EFBIG)
		msg_error(t->source, "too many names: the limit is %llu inodes",
			  (unsigned long long)DSFS_MAX_INODES);
	else if (ret)
		msg_error(NULL, "out of memory");
	return ret;
}

/* Take unreadable files out of the tree, and order it. */
static int prune_tree(struct tree *t)
{
	if (tree_prune(t)) {
		msg_error(NULL, "out of memory");
		return -ENOMEM;
	}
	return order_tree(t);
}

/* The same, and count again. */
static int plan_again(struct mkfs *mkfs, struct plan *plan, u64 gone_before)
{
	if (mkfs->tree.gone == gone_before)
		return 0;
	return prune_tree(&mkfs->tree) ?: make_plan(mkfs, plan);
}

/* A source that is read once: its tree is known when all contents are stored. */
static int build_once(struct stream *s, struct plan *plan)
{
	struct mkfs *mkfs = s->mkfs;
	int ret = feed_data(s);

	if (!ret)
		ret = mkfs->source->ops->end(mkfs->source);
	if (!ret)
		ret = order_tree(&mkfs->tree);
	if (!ret)
		ret = stream_bury(s);
	return ret ? ret : make_plan(mkfs, plan);
}

/*
 * Archives that stay as they are.  Where they lie in the target already, it is not
 * written to before all that can be wrong with them is known.
 */
static int build_placed(struct stream *s, struct plan *plan)
{
	struct mkfs *mkfs = s->mkfs;
	const bool there = options_in_place(mkfs->o);
	struct base *base = mkfs->base;
	int ret = base ? base_tree(mkfs) : 0;

	if (!ret && !there)
		ret = output_open(&mkfs->out, mkfs->start);
	if (!ret)
		ret = placed_data(s);
	if (!ret)
		ret = mkfs->source->ops->end(mkfs->source);
	if (!ret && base)
		ret = base_graft(mkfs);
	if (!ret)
		ret = order_tree(&mkfs->tree);
	if (!ret)
		ret = placed_share(s);
	mkfs->start = s->place.at.end;
	if (!ret)
		ret = make_plan(mkfs, plan);
	if (!ret && base) {
		base->kept_files = plan->kept;
		base->kept_bytes = plan->kept_bytes;
	}
	if (!ret)
		ret = check_room(&mkfs->out, plan, mkfs->o);
	if (!ret && there)
		ret = output_open(&mkfs->out, mkfs->start);
	return ret ? ret : output_begin(&mkfs->out, mkfs->start);
}

/* All contents, from wherever they come. */
static int build_data(struct stream *s, struct plan *plan)
{
	int ret;

	if (s->mkfs->o->tar_index)
		return build_placed(s, plan);
	/* it is open behind an earlier generation */
	ret = s->mkfs->kept.done ? 0 : output_open(&s->mkfs->out, s->mkfs->start);
	if (ret)
		return ret;
	if (source_once(s->mkfs->source))
		return build_once(s, plan);
	if (s->mkfs->o->build == BUILD_COMPACT)
		return copy_data(s);
	ret = order_read(s);
	return ret ? ret : stream_data(s, plan->data,
				       plan->bytes - plan->kept_bytes);
}

/* Take over the layout of the files that keep their content. */
static int take_kept(struct stream *s)
{
	struct mkfs *mkfs = s->mkfs;
	int ret;

	s->stored = s->place.stored - s->dead;
	if (!mkfs->base)
		return 0;
	ret = base_keep_layout(mkfs, &s->chunks, &s->extents);
	s->stored = mkfs->base->stored;
	return ret;
}

static int write_meta(struct meta *m, struct mkfs *mkfs, struct stream *stream)
{
	struct layout layout;
	int ret = layout_make(&layout, &mkfs->tree);

	if (ret)
		msg_error(NULL, "out of memory");
	else
		ret = meta_write(m, mkfs, stream, &layout);
	layout_free(&layout);
	return ret;
}

/* The image itself, which may have got a name of its own in the source, is no change. */
static int recheck(struct mkfs *mkfs)
{
	struct stat st;

	if (!mkfs->out.device && !fstat(mkfs->out.fd, &st)) {
		mkfs->source->image_dev = st.st_dev;
		mkfs->source->image_ino = st.st_ino;
	}
	return source_recheck(mkfs->source);
}

/* All of the image is written but its superblocks. */
static int finish(struct mkfs *mkfs, const struct plan *plan, const struct stream *stream,
		  struct meta *meta)
{
	int ret = recheck(mkfs);

	if (!ret && mkfs->o->digest)
		ret = keep_digest(meta, mkfs);
	if (!ret)
		ret = write_super(meta, &mkfs->out);
	if (!ret)
		report_done(mkfs, plan, stream, meta);
	return ret;
}

static int build(struct mkfs *mkfs, struct plan *plan)
{
	u64 gone = mkfs->tree.gone;
	struct stream *stream = calloc(1, sizeof(*stream));
	struct meta *meta = calloc(1, sizeof(*meta));
	int ret = -ENOMEM;

	if (!stream || !meta || stream_init(stream, mkfs)) {
		msg_error(NULL, "out of memory");
		goto out;
	}
	if (mkfs->o->build == BUILD_COMPACT && !mkfs->kept.list.n) {
		ret = base_worth(mkfs);
		if (ret <= 0)
			goto out;
	}
	ret = build_data(stream, plan);
	if (!ret)
		ret = take_kept(stream);
	if (!ret)
		ret = plan_again(mkfs, plan, gone);
	if (!ret)
		ret = write_meta(meta, mkfs, stream);
	if (!ret && kept_later(&mkfs->kept))
		kept_done(&mkfs->kept, &meta->super, meta->start - mkfs->start);
	else if (!ret)
		ret = finish(mkfs, plan, stream, meta);
	if (ret)
		output_abort(&mkfs->out);
out:
	if (stream)
		stream_free(stream);
	if (meta)
		meta_free(meta);
	free(stream);
	free(meta);
	return ret;
}

/*
 * The option.  Without it an image that is packed anew has what it had; an update leaves the
 * first sector alone.
 */
static bool wants_boot_signature(const struct mkfs *mkfs)
{
	const struct options *o = mkfs->o;
	u8 sector[BOOTSECTOR_BYTES];

	if (o->build == BUILD_UPDATE)
		return false;
	if (o->boot || o->build == BUILD_NEW)
		return o->boot != BOOT_NO;
	return !image_pread(&mkfs->base->img, sector, sizeof(sector), 0) &&
		bootsector_is(sector);
}

/* Open the source and the base image, which is open already if it is the source. */
static int open_inputs(struct mkfs *mkfs)
{
	const struct options *o = mkfs->o;
	int ret;

	switch (o->build) {
	case BUILD_NEW:
		return source_open(&mkfs->source, o, &mkfs->tree, mkfs->threads);
	case BUILD_UPDATE:
		ret = source_open(&mkfs->source, o, &mkfs->tree, mkfs->threads);
		return ret ? ret : base_open(&mkfs->base, mkfs->out.path, o->tar_index);
	case BUILD_COMPACT:
		return source_image(&mkfs->source, o, &mkfs->tree, mkfs->threads, mkfs->base);
	}
	return -EINVAL;
}

/* Decide the parameters, and the places that follow from the base image. */
static void decide(struct mkfs *mkfs)
{
	const struct base *base = mkfs->base;
	struct output *out = &mkfs->out;

	params_decide(&mkfs->params, mkfs->o, base ? base->img.geo : NULL,
		      out->object_bits);
	mkfs->data_start = DSFS_DATA_START_MIN;
	mkfs->start = DSFS_DATA_START_MIN;
	if (base && mkfs->o->build == BUILD_UPDATE) {
		mkfs->data_start = base->img.geo->data_start;
		mkfs->start = base_end(base, options_in_place(mkfs->o) ? 0 :
					     mkfs->params.object_bits);
		out->first_slot = !base->img.use;
	}
	if (mkfs->kept.done)
		mkfs->start = le64_to_cpu(mkfs->kept.super.image_bytes);
	mkfs->added = mkfs->start;
	out->boot_signature = wants_boot_signature(mkfs);
	mkfs->source->image_dev = out->dev;
	mkfs->source->image_ino = out->ino;
}

/* List the source, order its tree, and match it with the base image. */
static int get_tree(struct mkfs *mkfs)
{
	int ret = mkfs->source->ops->list(mkfs->source);

	if (!ret)
		ret = order_tree(&mkfs->tree);
	if (ret || mkfs->o->build != BUILD_UPDATE)
		return ret;
	return base_match(mkfs->base, &mkfs->tree, mkfs->o);
}

/* All files of the source get their sums, and the tree its final form. */
static int sum_contents(struct mkfs *mkfs, struct contents *c)
{
	u64 gone;
	int ret;

	if (source_once(mkfs->source)) {
		ret = contents_feed(c);
		if (!ret)
			ret = mkfs->source->ops->end(mkfs->source);
		if (!ret)
			ret = order_tree(&mkfs->tree);
		return ret ? ret : source_recheck(mkfs->source);
	}
	ret = get_tree(mkfs);
	gone = mkfs->tree.gone;
	if (!ret)
		ret = contents_read(c);
	if (!ret && mkfs->tree.gone != gone)
		ret = prune_tree(&mkfs->tree);
	return ret ? ret : source_recheck(mkfs->source);
}

/* -n --digest: the tree is listed and read as for an image, and nothing is written. */
static int run_digest(struct mkfs *mkfs)
{
	struct digest_result result;
	struct contents c;
	int ret = contents_init(&c, mkfs->source);

	if (!ret)
		ret = sum_contents(mkfs, &c);
	if (!ret)
		ret = digest_tree(&c, &mkfs->tree, mkfs->o->digest, &result);
	if (!ret)
		report_digest(mkfs, &result);
	contents_free(&c);
	return ret;
}

/* Make the image, or the generation that is next. */
static int run_one(struct mkfs *mkfs)
{
	const struct options *o = mkfs->o;
	struct plan plan = { 0 };
	int ret;

	if (tree_init(&mkfs->tree, o->manifest ? o->manifest : o->source)) {
		msg_error(NULL, "out of memory");
		return -ENOMEM;
	}
	ret = open_inputs(mkfs);
	if (ret)
		return ret;
	if (options_digest_alone(o))
		return run_digest(mkfs);
	decide(mkfs);
	if (source_once(mkfs->source))
		return build(mkfs, &plan);
	ret = get_tree(mkfs);
	if (!ret)
		ret = make_plan(mkfs, &plan);
	if (!ret)
		ret = check_room(&mkfs->out, &plan, o);
	if (ret)
		return ret;
	if (o->plan_only) {
		if (o->build == BUILD_COMPACT)
			ret = base_plan(mkfs, &plan);
		if (!ret)
			report_plan(mkfs, &plan);
		return ret;
	}
	return build(mkfs, &plan);
}

/* Free what run_one() has made. */
static void end_one(struct mkfs *mkfs)
{
	source_free(mkfs->source);
	mkfs->source = NULL;
	tree_free(&mkfs->tree);
	memset(&mkfs->tree, 0, sizeof(mkfs->tree));
}

/* Check that the device is large enough for all generations, and that it is worth it. */
static int check_kept(struct mkfs *mkfs)
{
	struct plan plan = { 0 };
	int ret = base_worth(mkfs);

	if (ret <= 0)
		return ret;
	base_bounds(mkfs, &plan);
	ret = check_room(&mkfs->out, &plan, mkfs->o);
	return ret ? ret : 1;
}

/*
 * --keep: make the generations but the newest one, to which label, message and digest of the
 * command line belong.  Return: 1: go on with that; 0: the image stays as it is; -errno.
 */
static int build_earlier(struct mkfs *mkfs)
{
	const struct options *o = mkfs->o;
	struct options plain = *o;
	int ret = check_kept(mkfs);

	if (ret <= 0)
		return ret;
	plain.label_set = false;
	plain.message = NULL;
	plain.digest = DSFS_DIGEST_NONE;
	mkfs->o = &plain;
	ret = kept_next(mkfs);
	while (!ret && kept_later(&mkfs->kept)) {
		ret = run_one(mkfs);
		end_one(mkfs);
		if (!ret)
			ret = kept_next(mkfs);
	}
	mkfs->o = o;
	return ret ? ret : 1;
}

static int run_compact(struct mkfs *mkfs)
{
	int ret = base_open(&mkfs->base, mkfs->o->source, false);

	if (!ret && mkfs->o->keep > 1)
		ret = kept_find(mkfs);
	if (!ret && mkfs->kept.list.n && !mkfs->o->plan_only) {
		ret = build_earlier(mkfs);
		if (ret <= 0)
			return ret;
		ret = 0;
	}
	return ret ? ret : run_one(mkfs);
}

static int run(struct mkfs *mkfs)
{
	int ret = options_digest_alone(mkfs->o) ? 0 : output_check(&mkfs->out, mkfs->o);

	if (ret)
		return ret;
	mkfs->threads = source_threads(mkfs->o->threads);
	ret = mkfs->o->build == BUILD_COMPACT ? run_compact(mkfs) : run_one(mkfs);
	/* build() has done so, unless the error was between two generations */
	if (ret && mkfs->kept.done)
		output_abort(&mkfs->out);
	return ret;
}

int main(int argc, char **argv)
{
	struct options o;
	struct mkfs mkfs = { .o = &o };
	int ret;

	msg_init("mkfs.dsfs", 1);
	ret = options_parse(&o, argc, argv);
	if (ret >= 0) {
		options_free(&o);
		return ret;
	}
	progress_enable(!o.quiet && !o.json);
	if (signals_init()) {
		msg_error(NULL, "cannot start a thread");
		options_free(&o);
		return 1;
	}
	ret = run(&mkfs);
	signals_ignore();
	source_free(mkfs.source);
	base_free(mkfs.base);
	kept_free(&mkfs.kept);
	placemap_free(&mkfs.moved);
	tree_free(&mkfs.tree);
	output_free(&mkfs.out);
	options_free(&o);
	return ret ? 1 : 0;
}
