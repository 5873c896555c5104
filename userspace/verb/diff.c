// SPDX-License-Identifier: GPL-2.0
/* dsfs diff: what an update changed. */
#include "diff.h"
#include "open.h"
#include "status.h"
#include "verb.h"

static const struct arg option_table[] = {
	{ VIEW_SOURCE },
	{ VIEW_JSON },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs diff [options] IMAGE [N[..M]]\n"
	"Show what changed from generation N to M, or to the newest; without them: from the one\n"
	"before the newest.\n",
	.examples =
	"  dsfs diff train.dsfs\n"
	"  dsfs diff --json train.dsfs 1..2\n",
	.words = "IMAGE", .low = 1, .high = 2,
	.table = option_table,
};

static int run(struct view *v, struct json *j, void *arg)
{
	return diff_show(v, j, arg);
}

int verb_diff(int argc, char **argv)
{
	struct view_options o = { };
	struct diff_request r = { };
	int ret = args_parse(&command_line, &o, &argc, argv);

	if (ret >= 0)
		return ret;
	if (argv[1] && diff_parse(argv[1], &r))
		return args_refused(EXIT_USAGE, argv[1], "not one generation or two, as in 1..2");
	return view_image(argv[0], &o, run, &r);
}
