/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dsfs: the commands that work on mounted data sets.  A file a command; the table
 * in main.c is the only place that knows all of them.
 */
#ifndef DSFS_TOOL_H
#define DSFS_TOOL_H

#include "dsfs_platform.h"

/* Exit statuses, the same for all commands */
#define EXIT_OK		0
#define EXIT_ERROR	1	/* something could not be done, which was said */
#define EXIT_USAGE	2

/**
 * struct command - a command, "dsfs NAME"
 * @name: as the user types it
 * @about: one line for dsfs --help
 * @run: gets its own arguments, argv[0] being "dsfs NAME"; returns the exit status.
 *	msg_init() was called with that name.
 */
struct command {
	const char *name;
	const char *about;
	int (*run)(int argc, char **argv);
};

int cmd_stat(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_order(int argc, char **argv);
int cmd_readahead(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_warmup(int argc, char **argv);

#endif /* DSFS_TOOL_H */
