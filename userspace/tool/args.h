/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line of a tool, as a table of its options.  The parser, its messages and
 * --help are made of the table.  The manual pages and what shells complete are made of
 * --help: scripts/man-options, scripts/completions.
 */
#ifndef DSFS_ARGS_H
#define DSFS_ARGS_H

#include "dsfs_platform.h"

/* Options that a table may have */
#define ARGS_MAX	48

/**
 * struct arg - an option, and the member of the tool's options that it sets
 * @letter: short form, or 0
 * @name: long form, or NULL; needed by an option whose value can be wrong, and by @only, @not
 *	and @alone
 * @value: what stands for its value: "FILE", "yes|no"; "[KIND]" if it may be left out;
 *	NULL: it has none
 * @help: one line.  NULL: the one of the next option says it for both
 * @set: takes the value, into the tool's options @o; NULL: nothing is done with it.  Return:
 *	0 to go on; -1 if the value is wrong, which was said; or the exit status.
 * @to: offset of a member; @min and @max: what may be in it: see the macros below, which set
 *	all four
 * @given: ARG_GIVEN(): offset of a bool that is set to true, which is not the first member
 * @word: of ARG_SIZE() and ARG_BITS(): a word that is 0; or NULL
 * @once: it may not be given twice
 * @list: the value - is standard input, which only one option can have; where @value says that
 *	files stand behind an @, @- is
 * @parts: of ARG_PARTS(): what the value is made of, up to an entry without @set
 * @alone: of these options no two go together
 * @only: names of options, with "; " between them, one of which has to be given, too
 * @not: names of options that do not go together with it, with "; " between them; behind a
 *	name may stand why: "tar: tar is read once"
 */
struct arg {
	char letter;
	const char *name;
	const char *value;
	const char *help;
	int (*set)(const struct arg *a, void *o, const char *value);
	unsigned int to;
	unsigned int given;
	u64 min;
	u64 max;
	const char *word;
	bool once;
	bool list;
	const struct arg *parts;
	bool alone;
	const char *only;
	const char *not;
};

int arg_flag(const struct arg *a, void *o, const char *value);
int arg_constant(const struct arg *a, void *o, const char *value);
int arg_text(const struct arg *a, void *o, const char *value);
int arg_number(const struct arg *a, void *o, const char *value);
int arg_size(const struct arg *a, void *o, const char *value);
int arg_bits(const struct arg *a, void *o, const char *value);
int arg_choice(const struct arg *a, void *o, const char *value);
/* u8[16]: a UUID, or the words random and clear; of uuid.c, which needs libuuid */
int arg_uuid(const struct arg *a, void *o, const char *value);
int arg_parts(const struct arg *a, void *o, const char *value);

/**
 * arg_wrong - print what is wrong with the value of an option
 *
 * Return: -1.
 */
__printf(3, 4)
int arg_wrong(const struct arg *a, const char *value, const char *fmt, ...);

/* Nothing is done with it. */
#define ARG_IGNORED \
	.set = NULL

/* The place of a member of structure @s.  The compiler warns if it is not of @type. */
#define ARG_TO(type, s, member) \
	((size_t)(1 ? &((s *)0)->member : (type *)0))

/* bool: true */
#define ARG_FLAG(s, member) \
	.set = arg_flag, .to = ARG_TO(bool, s, member)
/* unsigned int, or an enum: @n */
#define ARG_SET(s, member, n) \
	.set = arg_constant, .to = ARG_TO(unsigned int, s, member), .min = (n)
/* const char *: the value itself, not a copy, of @high bytes at most; 0: no limit */
#define ARG_TEXT(s, member, high) \
	.set = arg_text, .to = ARG_TO(const char *, s, member), .max = (high)
/* the same, of a list */
#define ARG_LIST(s, member) \
	ARG_TEXT(s, member, 0), .list = true
/* u64: a number from @low to @high; @high 0: no limit */
#define ARG_NUMBER(s, member, low, high) \
	.set = arg_number, .to = ARG_TO(u64, s, member), .min = (low), .max = (high)
/* u64: bytes, at least 1 */
#define ARG_SIZE(s, member) \
	.set = arg_size, .to = ARG_TO(u64, s, member)
/* u8: the logarithm of bytes that are a power of two, from @low to @high */
#define ARG_BITS(s, member, low, high) \
	.set = arg_bits, .to = ARG_TO(u8, s, member), .min = (low), .max = (high)
/* unsigned int, or an enum: which of the two words of @value it is, 1 or 2; 1: none */
#define ARG_CHOICE(s, member) \
	.set = arg_choice, .to = ARG_TO(unsigned int, s, member)
/*
 * Words with commas between them.  Of table @t takes each one the entry of its name, as in
 * NAME=VALUE, or the entry that has no name, all of it.
 */
#define ARG_PARTS(t) \
	.set = arg_parts, .parts = (t)
#define ARG_GIVEN(s, member) \
	.given = ARG_TO(bool, s, member)

/**
 * struct args - the command line of a tool
 * @usage: what --help prints in front of the options
 * @more: and what behind them, or NULL
 * @examples: at its end: a line each, with two spaces in front; or NULL.  tests/cli/examples.sh
 *	runs them
 * @wrong: exit status of wrong usage; 0: EXIT_USAGE
 * @words: names of the other arguments that are needed, as "IMAGE and DIR"; NULL: the caller looks
 *	at these arguments
 * @low: number of these
 * @high: number of arguments that there may be; 0: any
 * @table: ends with an empty entry; help and version are options of every command
 */
struct args {
	const char *usage;
	const char *more;
	const char *examples;
	int wrong;
	const char *words;
	int low;
	int high;
	const struct arg *table;
};

/**
 * args_parse - parse the options
 * @o: the tool's options, of the structure that the table names
 * @argc: gets the number of other arguments, which are then in @argv[0] and behind it, with
 *	NULL at the end
 *
 * Return: -1 to go on, or the exit status.
 */
int args_parse(const struct args *args, void *o, int *argc, char **argv);

/**
 * args_refused - print what is wrong with a word of the command line, and where to find help
 * @word: escaped as by msg_escape()
 *
 * Return: @usage, the exit status.
 */
int args_refused(int usage, const char *word, const char *why);

/**
 * args_wrong - print an error of the command line, and where to find help
 *
 * Return: @usage, the exit status.
 */
__printf(2, 3)
int args_wrong(int usage, const char *fmt, ...);

/** args_help - print the text of --help */
void args_help(const struct args *args);

/** args_version - print the line of --version */
void args_version(void);

#endif /* DSFS_ARGS_H */
