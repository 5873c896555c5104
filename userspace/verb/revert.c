// SPDX-License-Identifier: GPL-2.0
/* dsfs revert: an older generation becomes the newest again, after an update that was wrong. */
#include "args.h"
#include "behind.h"
#include "imagemsg.h"
#include "msg.h"
#include "parse.h"
#include "regenerate.h"
#include "status.h"
#include "verb.h"

struct revert_options {
	const char *message;
	bool quiet;
};

static const struct arg option_table[] = {
	{ 'm', "message", "TEXT",
	  "of the new generation, up to 1024 bytes (default: revert to generation N: and its own)",
	  ARG_TEXT(struct revert_options, message, DSFS_MESSAGE_MAX) },
	{ 'q', "quiet", NULL, "no report", ARG_FLAG(struct revert_options, quiet) },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs revert [options] IMAGE [N]\n"
	"Make the generation before the newest one, or generation N, the newest again: as a new\n"
	"generation, of the same tree.  All others stay.\n",
	.more = "\nExit: 0 done, 1 failed (and the image is as it was), 2 wrong usage.\n",
	.examples =
	"  dsfs revert train.dsfs\n"
	"  dsfs revert train.dsfs 1\n",
	.words = "IMAGE", .low = 1, .high = 2,
	.table = option_table,
};

/* @n: the generation to take; 0: the one before.  Messages are written.  Return: 0 or -errno. */
static int choose(const struct regenerate *g, u64 *n)
{
	const u64 last = g->img.geo->generation;
	struct dsfs_slot older = { 0 };
	int ret;

	if (*n == last)
		return msg_fail(-EINVAL, g->img.path, "generation %llu is the newest one", last);
	if (*n)
		return 0;
	ret = image_older(&g->img, g->img.geo, &older);
	*n = older.geo.generation;
	if (ret > 0)
		return 0;
	return msg_fail(ret ? ret : -ENOENT, g->img.path, "generation before %llu: %s", last,
			ret ? image_why(&older.err, ret) : "there is none");
}

/* That it is a revert, and what the generation said of itself, if there is room for both. */
static void set_message(struct regenerate *g, u64 n)
{
	const int len = le16_to_cpu(g->note.message_bytes);
	char text[DSFS_MESSAGE_MAX + 64];
	int words = snprintf(text, sizeof(text), "revert to generation %llu", n);

	if (len && words + 2 + len <= DSFS_MESSAGE_MAX)
		sprintf(text + words, ": %.*s", len, (const char *)g->note.message);
	note_message(&g->note, text);
}

static int revert(const char *path, u64 n, const struct revert_options *o)
{
	struct regenerate g;
	int ret = regenerate_open(&g, path) ?: choose(&g, &n) ?: regenerate_tree(&g, n);

	if (!ret && o->message)
		note_message(&g.note, o->message);
	else if (!ret)
		set_message(&g, n);
	if (!ret)
		ret = regenerate_write(&g);
	return regenerate_end(&g, ret, o->quiet);
}

int verb_revert(int argc, char **argv)
{
	struct revert_options o = { 0 };
	int ret = args_parse(&command_line, &o, &argc, argv);
	u64 n = 0;

	if (ret >= 0)
		return ret;
	if (argc == 2 && (parse_u64(argv[1], &n) || !n))
		return args_refused(EXIT_USAGE, argv[1], "not the number of a generation");
	return revert(argv[0], n, &o);
}
