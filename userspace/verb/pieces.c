// SPDX-License-Identifier: GPL-2.0
/* dsfs pieces: the image as pieces and their list. */
#include "export.h"
#include "open.h"
#include "status.h"
#include "verb.h"
#include "work.h"

#define SIZE_LEAST	65536

/**
 * struct pieces_options - the command line
 * @unused: names of pieces are asked for, and no image is given
 */
struct pieces_options {
	struct view_options view;
	struct pieces_request pieces;
	bool unused;
};

static const struct arg option_table[] = {
	{ 0, "size", "SIZE", "bytes that a piece may have, from 64K on (4G)",
	  ARG_SIZE(struct pieces_options, pieces.size) },
	{ 0, "each", "COMMAND",
	  "pipe each into this, by a shell, %n being its name, and put none in DIR",
	  ARG_TEXT(struct pieces_options, pieces.each, 0), .once = true },
	{ 0, "name", "NAME", "the list is NAME.list (that of IMAGE without .dsfs)",
	  ARG_TEXT(struct pieces_options, pieces.name, 200), .once = true },
	{ 'j', "jobs", "N", "pieces at a time, 1 to 1024 (4)",
	  ARG_NUMBER(struct pieces_options, pieces.jobs, 1, WORK_JOBS_MAX) },
	{ 0, "unused", NULL, "print the names of pieces in DIR that no list there needs",
	  ARG_FLAG(struct pieces_options, unused), .not = "size; each; name; jobs; source; json" },
	{ VIEW_SOURCE },
	{ VIEW_JSON },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs pieces [options] IMAGE DIR\n"
	"       dsfs pieces --unused DIR\n"
	"Write the image into DIR as pieces, which are named by their SHA-256, and put a list of them\n"
	"last, by which the image is read.  What a list there has already is not put again.\n",
	.examples =
	"  dsfs pieces train.dsfs published\n"
	"  dsfs pieces --size=64M --each='cat >/tmp/%n' train.dsfs lists\n",
	.words = "DIR", .low = 1, .high = 2,
	.table = option_table,
};

static int run(struct view *v, struct json *j, void *arg)
{
	struct pieces_options *o = arg;

	return export_pieces(v, j, &o->pieces);
}

int verb_pieces(int argc, char **argv)
{
	struct pieces_options o = { .pieces = { .size = PIECES_SIZE, .jobs = PIECES_JOBS } };
	int ret = args_parse(&command_line, &o, &argc, argv);

	if (ret >= 0)
		return ret;
	if (!o.unused && argc < 2)
		return args_wrong(EXIT_USAGE, "IMAGE and DIR are needed");
	if (o.unused && argc > 1)
		return args_refused(EXIT_USAGE, argv[1], "one argument too many");
	if (o.unused)
		return export_unused(argv[0]) ? EXIT_ERROR : EXIT_OK;
	if (o.pieces.size < SIZE_LEAST)
		return args_wrong(EXIT_USAGE, "--size: %llu bytes: at least %d", o.pieces.size,
				  SIZE_LEAST);
	o.pieces.dir = argv[1];
	return view_image(argv[0], &o.view, run, &o);
}
