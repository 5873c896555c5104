// SPDX-License-Identifier: GPL-2.0
/*
 * dsfs COMMAND: commands for a data set that is mounted: warm it up, which an image on a server
 * can be, too, choose an order of reading, show statistics.  Programs that make and check
 * images have names of their own, as mkfs(8) and fsck(8) need.
 */
#include <stdio.h>
#include <stdlib.h>

#include "args.h"
#include "dsfs.h"
#include "msg.h"

static const struct command commands[] = {
	{ "order", "print an order to read files in", cmd_order },
	{ "readahead", "ask for files before somebody reads them", cmd_readahead },
	{ "stat", "show what mounts did", cmd_stat },
	{ "top", "show what mounts do, again and again", cmd_top },
	{ "trace", "record the order in which files are opened", cmd_trace },
	{ "warmup", "read files into memory, in the order of the device", cmd_warmup },
	{ }
};

static const struct arg option_table[] = { { ARG_HELP }, { ARG_VERSION }, { } };

static const struct args command_line = {
	.usage =
	"Usage: dsfs COMMAND [options] ...\n"
	"Work with a mounted data set.\n",
	.table = option_table,
};

static void print_help(void)
{
	const struct command *c;

	args_help(&command_line);
	puts("\nCommands:");
	for (c = commands; c->name; c++)
		printf("  %-12s %s\n", c->name, c->about);
	puts("\nOf a command: dsfs COMMAND --help.");
}

static const struct command *find_command(const char *name)
{
	const struct command *c;

	for (c = commands; c->name; c++) {
		if (!strcmp(c->name, name))
			return c;
	}
	return NULL;
}

/* Run a command; its name in messages and --help has both words. */
static int run_command(const struct command *c, int argc, char **argv)
{
	static char name[64];	/* messages are written until the end */

	snprintf(name, sizeof(name), "dsfs %s", c->name);
	argv[0] = name;
	msg_init(name, EXIT_ERROR);
	return c->run(argc, argv);
}

int main(int argc, char **argv)
{
	const struct command *c;

	msg_init("dsfs", EXIT_ERROR);
	if (argc < 2)
		return args_wrong(EXIT_USAGE, "no command given");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_help();
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		args_version();
		return EXIT_OK;
	}
	c = find_command(argv[1]);
	if (!c)
		return args_refused(EXIT_USAGE, argv[1], argv[1][0] == '-' ?
				    "unknown option" : "unknown command");
	return run_command(c, argc - 1, argv + 1);
}
