// SPDX-License-Identifier: GPL-2.0
/* dsfs shards: the files as a WebDataset. */
#include "export.h"
#include "open.h"
#include "status.h"
#include "verb.h"

struct shards_options {
	struct view_options view;
	struct shards_request shards;
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
	{ VIEW_VERBOSE },
	{ VIEW_GENERATION },
	{ VIEW_SOURCE },
	{ VIEW_JSON },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs shards [options] IMAGE PREFIX [PATTERN...]\n"
	"Write the files, or what matches a pattern, as shards of a WebDataset:\n"
	"PREFIX-000000.tar, ...\n",
	.examples =
	"  dsfs shards train.dsfs train\n"
	"  dsfs shards --size=256M train.dsfs cats 'cats/*.jpg'\n",
	.words = "IMAGE and PREFIX", .low = 2,
	.table = option_table,
};

static int run(struct view *v, struct json *j, void *arg)
{
	struct shards_options *o = arg;

	o->shards.prefix = o->view.words[0];
	return export_shards(v, j, &o->shards, &o->view.paths);
}

int verb_shards(int argc, char **argv)
{
	struct shards_options o = { .view.bounded = true };

	return view_verb(&command_line, &o.view, argc, argv, run);
}
