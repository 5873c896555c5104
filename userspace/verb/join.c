// SPDX-License-Identifier: GPL-2.0
/* dsfs join: parts that lie in a target become one image. */
#include "join.h"
#include "json.h"
#include "msg.h"
#include "status.h"
#include "verb.h"

struct join_options {
	const char *message;
	u64 memory;
	bool force;
	bool quiet;
	bool json;
};

static const struct arg option_table[] = {
	{ 'm', "message", "TEXT", "what the image is, up to 1024 bytes",
	  ARG_TEXT(struct join_options, message, DSFS_MESSAGE_MAX) },
	{ 0, "memory", "SIZE", "of the run; what exceeds it is in TMPDIR (default: a half)",
	  ARG_SIZE(struct join_options, memory) },
	{ 'f', "force", NULL, "overwrite the superblocks of an image that TARGET is",
	  ARG_FLAG(struct join_options, force) },
	{ 'q', "quiet", NULL, "no report", ARG_FLAG(struct join_options, quiet) },
	{ 0, "json", NULL, "report as JSON", ARG_FLAG(struct join_options, json) },
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
	const struct dsfs_super *super = &made->meta.super;
	struct json json, *j = json_report(&json, as_json);

	json_show_u64(j, "generation", "generation %llu: ", le64_to_cpu(super->generation));
	json_show_u64(j, "parts", "parts %llu, ", made->parts.n);
	json_show_u64(j, "files", "files %llu, ", le64_to_cpu(super->files));
	json_show_u64(j, "directories", "directories %llu\n", made->tree.ndirs);
	json_show_size(j, "written_meta_bytes", "written %s of metadata, ",
		       le64_to_cpu(super->meta_bytes));
	json_show_size(j, "image_bytes", "image %s\n", le64_to_cpu(super->image_bytes));
	json_end(j);
}

int verb_join(int argc, char **argv)
{
	struct join_options o = { };
	struct join_image j;
	int ret = args_parse(&command_line, &o, &argc, argv);

	if (ret >= 0)
		return ret;
	ret = joined_open(&j, argv[0], o.memory, o.force) ?: joined_make(&j, argv + 1, o.message);
	if (!ret && (o.json || !o.quiet))
		report(&j, o.json);
	joined_end(&j, ret);
	return ret ? EXIT_ERROR : EXIT_OK;
}
