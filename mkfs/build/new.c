// SPDX-License-Identifier: GPL-2.0
/*
 * A new image of a source.  A source that is listed is planned before its contents are read.
 * Archives are read once.  Their tree is known when all contents are stored; only then is it known
 * which contents have no name any more.
 */
#include "../options/rows.h"
#include "build.h"
#include "msg.h"
#include "part.h"

static int store_listed(struct run *r)
{
	int ret = step_list(r) ?: step_plan(r) ?: step_bounds(r) ?: step_stop_dry(r);

	if (ret)
		return ret;
	step_prepare(r);
	return step_open_target(r) ?: step_store(r) ?: step_plan_again(r);
}

static int store_once(struct run *r)
{
	step_prepare(r);
	return step_open_target(r) ?: feed_data(&r->stream) ?: step_end_source(r) ?:
	       tree_order(&r->tree) ?: dead_data(&r->store) ?: step_plan(r);
}

/* No file crosses objects of the target, in which a part may begin anywhere. */
static int check_objects(const struct run *r)
{
	const u64 unit = 1ULL << r->draft.object_bits;

	if (!(r->out.at & (unit - 1)))
		return 0;
	return msg_fail(-EINVAL, r->out.path, "begins inside an object of %llu bytes", unit);
}

static int store_files(struct run *r)
{
	int ret;

	draft_new(r);
	ret = check_objects(r) ?: draft_codec(r) ?:
	      (source_once(r->source) ? store_once(r) : store_listed(r));
	if (ret)
		return ret;
	patterns_unused(&r->o->pack.except, "compress=none");
	r->store.figures.stored = r->store.place.stored - r->store.figures.dead;
	return step_complete(r);
}

static int run(struct run *r)
{
	const struct options *o = r->o;
	const struct target target = target_of(o);

	return (options_in_place(o) ? output_check_archives(&r->out, &target) :
				      output_check_new(&r->out, &target, NULL)) ?:
	       step_open_source(r) ?: (o->tar_index ? build_index(r) : store_files(r));
}

#define CHUNK_BITS	15
#define SMALL_BITS	18
/* Archives and their members both have checksums, so chunks are larger: Documentation/shards.rst */
#define TAR_INDEX_CHUNK_BITS	18

static const struct arg align_words[] = {
	WORD_OBJECT,
	{ ARG_BITS(struct options, align_bits, DSFS_ALIGN_BITS_MIN, DSFS_ALIGN_BITS_MAX),
	  ARG_GIVEN(struct options, align_set) },
	{ }
};

static const struct arg chunk_words[] = {
	{ .name = "none", ARG_FLAG(struct options, no_checksums) },
	{ .name = "small", .value = "SIZE", .word = "none",
	  ARG_BITS(struct options, small_bits, DSFS_CHUNK_BITS_MIN + 1, DSFS_CHUNK_BITS_MAX),
	  ARG_GIVEN(struct options, small_set) },
	{ .name = "large", .value = "SIZE", .word = "none",
	  ARG_BITS(struct options, large_bits, DSFS_CHUNK_BITS_MIN, DSFS_CHUNK_BITS_MAX) },
	{ ARG_BITS(struct options, chunk_bits, DSFS_CHUNK_BITS_MIN, DSFS_CHUNK_BITS_MAX) },
	{ }
};

