// SPDX-License-Identifier: GPL-2.0
/* dsfs manifest: what mkfs.dsfs needs to make the image again, beside a copy of its files. */
#include "export.h"
#include "open.h"
#include "status.h"
#include "verb.h"

struct manifest_options {
	struct view_options view;
};

static const struct arg option_table[] = {
	{ VIEW_GENERATION(struct manifest_options), },
	{ VIEW_SOURCE(struct manifest_options), },
	{ ARG_HELP },
	{ ARG_VERSION },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs manifest [options] IMAGE\n"
	"Print a manifest for mkfs.dsfs: JSON, one object a line.\n",
	.wrong = EXIT_USAGE,
	.table = option_table,
};

static int run(struct view *v, struct json *j, void *arg)
{
	(void)j;
	(void)arg;
	return export_manifest(v);
}

int verb_manifest(int argc, char **argv)
{
	struct manifest_options o = { };
	int ret = args_words(&command_line, &o, "IMAGE", 1, 1, &argc, argv);

	if (ret >= 0)
		return ret;
	return view_image(argv[0], &o.view, run, NULL);
}
