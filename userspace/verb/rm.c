// SPDX-License-Identifier: GPL-2.0
/* dsfs rm: a generation without some names. */
#include "change_rows.h"
#include "verb.h"

static const struct arg option_table[] = {
	{ CHANGE_RECURSIVE },
	{ CHANGE_FROM },
	{ CHANGE_TOUCH },
	{ CHANGE_COMMON },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs rm [options] IMAGE PATTERN...\n"
	"       dsfs rm [options] --from=FILE IMAGE [PATTERN...]\n"
	"Make a generation of the image without what matches a pattern or is in a list.\n",
	.more = CHANGE_EXIT,
	.examples =
	"  dsfs rm train.dsfs 'cats/1*.jpg'\n"
	"  dsfs rm -r -m 'no cats' train.dsfs cats\n",
	.words = "IMAGE", .low = 1,
	.table = option_table,
};

int verb_rm(int argc, char **argv)
{
	static const struct change_verb verb = {
		&command_line, NULL, change_paths, .path = change_remove,
	};

	return change_verb(&verb, argc, argv);
}
