// SPDX-License-Identifier: GPL-2.0
/* dsfs subset: a generation of nothing but the names of a list. */
#include "change_rows.h"
#include "verb.h"

static const struct arg option_table[] = {
	{ CHANGE_FROM },
	{ 0, "to", "NAME", "of a list of pieces: leave it, and put NAME.list beside it",
	  ARG_TEXT(struct change, to, 200) },
	{ CHANGE_COMMON },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs subset [options] --from=FILE IMAGE\n"
	"       dsfs subset [options] IMAGE PATTERN...\n"
	"Make a generation of the image that has nothing but what is in a list or matches a\n"
	"pattern, with the directories above it.\n",
	.more = CHANGE_EXIT,
	.examples =
	"  printf 'cats\\n' | dsfs subset --from=- train.dsfs\n"
	"  dsfs subset -m 'cats alone' train.dsfs cats\n",
	.words = "IMAGE", .low = 1,
	.table = option_table,
};

static int keep_path(struct edit *e, struct change *c, const char *path)
{
	return edit_keep(e, path);
}

int verb_subset(int argc, char **argv)
{
	static const struct change_verb verb = {
		&command_line, NULL, change_paths, .path = keep_path,
	};

	return change_verb(&verb, argc, argv);
}
