// SPDX-License-Identifier: GPL-2.0
/* dsfs oci: the image as an artifact for registries. */
#include "export.h"
#include "open.h"
#include "status.h"
#include "verb.h"

struct oci_options {
	struct view_options view;
};

static const struct arg option_table[] = {
	{ VIEW_SOURCE(struct oci_options), },
	{ VIEW_JSON(struct oci_options), },
	{ ARG_HELP },
	{ ARG_VERSION },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs oci [options] IMAGE DIR\n"
	"Make an OCI layout of the image in DIR, which is new, for registries of containers.\n",
	.wrong = EXIT_USAGE,
	.table = option_table,
};

static int run(struct view *v, struct json *j, void *arg)
{
	return export_oci(v, j, arg);
}

int verb_oci(int argc, char **argv)
{
	struct oci_options o = { };
	int ret = args_words(&command_line, &o, "IMAGE and DIR", 2, 2, &argc, argv);

	if (ret >= 0)
		return ret;
	return view_image(argv[0], &o.view, run, argv[1]);
}
