// SPDX-License-Identifier: GPL-2.0
/* dsfs shards: the files as a WebDataset. */
#include "export.h"
#include "open.h"
#include "status.h"
#include "verb.h"

struct shards_options {
	struct view_options view;
	struct shards_request shards;
	struct filter paths;
};

static const struct arg option_table[] = {
	{ 0, "size", "SIZE", "bytes of a shard (1G)",
	  ARG_SIZE(struct shards_options, shards.size) },
	{ 0, "samples", "N", "samples of a shard (any number)",
	  ARG_NUMBER(struct shards_options, shards.samples, 1, 0) },
	{ 0, "order", "FILE", "keys or paths of samples that come first; - is standard input",
	  ARG_TEXT(struct shards_options, shards.order, 0), .once = true },
	{ '0', "null", NULL, "entries of FILE end with NUL, not newline",
	  ARG_FLAG(struct shards_options, shards.null), .only = "order" },
	{ VIEW_VERBOSE(struct shards_options), },
	{ VIEW_GENERATION(struct shards_options), },
	{ VIEW_SOURCE(struct shards_options), },
	{ VIEW_JSON(struct shards_options), },
	{ ARG_HELP },
	{ ARG_VERSION },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs shards [options] IMAGE PREFIX [PATTERN...]\n"
	"Write the files, or what matches a pattern, as shards of a WebDataset:\n"
	"PREFIX-000000.tar, ...\n",
	.wrong = EXIT_USAGE,
	.table = option_table,
};

static int run(struct view *v, struct json *j, void *arg)
{
	struct shards_options *o = arg;

	return export_shards(v, j, &o->shards, &o->paths);
}

int verb_shards(int argc, char **argv)
{
	struct shards_options o = { .view.bounded = true };
	int ret = args_words(&command_line, &o, "IMAGE and PREFIX", 2, 0, &argc, argv);

	if (ret >= 0)
		return ret;
	if (filter_take(&o.paths, argv + 2))
		return EXIT_ERROR;
	o.shards.prefix = argv[1];
	ret = view_image(argv[0], &o.view, run, &o);
	filter_free(&o.paths);
	return ret;
}
