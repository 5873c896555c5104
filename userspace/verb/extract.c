// SPDX-License-Identifier: GPL-2.0
/* dsfs extract: the tree, or a part of it, as files. */
#include "export.h"
#include "open.h"
#include "status.h"
#include "verb.h"

/**
 * struct extract_options - the command line
 * @resume: what is in the directory may be of a run that was cut off
 */
struct extract_options {
	struct view_options view;
	bool resume;
};

static const struct arg option_table[] = {
	{ 0, "resume", NULL, "go on where a run was cut off",
	  ARG_FLAG(struct extract_options, resume) },
	{ VIEW_VERBOSE },
	{ VIEW_GENERATION },
	{ VIEW_SOURCE },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs extract [options] IMAGE DIR [PATTERN...]\n"
	"Restore the tree, or what matches a pattern, into DIR, which is new or empty.\n",
	.examples =
	"  dsfs extract train.dsfs photos.new\n"
	"  dsfs extract train.dsfs cats 'cats/*.jpg'\n",
	.words = "IMAGE and DIR", .low = 2,
	.table = option_table,
};

static int run(struct view *v, struct json *j, void *arg)
{
	struct extract_options *o = arg;

	return export_files(v, o->view.words[0], &o->view.paths, o->resume);
}

int verb_extract(int argc, char **argv)
{
	struct extract_options o = { .view.bounded = true };

	return view_verb(&command_line, &o.view, argc, argv, run);
}
