// SPDX-License-Identifier: GPL-2.0
/* dsfs label: what tune2fs(8) does, as a generation of the same tree. */
#include "args.h"
#include "behind.h"
#include "msg.h"
#include "regenerate.h"
#include "status.h"
#include "verb.h"

struct label_options {
	const char *message;
	u8 uuid[16];
	bool uuid_set;
	bool quiet;
};

static const struct arg option_table[] = {
	{ 'm', "message", "TEXT", "what the generation is, up to 1024 bytes",
	  ARG_TEXT(struct label_options, message, DSFS_MESSAGE_MAX) },
	{ 'U', "uuid", "UUID", "another UUID; random or clear",
	  .set = arg_uuid, .to = ARG_TO(u8, struct label_options, uuid[0]),
	  ARG_GIVEN(struct label_options, uuid_set) },
	{ 'q', "quiet", NULL, "no report", ARG_FLAG(struct label_options, quiet) },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs label IMAGE\n"
	"       dsfs label [options] IMAGE [TEXT]\n"
	"Print the label of an image, or make a generation of the same tree with another\n"
	"label, message or UUID.\n",
	.more = "\nExit: 0 done, 1 failed (and the image is as it was), 2 wrong usage.\n",
	.examples =
	"  dsfs label train.dsfs\n"
	"  dsfs label train.dsfs flowers\n",
	.words = "IMAGE", .low = 1, .high = 2,
	.table = option_table,
};

static int print_label(const char *path)
{
	char text[4 * DSFS_LABEL_MAX + 1];
	struct image img;

	if (image_open_at(&img, path, NULL))
		return EXIT_ERROR;
	image_report_slots(&img);
	if (img.geo)
		puts(msg_escape(text, sizeof(text), (const char *)img.geo->label));
	image_close(&img);
	return img.geo ? EXIT_OK : EXIT_ERROR;
}

static int change(const char *path, const char *label, const struct label_options *o)
{
	struct regenerate g;
	int ret = regenerate_open(&g, path) ?: regenerate_tree(&g, g.img.geo->generation);

	if (!ret && label)
		regenerate_label(&g, label);
	if (!ret && o->message)
		note_message(&g.note, o->message);
	if (!ret && o->uuid_set)
		memcpy(g.super.uuid, o->uuid, sizeof(g.super.uuid));
	if (!ret)
		ret = regenerate_write(&g);
	return regenerate_end(&g, ret, o->quiet);
}

int verb_label(int argc, char **argv)
{
	struct label_options o = { 0 };
	int ret = args_parse(&command_line, &o, &argc, argv);

	if (ret >= 0)
		return ret;
	if (argc == 2 && strlen(argv[1]) > DSFS_LABEL_MAX)
		return args_wrong(EXIT_USAGE, "label: %zu bytes: the limit is %d",
				  strlen(argv[1]), DSFS_LABEL_MAX);
	if (argc == 1 && !o.message && !o.uuid_set)
		return print_label(argv[0]);
	return change(argv[0], argv[1], &o);
}