static const struct arg option_table[] = {
	{ ROW_LABEL },
	{ ROW_MESSAGE },
	{ ROW_DIGEST },
	{ 'U', "uuid", "UUID", "volume UUID (default: random, or with -T from the content)",
	  .set = arg_uuid, .to = ARG_TO(u8, struct options, uuid[0]),
	  ARG_GIVEN(struct options, uuid_set) },
	{ ROW_TIME },
	{ ROW_ALL_ROOT },
	{ ROW_XATTRS_EXCLUDE },
	{ ROW_EXCLUDE, .not = "manifest; tar; tar-index" },
	{ ROW_ONE_FS, .not = "manifest; tar; tar-index" },
	{ ROW_ALLOW },
	{ ROW_MANIFEST, .not = "tar; tar-index" },
	{ ROW_TAR },
	{ ROW_WDS },
	{ ROW_TAR_INDEX },
	{ ROW_ORDER, .not = "tar: data has its order; tar-index" },
	{ 0, "align", "SIZE,object=SIZE",
	  "alignment of files, 512 to 2M (4K); they do not cross objects of SIZE, 64K to 1G",
	  ARG_PARTS(align_words) },
	{ 0, "chunk-size", "SIZE,small=SIZE,large=SIZE",
	  "bytes a checksum covers (32K): of files up to small (256K) one, above 1M others",
	  ARG_PARTS(chunk_words) },
	{ ROW_NO_DEDUP, .not = "tar-index" },
	{ ROW_COMPRESS, .not = "tar-index: archives stay as they are" },
	{ ROW_THREADS },
	{ ROW_MEMORY },
	{ 'f', "force", NULL, "overwrite an image, or a device in use",
	  ARG_FLAG(struct options, force) },
	{ ROW_DRY_RUN, .not = "tar: tar is read once; tar-index" },
	{ ROW_QUIET },
	{ 'v', "verbose", NULL, "say more", ARG_FLAG(struct options, verbose) },
	{ ROW_JSON },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: mkfs.dsfs [options] IMAGE SOURCE\n"
	"       mkfs.dsfs [options] --manifest=FILE IMAGE [SOURCE]\n"
	"       mkfs.dsfs [options] --tar=FILE... IMAGE\n"
	"       mkfs.dsfs [options] --tar-index [--tar=FILE...] IMAGE\n"
	"Pack the directory SOURCE, or what the lines of a manifest say, or the members of\n"
	"tar archives, into a DSFS image, a file or a block device.\n",
	.more =
	"Lines of a manifest are JSON objects:\n"
	"  {\"path\":\"/train/a.jpg\",\"mode\":\"0644\",\"mtime\":\"1600000000.5\",\"source\":\"dir/a.jpg\"}\n"
	"  {\"path\":\"/train/b.jpg\",\"source\":\"archive.tar\",\"offset\":512,\"size\":12345}\n"
	"  {\"path\":\"/link\",\"type\":\"symlink\",\"target\":\"train\"}\n"
	"  {\"path\":\"/more\",\"type\":\"link\",\"target\":\"/train/b.jpg\"}\n"
	"  {\"path\":\"/dev/sda\",\"type\":\"block\",\"major\":8,\"minor\":0}\n"
	"  {\"path\":\"/c.jpg\",\"source\":\"c.jpg\",\"xattrs\":{\"user.a\":\"00ff\"}}\n"
	"  {\"default\":{\"uid\":1000,\"mode\":\"0640\",\"dirmode\":\"0750\"}}\n"
	"\n"
	"Exit: 0 done, 1 failed (and no image is left), 2 wrong usage.\n",
	.table = option_table,
};

/* A small file is one chunk, so it says nothing if chunks are as large. */
static int settle_chunks(struct options *o)
{
	const bool small = o->small_set && o->small_bits;

	if (o->no_checksums && (o->chunk_bits || small || o->large_bits))
		return args_wrong(EXIT_USAGE, "--chunk-size: none and a size do not go together");
	if (!o->chunk_bits)
		o->chunk_bits = o->tar_index ? TAR_INDEX_CHUNK_BITS : CHUNK_BITS;
	if (o->no_checksums)
		o->chunk_bits = 0;
	if (small && o->small_bits <= o->chunk_bits)
		return args_wrong(EXIT_USAGE,
				  "--chunk-size=small: %llu: chunks have %llu bytes, it must be more",
				  1ULL << o->small_bits, 1ULL << o->chunk_bits);
	/* larger chunks leave nothing for the default to say, as none do */
	if (!o->small_set)
		o->small_bits = o->chunk_bits && o->chunk_bits < SMALL_BITS ? SMALL_BITS : 0;
	return 0;
}

static int settle(struct options *o, int n, char **args)
{
	u64 at, room = 0;

	if (o->tar_index && n && part_parse(args[0], &at, &room) && room)
		return args_wrong(EXIT_USAGE, "--tar-index: archives in place are no part");
	if (o->tar_index && o->align_set)
		return args_wrong(EXIT_USAGE, "--align=SIZE and --tar-index do not go together");
	if (!o->align_set)
		o->align_bits = o->tar_index ? DSFS_ALIGN_BITS_MIN : DSFS_BLOCK_BITS;
	if ((o->pack.except.n || o->pack.most) && !o->pack.given)
		return args_wrong(EXIT_USAGE, "--compress=none: and what: a codec is needed, too");
	return settle_chunks(o) ?: check_source(o) ?: take_share(o, args) ?:
	       take_image_source(o, n, args);
}

const struct recipe recipe_new = { "mkfs.dsfs", &command_line, settle, run };
