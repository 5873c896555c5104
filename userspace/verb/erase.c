// SPDX-License-Identifier: GPL-2.0
/* dsfs erase: names are removed, and their bytes with them, out of all generations. */
#include "change_rows.h"
#include "msg.h"
#include "verb.h"

static const struct arg option_table[] = {
	{ CHANGE_RECURSIVE },
	{ 'y', "yes", NULL, "do not ask", ARG_FLAG(struct change, yes) },
	{ CHANGE_FROM },
	{ CHANGE_TOUCH },
	{ CHANGE_COMMON },
	{ }
};

static const struct args command_line = {
	.usage =
	"Usage: dsfs erase [options] IMAGE [PATTERN...]\n"
	"Make a generation of the image without what matches a pattern or is in a list, and\n"
	"overwrite the bytes of it, and of all older generations, which go.  Without a pattern:\n"
	"end an erase that was cut off.\n",
	.more = CHANGE_EXIT,
	.examples =
	"  dsfs erase --yes train.dsfs cats/1.jpg\n"
	"  echo yes | dsfs erase -r -m 'request 4711' train.dsfs cats\n",
	.words = "IMAGE", .low = 1,
	.table = option_table,
};

/* What cannot be taken back is asked for. */
static bool ask(const struct change *c, const struct edit *e)
{
	char line[16] = "";

	if (c->yes)
		return true;
	fprintf(stderr, "%llu names go for good, with bytes and all older generations: yes? ",
		e->removed);
	if (!fgets(line, sizeof(line), stdin))
		*line = '\0';
	if (!strcmp(line, "yes\n") || !strcmp(line, "yes"))
		return true;
	msg_error(NULL, "nothing is erased: that needs --yes, or a line yes");
	return false;
}

static int run(struct edit *e, struct change *c)
{
	int ret = change_paths(e, c);

	return ret || e->errors || !e->removed || ask(c, e) ? ret : -ECANCELED;
}

static const char *lacks(const struct change *c)
{
	return c->from && !strcmp(c->from, "-") && !c->yes ? "--from=-: only with --yes" : NULL;
}

int verb_erase(int argc, char **argv)
{
	static const struct change_verb verb = {
		&command_line, lacks, run, .path = change_remove, .erase = true,
	};

	return change_verb(&verb, argc, argv);
}
