// SPDX-License-Identifier: GPL-2.0
/*
 * A run: the recipe that the options ask for, and the end of what it has made.
 */
#include "build.h"
#include "memory.h"

#define RUN_BYTES	(4ULL << 20)	/* programs and libraries, buffers of any run */
#define THREAD_BYTES	(1024ULL << 10)
#define CODEC_BYTES	(8ULL << 20)	/* of each thread that compresses */
#define CODEC_SHARE	4

/* An image does not depend on the number of threads, and codecs need more than what reads. */
static unsigned int threads_for(const struct options *o)
{
	const u64 most = o->pack.codec ? o->limits.memory / CODEC_SHARE / CODEC_BYTES : U32_MAX;
	const unsigned int n = source_threads(o->limits.threads);

	return n <= most ? n : most ? most : 1;
}

/* What does not grow with the number of files is not counted, so it is taken off before. */
static void limit_memory(const struct options *o, unsigned int threads, bool base)
{
	const u64 memory = o->limits.memory;
	const u64 other = RUN_BYTES + WINDOW_BYTES + ring_bytes(memory) +
			  (base ? base_cache(memory) : 0) +
			  threads * (THREAD_BYTES + (base || o->pack.codec ? CODEC_BYTES : 0));

	memory_limit(memory > other ? memory - other : 0);
}

int build_run(const struct recipe *recipe, const struct options *o)
{
	struct run r = { .o = o, .recipe = recipe, .threads = threads_for(o) };
	int ret;

	limit_memory(o, r.threads, recipe != &recipe_new && recipe != &recipe_digest);
	ret = run_begin_generation(&r) ?: recipe->run(&r);

	if (ret < 0)
		output_abort(&r.out);
	signals_ignore();
	run_end_generation(&r);
	base_free(r.base);
	array_free(&r.retained.list);
	array_free(&r.retained.dropped);
	table_free(&r.copied);
	output_free(&r.out);
	return ret < 0;
}
