// SPDX-License-Identifier: GPL-2.0
/* dsfs diff: what an update changed. */
#include "diff.h"
#include "open.h"
#include "status.h"
#include "verb.h"

struct diff_options {
	struct view_options view;
};

static const struct arg option_table[] = {
	{ VIEW_SOURCE(struct diff_options), },
	{ VIEW_JSON(struct diff_options), },
	{ ARG_HELP },
	{ ARG_VERSION },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs diff [options] IMAGE [N[..M]]\n"
	"Show what changed from generation N to M, or to the newest; without them: from the one\n"
	"before the newest.\n",
	.wrong = EXIT_USAGE,
	.table = option_table,
};

static int run(struct view *v, struct json *j, void *arg)
{
	return diff_show(v, j, arg);
}

int verb_diff(int argc, char **argv)
{
	struct diff_options o = { };
	struct diff_request r = { };
	int ret = args_words(&command_line, &o, "IMAGE", 1, 2, &argc, argv);

	if (ret >= 0)
		return ret;
	if (argv[1] && diff_parse(argv[1], &r))
		return args_refused(EXIT_USAGE, argv[1], "not one generation or two, as in 1..2");
	return view_image(argv[0], &o.view, run, &r);
}
