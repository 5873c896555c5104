// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing of command lines by a table.  getopt_long(3) is not used: it does not say what is
 * wrong with a word but prints it, with the path of the program and unescaped.
 */
#include <stdarg.h>

#include "args.h"
#include "msg.h"
#include "nearest.h"
#include "status.h"

/* Column of --help where the texts of options begin */
#define COLUMN	25

/**
 * struct parse - state of the parser
 * @next: the word that is looked at next
 * @given: the options so far, by their index in the table
 * @list: name of the option that has standard input, or NULL
 * @wrong: exit status of wrong usage
 * @status: -1, or the exit status
 */
struct parse {
	const struct args *args;
	void *o;
	char **next;
	bool given[ARGS_MAX];
	const char *list;
	int wrong;
	int status;
};

static const struct arg of_all[] = {
	{ .letter = 'h', .name = "help", .help = "this text" },
	{ .letter = 'V', .name = "version", .help = "the version" },
	{ }
};

static bool is_end(const struct arg *a)
{
	return !a->letter && !a->name;
}

/* An entry of a table, or at its end the first of those that are behind every table */
static const struct arg *or_of_all(const struct arg *a)
{
	return is_end(a) && a != &of_all[2] ? of_all : a;
}

static void hint(void)
{
	fprintf(stderr, "Try '%s --help' for more information.\n", msg_name());
}

int args_refused(int usage, const char *word, const char *why)
{
	msg_error(word, "%s", why);
	hint();
	return usage;
}

int args_wrong(int usage, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return args_refused(usage, NULL, text);
}

void args_version(void)
{
	printf("%s " DSFS_VERSION_STRING "\n", msg_name());
}

/* Print "-L, --label=TEXT", and return the number of columns. */
static int put_names(const struct arg *a)
{
	const char *value = a->value ? a->value : "";
	const bool optional = *value == '[';
	int at = 0;

	if (a->letter)
		at = printf("-%c%s", a->letter, a->name ? ", " : *value ? " " : "");
	else
		at = printf("    ");
	if (a->name)
		at += printf("--%s%s", a->name, optional ? "[=" : *value ? "=" : "");
	return at + printf("%s", value + optional);
}

void args_help(const struct args *args)
{
	const struct arg *a;
	int at;

	puts(args->usage);
	for (a = or_of_all(args->table); !is_end(a); a = or_of_all(a + 1)) {
		at = printf("  ") + put_names(a);
		for (; !a->help; a++)
			at += printf(", ") + put_names(a + 1);
		printf("%*s%s\n", at + 2 < COLUMN ? COLUMN - at : 2, "", a->help);
	}
	if (args->more)
		printf("\n%s", args->more);
	if (args->examples)
		printf("\nExamples:\n%s", args->examples);
}

static void refuse(struct parse *p, const char *word, const char *why)
{
	p->status = args_refused(p->wrong, word, why);
}

/* Standard input can be read by one list only. */
static int check_list(struct parse *p, const struct arg *a, const char *value)
{
	const char *other = p->list;

	if (!a->list || !value || strcmp(value, strchr(a->value, '@') ? "@-" : "-"))
		return 0;
	p->list = a->name;
	if (!other)
		return 0;
	return msg_error(NULL, "--%s and --%s: standard input is but one list", other, a->name);
}

static int set(struct parse *p, const struct arg *a, const char *value)
{
	bool *given = &p->given[a - p->args->table];

	if (a->once && *given)
		return msg_error(NULL, "--%s: given twice", a->name);
	*given = true;
	if (a->given)
		*((bool *)p->o + a->given) = true;
	return check_list(p, a, value) ?: a->set(a, p->o, value);
}

static void take(struct parse *p, const struct arg *a, const char *value)
{
	int ret;

	if (!a->set && a->name) {
		if (a->letter == 'h')
			args_help(p->args);
		else
			args_version();
		p->status = 0;
		return;
	}
	ret = a->set ? set(p, a, value) : 0;
	if (ret < 0)
		hint();
	if (ret)
		p->status = ret < 0 ? p->wrong : ret;
}

/* An option by its long name, or by as much of it as no other one has; NULL after a message. */
static const struct arg *find_long(struct parse *p, const char *word)
{
	const size_t len = strcspn(word + 2, "=");
	struct nearest near = { .word = word + 2, .len = len };
	const struct arg *a, *found = NULL;
	unsigned int n = 0;
	char why[96];

	for (a = or_of_all(p->args->table); !is_end(a); a = or_of_all(a + 1)) {
		if (!a->name)
			continue;
		nearest_try(&near, a->name);
		if (strncmp(a->name, word + 2, len))
			continue;
		found = a;
		n++;
		if (!a->name[len])
			return a;
	}
	if (n == 1)
		return found;
	snprintf(why, sizeof(why), n ? "begins more than one option" : "unknown option%s",
		 nearest_text(&near, "--"));
	refuse(p, word, why);
	return NULL;
}

