// SPDX-License-Identifier: GPL-2.0
/* dsfs join: parts that lie in a target become one image. */
#include "change_rows.h"
#include "join.h"
#include "json.h"
#include "status.h"
#include "verb.h"

struct join_options {
	struct change change;
	bool force;
};

static const struct arg option_table[] = {
	{ 'f', "force", NULL, "overwrite the superblocks of an image that TARGET is",
	  ARG_FLAG(struct join_options, force) },
	{ CHANGE_COMMON },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs join [options] TARGET PART[=FOLDER]...\n"
	"Make one image of the parts that mkfs.dsfs has written to ranges of TARGET.  Their data\n"
	"stays where it is.  All that is in a PART=FOLDER is below that folder.\n",
	.more = "\nExit: 0 done, 1 failed (and the parts are as they were), 2 wrong usage.\n",
	.examples =
	"  dsfs join packed.dsfs packed.dsfs@1G packed.dsfs@2G\n"
	"  dsfs join -m 'of two machines' packed.dsfs packed.dsfs@{1,2}G\n",
	.words = "TARGET and PART", .low = 2,
	.table = option_table,
};

static void report(const struct join_image *made, bool as_json)
{
	struct json json, *j = json_report(&json, as_json);

	json_show_u64(j, "generation", "generation %llu: ",
		      le64_to_cpu(made->meta.super.generation));
	json_show_u64(j, "parts", "parts %llu, ", made->parts.n);
	change_report_made(j, &made->meta);
	json_end(j);
}

int verb_join(int argc, char **argv)
{
	struct join_options o = { };
	const struct change *c = &o.change;
	struct join_image j;
	int ret = args_parse(&command_line, &o, &argc, argv);

	if (ret >= 0)
		return ret;
	ret = joined_open(&j, argv[0], c->memory, o.force) ?: joined_make(&j, argv + 1, c);
	if (!ret && (c->json || !c->quiet))
		report(&j, c->json);
	joined_end(&j, ret);
	return ret ? EXIT_ERROR : EXIT_OK;
}
