// SPDX-License-Identifier: GPL-2.0
/* dsfs oci: the image as an artifact for registries. */
#include "export.h"
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
	"Usage: dsfs oci [options] IMAGE DIR\n"
	"Make an OCI layout of the image in DIR, which is new, for registries of containers.\n",
	.examples =
	"  dsfs oci train.dsfs artifact\n"
	"  dsfs oci --json train.dsfs artifact.new\n",
	.words = "IMAGE and DIR", .low = 2, .high = 2,
	.table = option_table,
};

int verb_oci(int argc, char **argv)
{
	struct view_options o = { };

	return view_verb(&command_line, &o, argc, argv, export_oci);
}
