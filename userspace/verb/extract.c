// SPDX-License-Identifier: GPL-2.0
/* dsfs extract: the tree, or a part of it, as files. */
#include "export.h"
#include "open.h"
#include "status.h"
#include "verb.h"

/**
 * struct extract_options - the command line
 * @resume: what is in @dir may be of a run that was cut off
 */
struct extract_options {
	struct view_options view;
	struct filter paths;
	const char *dir;
	bool resume;
};

static const struct arg option_table[] = {
	{ 0, "resume", NULL, "go on where a run was cut off",
	  ARG_FLAG(struct extract_options, resume) },
	{ VIEW_VERBOSE(struct extract_options), },
	{ VIEW_GENERATION(struct extract_options), },
	{ VIEW_SOURCE(struct extract_options), },
	{ ARG_HELP },
	{ ARG_VERSION },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs extract [options] IMAGE DIR [PATTERN...]\n"
	"Restore the tree, or what matches a pattern, into DIR, which is new or empty.\n",
	.wrong = EXIT_USAGE,
	.table = option_table,
};

static int run(struct view *v, struct json *j, void *arg)
{
	struct extract_options *o = arg;

	(void)j;
	return export_files(v, o->dir, &o->paths, o->resume);
}

int verb_extract(int argc, char **argv)
{
	struct extract_options o = { .view.bounded = true };
	int ret = args_words(&command_line, &o, "IMAGE and DIR", 2, 0, &argc, argv);

	if (ret >= 0)
		return ret;
	if (filter_take(&o.paths, argv + 2))
		return EXIT_ERROR;
	o.dir = argv[1];
	ret = view_image(argv[0], &o.view, run, &o);
	filter_free(&o.paths);
	return ret;
}
