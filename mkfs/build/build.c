// SPDX-License-Identifier: GPL-2.0
/*
 * A run: the recipe that the options ask for, and the end of what it has made.
 */
#include "build.h"

static int (*recipe(const struct options *o))(struct run *r)
{
	if (options_digest_alone(o))
		return build_digest;
	if (o->tar_index)
		return build_index;
	return o->build == BUILD_NEW ? build_new :
	       o->build == BUILD_UPDATE ? build_update : build_compact;
}

int build_run(const struct options *o)
{
	struct run r = { .o = o, .threads = source_threads(o->limits.threads) };
	int ret = run_begin_generation(&r) ?: recipe(o)(&r);

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
