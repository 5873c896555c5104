// SPDX-License-Identifier: GPL-2.0
/*
 * A run: the recipe that the options ask for, and the end of what it has made.
 */
#include "build.h"
#include "msg.h"
#include "unpack.h"

static int (*recipe(const struct options *o))(struct run *r)
{
	if (options_digest_alone(o))
		return build_digest;
	if (o->tar_index)
		return build_index;
	return o->build == BUILD_NEW ? build_new :
	       o->build == BUILD_UPDATE ? build_update : build_compact;
}

/* A codec whose library this build lacks could be neither written nor read. */
static int check_codec(const struct options *o)
{
	if (!o->pack.codec || unpack_has(o->pack.codec))
		return 0;
	msg_error(NULL, "--compress: this build does not have %s",
		  o->pack.codec == DSFS_CODEC_ZSTD ? "zstd" : "lz4");
	return -EOPNOTSUPP;
}

int build_run(const struct options *o)
{
	struct run r = { .o = o, .threads = source_threads(o->limits.threads) };
	int ret = check_codec(o) ?: run_begin_generation(&r) ?: recipe(o)(&r);

	if (ret < 0)
		output_abort(&r.out);
	signals_ignore();
	run_end_generation(&r);
	base_free(r.base);
	retained_free(&r.retained);
	table_free(&r.copied);
	output_free(&r.out);
	return ret < 0;
}
