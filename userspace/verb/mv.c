// SPDX-License-Identifier: GPL-2.0
/* dsfs mv: a generation with other names for the same files and directories. */
#include "change_rows.h"
#include "verb.h"

static const struct arg option_table[] = {
	{ CHANGE_TOUCH },
	{ CHANGE_COMMON },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs mv [options] IMAGE OLD NEW\n"
	"       dsfs mv [options] IMAGE PATTERN... DIR\n"
	"Make a generation of the image with another name for OLD, or with what matches a\n"
	"pattern in a directory that is there.\n",
	.more = CHANGE_EXIT,
	.examples =
	"  dsfs mv train.dsfs cats/1.jpg cats/01.jpg\n"
	"  dsfs mv -m 'labels beside pictures' train.dsfs '*.csv' cats\n",
	.words = "IMAGE, OLD and NEW", .low = 3,
	.table = option_table,
};

/* The last name of a path, without slashes behind it */
static const char *last_name(const char *path, size_t *len)
{
	const char *name = path, *next = path;

	for (*len = 0; path_next(&next); next += *len) {
		name = next;
		*len = path_next(&next);
	}
	return name;
}

static int move_into(struct edit *e, const char *from, const char *dir)
{
	size_t len;
	const char *name = last_name(from, &len);
	char *to;
	int ret;

	if (asprintf(&to, "%s/%.*s", dir, (int)len, name) < 0)
		return -ENOMEM;
	ret = edit_move(e, from, to);
	free(to);
	return ret;
}

static int move_all(struct edit *e, const struct array *from, const char *to, bool into)
{
	int ret = 0;

	if (!into && (from->n > 1 || (from->n && to[strlen(to) - 1] == '/' &&
				      !edit_is_dir(e, *(char **)from->p))))
		return edit_say(e, to, "is no directory that a name could be moved into");
	for (size_t i = 0; !ret && i < from->n; i++) {
		const char *path = ((char **)from->p)[i];

		ret = into ? move_into(e, path, to) : edit_move(e, path, to);
	}
	return ret;
}

static int run(struct edit *e, struct change *c)
{
	struct array from = { .size = sizeof(char *) };
	int ret = 0;

	for (; !ret && c->paths[1]; c->paths++)
		ret = edit_match(e, c->paths[0], &from);
	ret = ret ?: move_all(e, &from, c->paths[0], edit_is_dir(e, c->paths[0]));
	for (size_t i = 0; i < from.n; i++)
		free(((char **)from.p)[i]);
	array_free(&from);
	return ret;
}

int verb_mv(int argc, char **argv)
{
	static const struct change_verb verb = { .args = &command_line, .run = run };

	return change_verb(&verb, argc, argv);
}
