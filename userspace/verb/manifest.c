// SPDX-License-Identifier: GPL-2.0
/* dsfs manifest: what mkfs.dsfs needs to make the image again, beside a copy of its files. */
#include "export.h"
#include "open.h"
#include "status.h"
#include "verb.h"

static const struct arg option_table[] = {
	{ VIEW_GENERATION },
	{ VIEW_SOURCE },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs manifest [options] IMAGE\n"
	"Print a manifest for mkfs.dsfs: JSON, one object a line.\n",
	.examples =
	"  dsfs manifest train.dsfs >train.list\n"
	"  dsfs manifest --generation=1 train.dsfs\n",
	.words = "IMAGE", .low = 1, .high = 1,
	.table = option_table,
};

int verb_manifest(int argc, char **argv)
{
	struct view_options o = { };

	return view_verb(&command_line, &o, argc, argv, export_manifest);
}
