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
 * struct arg - an option, and the variable that it sets
 * @letter: short form, or 0
 * @name: long form, or NULL
 * @flag: set to true
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
 * args_parse - parse the options
 * @args: ends with an empty entry; --help and --version need none
 * @help: what --help prints
 * @usage: exit status of wrong usage
 *
 * Other arguments are then in @argv from optind on.
 *
 * Return: -1 to go on, or the exit status.
 */
int args_parse(const struct arg *args, const char *help, int usage, int argc,
	       char **argv);

/**
 * args_single - the only argument after the options
 * @what: its name in messages
 *
 * Return: the argument, or NULL after a message if there is not exactly one.
 */
const char *args_single(const char *what, int argc, char **argv);

/**
 * args_number - parse the value of an option as a number from @min to @max
 * @name: of the option, without dashes
 * @max: 0: no limit
 *
 * Return: 0; -1 after a message.
 */
int args_number(const char *name, const char *value, u64 min, u64 max, u64 *v);

struct option;

/**
 * args_refused - print what is wrong with an option, and where to find help
 * @longs: all long options, as given to getopt_long(3)
 * @c: what that returned: '?' or, of letters that begin with a colon, ':'
 *
 * getopt's own messages have the program's path in front and do not escape the word.
 *
 * Return: @usage.
 */
int args_refused(int usage, const struct option *longs, int c, char **argv);

/** args_hint - print where to find help, after a message about the command line */
void args_hint(void);

/**
 * args_wrong - print an error of the command line, and where to find help
 *
 * Return: @usage.
 */
int args_wrong(int usage, const char *what);

/**
 * args_clash - print that two options contradict each other, and where to find help
 * @a: the first one, without dashes
 * @b: the second one
 *
 * Return: @usage.
 */
int args_clash(int usage, const char *a, const char *b);

/** args_version - print the line of --version */
void args_version(void);

#endif /* DSFS_ARGS_H */
