/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line of a tool, as a table of its options.
 */
#ifndef DSFS_ARGS_H
#define DSFS_ARGS_H

#include "dsfs_platform.h"

/* Options that a table may have */
#define ARGS_MAX	32

/**
 * struct arg - an option, and what becomes of it
 * @letter: short form, or 0
 * @name: long form, or NULL
 * @flag: becomes true
 * @text: gets the value; kept, not copied
 * @number: gets the value, from @min to @max; needs @name
 * @size: gets the value, a number of bytes, at least 1; needs @name
 * @min: the lowest @number
 * @max: the highest @number; 0: no limit
 * @word: a value that is 0 as a @size, or NULL
 * @once: refused if given twice; needs @name
 * @optional: @take may get no value, which is NULL
 * @take: is called with @ctx and the value.  Return: 0 to go on; -1 if the value
 *	is wrong, which was said; or the exit status.
 *
 * One of @flag, @text, @number, @size and @take is set.  If none is, the option
 * is taken and does nothing.
 */
struct arg {
	char letter;
	const char *name;
	bool *flag;
	const char **text;
	u64 *number;
	u64 *size;
	u64 min;
	u64 max;
	const char *word;
	bool once;
	bool optional;
	int (*take)(void *ctx, const char *value);
	void *ctx;
};

/**
 * args_parse - go through the options
 * @args: ends with an empty entry; --help and --version need none
 * @help: what --help prints
 * @usage: exit status of wrong usage
 *
 * What is no option is then in @argv, from optind on.
 *
 * Return: -1 to go on, or the exit status.
 */
int args_parse(const struct arg *args, const char *help, int usage, int argc,
	       char **argv);

/**
 * args_single - the only argument behind the options
 * @what: what it is, for messages
 *
 * Return: it, or NULL if there is not just one, which was said.
 */
const char *args_single(const char *what, int argc, char **argv);

/**
 * args_number - the value of an option as a number from @min to @max
 * @name: of the option, without dashes
 * @max: 0: no limit
 *
 * Return: 0; -1 if it is none, which was said.
 */
int args_number(const char *name, const char *value, u64 min, u64 max, u64 *v);

/** args_hint - say where to read on after a message about the command line */
void args_hint(void);

/**
 * args_wrong - say what is wrong with the command line, and where to read on
 *
 * Return: @usage.
 */
int args_wrong(int usage, const char *what);

/**
 * args_clash - say which two options do not go together, and where to read on
 * @a: and the other one: without dashes
 *
 * Return: @usage.
 */
int args_clash(int usage, const char *a, const char *b);

/** args_version - the line that --version prints */
void args_version(void);

#endif /* DSFS_ARGS_H */
