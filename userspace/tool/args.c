// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing of command lines.  The table of a tool says which variable gets which
 * value, so all tools parse alike and have the same messages.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "args.h"
#include "msg.h"
#include "parse.h"

/* Result of getopt_long(3), plus the index, for an option without a letter */
#define LONG_ONLY	256

/**
 * struct getopt_table - arguments of getopt_long(3)
 * @nr: entries of @longs
 * @len: of @letters
 */
struct getopt_table {
	struct option longs[ARGS_MAX + 3];
	char letters[1 + 2 * (ARGS_MAX + 2) + 1];
	unsigned int nr;
	unsigned int len;
};

void args_hint(void)
{
	fprintf(stderr, "Try '%s --help' for more information.\n", msg_name());
}

/* How many long options a word begins; one that it is, is the only one. */
static unsigned int long_options(const struct option *longs, const char *word)
{
	size_t len = strcspn(word, "=");
	unsigned int n = 0;

	for (; longs->name; longs++) {
		if (strncmp(longs->name, word, len))
			continue;
		if (!longs->name[len])
			return 1;
		n++;
	}
	return n;
}

static bool is_key(const struct option *longs, int key)
{
	for (; longs->name; longs++) {
		if (longs->val == key)
			return true;
	}
	return false;
}

int args_refused(int usage, const struct option *longs, int c, char **argv)
{
	const char letter[] = { '-', optopt, '\0' };
	const char *word = argv[optind - 1];
	const char *what = "unknown option";

	/* of letters in one word, the one that it is about */
	if (strncmp(word, "--", 2) || (optopt && c != ':' && !is_key(longs, optopt)))
		word = letter;
	if (c == ':')
		what = "needs a value";
	else if (word != letter && optopt)
		what = "takes no value";
	else if (word != letter && long_options(longs, word + 2) > 1)
		what = "begins more than one option";
	msg_error(word, "%s", what);
	args_hint();
	return usage;
}

int args_wrong(int usage, const char *what)
{
	msg_error(NULL, "%s", what);
	args_hint();
	return usage;
}

int args_clash(int usage, const char *a, const char *b)
{
	msg_error(NULL, "--%s and --%s do not go together", a, b);
	args_hint();
	return usage;
}

void args_version(void)
{
	printf("%s " DSFS_VERSION_STRING "\n", msg_name());
}

const char *args_single(const char *what, int argc, char **argv)
{
	if (argc - optind == 1)
		return argv[optind];
	msg_error(NULL, argc == optind ? "no %s given" :
		  "more than one %s given", what);
	args_hint();
	return NULL;
}

int args_number(const char *name, const char *value, u64 min, u64 max, u64 *v)
{
	u64 n;

	if (!parse_u64(value, &n) && n >= min && (!max || n <= max)) {
		*v = n;
		return 0;
	}
	if (max)
		msg_error(NULL, "--%s: %s: not a number from %llu to %llu", name,
			  value, min, max);
	else if (min)
		msg_error(NULL, "--%s: %s: not a number from %llu on", name,
			  value, min);
	else
		msg_error(NULL, "--%s: %s: not a number", name, value);
	return -1;
}

static int set_size(const struct arg *a, const char *value)
{
	u64 n;

	if (a->word && !strcmp(value, a->word)) {
		*a->size = 0;
		return 0;
	}
	if (!parse_size(value, &n) && n) {
		*a->size = n;
		return 0;
	}
	msg_error(NULL, "--%s: %s: not a size of at least 1 byte%s%s", a->name,
		  value, a->word ? ", nor " : "", a->word ? a->word : "");
	return -1;
}

static int set_arg(const struct arg *a, const char *value, bool again)
{
	if (a->once && again) {
		msg_error(NULL, "--%s: given twice", a->name);
		return -1;
	}
	if (a->number)
		return args_number(a->name, value, a->min, a->max, a->number);
	if (a->size)
		return set_size(a, value);
	if (a->take)
		return a->take(a->ctx, value);
	if (a->text)
		*a->text = value;
	else if (a->flag)
		*a->flag = true;
	return 0;
}

static void add(struct getopt_table *t, const char *name, char letter, int key,
		int has_value)
{
	if (name)
		t->longs[t->nr++] = (struct option){
			name, has_value, NULL, key,
		};
	if (letter)
		t->letters[t->len++] = letter;
	if (letter && has_value == required_argument)
		t->letters[t->len++] = ':';
}

static int key_of(const struct arg *args, unsigned int i)
{
	return args[i].letter ? args[i].letter : LONG_ONLY + i;
}

static int value_of(const struct arg *a)
{
	if (a->optional)
		return optional_argument;
	return a->text || a->number || a->size || a->take ? required_argument :
	       no_argument;
}

static void make_table(struct getopt_table *t, const struct arg *args)
{
	unsigned int i;

	t->letters[t->len++] = ':';	/* tell an option without its value from an unknown one */
	for (i = 0; args[i].letter || args[i].name; i++) {
		const struct arg *a = &args[i];

		if (i == ARGS_MAX)
			abort();
		add(t, a->name, a->letter, key_of(args, i), value_of(a));
	}
	add(t, "help", 'h', 'h', no_argument);
	add(t, "version", 'V', 'V', no_argument);
}

int args_parse(const struct arg *args, const char *help, int usage, int argc,
	       char **argv)
{
	struct getopt_table t = { };
	bool seen[ARGS_MAX] = { };
	unsigned int i;
	int c, ret = 0;

	make_table(&t, args);
	opterr = 0;
	while (!ret && (c = getopt_long(argc, argv, t.letters, t.longs, NULL)) != -1) {
		switch (c) {
		case 'h':
			fputs(help, stdout);
			return 0;
		case 'V':
			args_version();
			return 0;
		case '?':
		case ':':
			return args_refused(usage, t.longs, c, argv);
		default:
			for (i = 0; key_of(args, i) != c; i++)
				;
			ret = set_arg(&args[i], optarg, seen[i]);
			seen[i] = true;
		}
	}
	if (ret >= 0)
		return ret ? ret : -1;
	args_hint();
	return usage;
}