static void parse_long(struct parse *p, const char *word)
{
	const struct arg *a = find_long(p, word);
	const char *value = strchr(word, '=');

	if (!a)
		return;
	if (value && !a->value)
		refuse(p, word, "takes no value");
	else if (value)
		take(p, a, value + 1);
	else if (!a->value || *a->value == '[')
		take(p, a, NULL);
	else if (*p->next)
		take(p, a, *p->next++);
	else
		refuse(p, word, "needs a value");
}

/*
 * Take a letter, and as its value the rest of the word or the next one.  Return: the next
 * letter of the word.
 */
static const char *parse_letter(struct parse *p, const char *at)
{
	const struct arg *a = or_of_all(p->args->table);
	const char letter[] = { '-', *at++, '\0' };

	while (!is_end(a) && a->letter != letter[1])
		a = or_of_all(a + 1);
	if (is_end(a))
		refuse(p, letter, "unknown option");
	else if (!a->value)
		take(p, a, NULL);
	else if (!*at && !*p->next)
		refuse(p, letter, "needs a value");
	else
		take(p, a, *at ? at : *p->next++);
	return a->value ? "" : at;
}

static void parse_letters(struct parse *p, const char *at)
{
	while (*at && p->status < 0)
		at = parse_letter(p, at);
}

/* Whether an option was given that a rule of the table names; *@rule goes on to the next one. */
static bool next_given(const struct parse *p, const char **rule, const char **name, int *len)
{
	const char *end = strchrnul(*rule, ';');
	const struct arg *a = p->args->table;

	*name = *rule;
	*len = strcspn(*rule, ":;");
	*rule = *end ? end + 2 : end;
	while (!is_end(a) && (!a->name || strncmp(a->name, *name, *len) || a->name[*len]))
		a++;
	if (is_end(a))
		abort();	/* there is no such option */
	return p->given[a - p->args->table];
}

static void check_not(struct parse *p, const struct arg *a)
{
	const char *rule = a->not, *name;
	int len;

	while (*rule && p->status < 0) {
		if (next_given(p, &rule, &name, &len))
			p->status = args_wrong(p->wrong,
					       "--%s and --%.*s do not go together%.*s",
					       a->name, len, name,
					       (int)strcspn(name + len, ";"), name + len);
	}
}

static void check_only(struct parse *p, const struct arg *a)
{
	const char *rule = a->only, *name;
	char text[256] = "";
	int len, n = 0;

	while (*rule) {
		if (next_given(p, &rule, &name, &len))
			return;
		n += snprintf(text + n, sizeof(text) - n, "%s--%.*s", n ? " or " : "", len, name);
	}
	p->status = args_wrong(p->wrong, "--%s: only with %s", a->name, text);
}

/* Check what goes with what. */
static void check(struct parse *p)
{
	const struct arg *first = NULL, *a;

	for (a = p->args->table; !is_end(a) && p->status < 0; a++) {
		if (!p->given[a - p->args->table])
			continue;
		if (a->alone && first)
			p->status = args_wrong(p->wrong, "--%s and --%s do not go together",
					       first->name, a->name);
		if (a->alone)
			first = a;
		if (a->not && p->status < 0)
			check_not(p, a);
		if (a->only && p->status < 0)
			check_only(p, a);
	}
}

/* Check that there are as many other arguments as the usage says. */
static void check_words(struct parse *p, int n, char **words)
{
	const struct args *args = p->args;

	if (n < args->low)
		p->status = args_wrong(p->wrong, "%s %s needed", args->words,
				       args->low > 1 ? "are" : "is");
	else if (args->high && n > args->high)
		refuse(p, words[args->high], "one argument too many");
}

int args_parse(const struct args *args, void *o, int *argc, char **argv)
{
	struct parse p = {
		.args = args, .o = o, .next = argv + 1, .status = -1,
		.wrong = args->wrong ? args->wrong : EXIT_USAGE,
	};
	bool options = true;
	const char *word;
	int n = 0;

	while (p.status < 0 && *p.next) {
		word = *p.next++;
		if (!options || *word != '-' || !word[1])
			argv[n++] = (char *)word;
		else if (!strcmp(word, "--"))
			options = false;
		else if (word[1] == '-')
			parse_long(&p, word);
		else
			parse_letters(&p, word + 1);
	}
	argv[n] = NULL;
	*argc = n;
	if (p.status < 0)
		check(&p);
	if (p.status < 0)
		check_words(&p, n, argv);
	return p.status;
}
