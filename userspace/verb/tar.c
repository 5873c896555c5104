// SPDX-License-Identifier: GPL-2.0
/* dsfs tar: the tree, or a part of it, as an archive on standard output. */
#include "export.h"
#include "open.h"
#include "status.h"
#include "verb.h"

struct tar_options {
	struct view_options view;
	struct filter paths;
};

static const struct arg option_table[] = {
	{ VIEW_VERBOSE(struct tar_options), },
	{ VIEW_GENERATION(struct tar_options), },
	{ VIEW_SOURCE(struct tar_options), },
	{ ARG_HELP },
	{ ARG_VERSION },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs tar [options] IMAGE [PATTERN...]\n"
	"Write the tree, or what matches a pattern, to standard output as a tar archive.\n",
	.wrong = EXIT_USAGE,
	.table = option_table,
};

static int run(struct view *v, struct json *j, void *arg)
{
	struct tar_options *o = arg;

	(void)j;
	return export_tar(v, &o->paths);
}

int verb_tar(int argc, char **argv)
{
	struct tar_options o = { .view.bounded = true };
	int ret = args_words(&command_line, &o, "IMAGE", 1, 0, &argc, argv);

	if (ret >= 0)
		return ret;
	if (filter_take(&o.paths, argv + 1))
		return EXIT_ERROR;
	ret = view_image(argv[0], &o.view, run, &o);
	filter_free(&o.paths);
	return ret;
}
