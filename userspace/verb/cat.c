// SPDX-License-Identifier: GPL-2.0
/* dsfs cat: the contents of a file. */
#include "msg.h"
#include "open.h"
#include "status.h"
#include "verb.h"

struct cat_options {
	struct view_options view;
};

static const struct arg option_table[] = {
	{ VIEW_GENERATION(struct cat_options), },
	{ VIEW_SOURCE(struct cat_options), },
	{ ARG_HELP },
	{ ARG_VERSION },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs cat [options] IMAGE PATH\n"
	"Write the contents of a file to standard output.\n",
	.wrong = EXIT_USAGE,
	.table = option_table,
};

static int cat_piece(void *arg, u64 pos, const void *data, u64 len)
{
	static const u8 zeros[65536];
	u64 n;

	(void)arg;
	(void)pos;
	for (; len; len -= n) {
		n = data || len < sizeof(zeros) ? len : sizeof(zeros);
		if (fwrite(data ? data : zeros, 1, n, stdout) != n) {
			msg_lost_stdout();
			return -EIO;
		}
	}
	return 0;
}

static int run(struct view *v, struct json *j, void *arg)
{
	const char *path = arg;
	struct dsfs_err err = { 0 };
	struct image_node node;
	int ret;

	(void)j;
	if (view_find_regular(v, path, &node))
		return -1;
	ret = image_stream(v->src, &node.attr, &node.extra, true, cat_piece, NULL, &err);
	if (ret && !ferror(stdout))
		view_error(v, path, "content", ret, &err);
	return ret ? -1 : 0;
}

int verb_cat(int argc, char **argv)
{
	struct cat_options o = { };
	int ret = args_words(&command_line, &o, "IMAGE and PATH", 2, 2, &argc, argv);

	if (ret >= 0)
		return ret;
	return view_image(argv[0], &o.view, run, argv[1]);
}
