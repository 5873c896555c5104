// SPDX-License-Identifier: GPL-2.0
/* dsfs cat: the contents of a file. */
#include "io.h"
#include "msg.h"
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
	"Usage: dsfs cat [options] IMAGE PATH\n"
	"Write the contents of a file to standard output.\n",
	.examples =
	"  dsfs cat train.dsfs cats/1.jpg >1.jpg\n"
	"  dsfs cat --generation=1 train.dsfs labels.csv\n",
	.words = "IMAGE and PATH", .low = 2, .high = 2,
	.table = option_table,
};

static int cat_piece(void *arg, u64 pos, const void *data, u64 len)
{
	const int ret = io_fwrite(stdout, data, len);

	if (ret)
		msg_lost_stdout();
	return ret;
}

static int run(struct view *v, struct json *j, void *arg)
{
	const char *path = *((struct view_options *)arg)->words;
	struct dsfs_err err = { 0 };
	struct image_node node;
	int ret;

	if (view_find_regular(v, path, &node))
		return -1;
	ret = image_stream(v->src, &node.attr, &node.extra, true, cat_piece, NULL, &err);
	if (ret && !ferror(stdout))
		view_error(v, path, "content", ret, &err);
	return ret ? -1 : 0;
}

int verb_cat(int argc, char **argv)
{
	struct view_options o = { };

	return view_verb(&command_line, &o, argc, argv, run);
}
