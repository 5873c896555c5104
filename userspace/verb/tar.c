// SPDX-License-Identifier: GPL-2.0
/* dsfs tar: the tree, or a part of it, as an archive on standard output. */
#include "export.h"
#include "open.h"
#include "status.h"
#include "verb.h"

static const struct arg option_table[] = {
	{ VIEW_VERBOSE },
	{ VIEW_GENERATION },
	{ VIEW_SOURCE },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs tar [options] IMAGE [PATTERN...]\n"
	"Write the tree, or what matches a pattern, to standard output as a tar archive.\n",
	.examples =
	"  dsfs tar train.dsfs >train.tar\n"
	"  dsfs tar train.dsfs 'cats/*.jpg' | tar -t\n",
	.words = "IMAGE", .low = 1,
	.table = option_table,
};

int verb_tar(int argc, char **argv)
{
	struct view_options o = { .bounded = true };

	return view_verb(&command_line, &o, argc, argv, export_tar);
}
