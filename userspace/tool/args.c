// SPDX-License-Identifier: GPL-2.0
/*
 * Parsing of command lines by a table.  getopt_long(3) is not used: it does not say what is
 * wrong with a word but prints it, with the path of the program and unescaped.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "args.h"
#include "msg.h"
#include "parse.h"

/* Column of --help where the texts of options begin, and the width of its lines */
#define COLUMN	25
#define WIDTH	90

/**
 * struct parse - state of the parser
 * @next: the word that is looked at next
 * @given: the options so far, by their index in the table
 * @status: -1, or the exit status
 */
struct parse {
	const struct args *args;
	void *o;
	char **next;
	bool given[ARGS_MAX];
	int status;
};

static bool is_end(const struct arg *a)
{
	return !a->letter && !a->name;
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

const char *args_single(const char *what, int argc, char **argv)
{
	if (argc == 1)
		return argv[0];
	args_wrong(0, argc ? "more than one %s given" : "no %s given", what);
	return NULL;
}

void args_version(void)
{
	printf("%s " DSFS_VERSION_STRING "\n", msg_name());
}

/* Print words.  @at columns are in front of the first one; later lines begin at COLUMN. */
static void put_text(int at, const char *text)
{
	int len, blank = 0;

	for (; *text; text += len + !!text[len]) {
		len = strcspn(text, " ");
		if (at + blank + len > WIDTH) {
			printf("\n%*s", COLUMN, "");
			at = COLUMN;
			blank = 0;
		}
		printf("%*s%.*s", blank, "", len, text);
		at += blank + len;
		blank = 1;
	}
	putchar('\n');
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
	const struct arg *a = args->table;
	int at;

	puts(args->usage);
	for (; !is_end(a); a++) {
		at = printf("  ") + put_names(a);
		for (; !a->help; a++)
			at += printf(", ") + put_names(a + 1);
		at += printf("%*s", at + 2 < COLUMN ? COLUMN - at : 2, "");
		put_text(at, a->help);
	}
	if (args->more)
		printf("\n%s", args->more);
}

static void refuse(struct parse *p, const char *word, const char *why)
{
	p->status = args_refused(p->args->wrong, word, why);
}

static int set_number(const struct arg *a, const char *value, u64 *v)
{
	u64 n;

	if (!parse_u64(value, &n) && n >= a->min && (!a->max || n <= a->max)) {
		*v = n;
		return 0;
	}
	if (a->max)
		msg_error(NULL, "--%s: %s: not a number from %llu to %llu", a->name,
			  value, a->min, a->max);
	else if (a->min)
		msg_error(NULL, "--%s: %s: not a number from %llu on", a->name,
			  value, a->min);
	else
		msg_error(NULL, "--%s: %s: not a number", a->name, value);
	return -1;
}

static int set_size(const struct arg *a, const char *value, u64 *v)
{
	u64 n = 0;

	if ((parse_size(value, &n) || !n) && (!a->word || strcmp(value, a->word))) {
		msg_error(NULL, "--%s: %s: not a size of at least 1 byte%s%s", a->name,
			  value, a->word ? ", nor " : "", a->word ? a->word : "");
		return -1;
	}
	*v = n;
	return 0;
}

static int set_bits(const struct arg *a, const char *value, u8 *bits)
{
	u64 n;

	if (a->word && !strcmp(value, a->word)) {
		*bits = 0;
		return 0;
	}
	if (parse_size(value, &n) || n & (n - 1) || n < 1ULL << a->min ||
	    n > 1ULL << a->max) {
		msg_error(NULL, "--%s: %s: not a power of two from %llu to %llu bytes",
			  a->name, value, 1ULL << a->min, 1ULL << a->max);
		return -1;
	}
	*bits = __builtin_ctzll(n);
	return 0;
}

/* The words of a choice are two. */
static int set_choice(const struct arg *a, const char *value, unsigned int *v)
{
	const char *first = a->value + (*a->value == '[');
	const char *second = strchr(first, '|') + 1;
	const int len = second - 1 - first, rest = strcspn(second, "]");

	*v = 1;
	if (!value || (strlen(value) == len && !memcmp(value, first, len)))
		return 0;
	*v = 2;
	if (strlen(value) == rest && !memcmp(value, second, rest))
		return 0;
	msg_error(NULL, "--%s: %s: neither %.*s nor %.*s", a->name, value, len, first,
		  rest, second);
	return -1;
}

/* Return: as of ARG_TAKE(). */
static int set(struct parse *p, const struct arg *a, const char *value)
{
	void *to = (char *)p->o + a->to;

	switch (a->kind) {
	case ARG_KIND_FLAG:
		*(bool *)to = true;
		return 0;
	case ARG_KIND_SET:
		*(unsigned int *)to = a->min;
		return 0;
	case ARG_KIND_TEXT:
		*(const char **)to = value;
		return 0;
	case ARG_KIND_NUMBER:
		return set_number(a, value, to);
	case ARG_KIND_SIZE:
		return set_size(a, value, to);
	case ARG_KIND_BITS:
		return set_bits(a, value, to);
	case ARG_KIND_CHOICE:
		return set_choice(a, value, to);
	case ARG_KIND_TAKE:
		return a->take(p->o, value);
	case ARG_KIND_HELP:
		args_help(p->args);
		p->status = 0;
		return 0;
	case ARG_KIND_VERSION:
		args_version();
		p->status = 0;
		return 0;
	default:
		return 0;
	}
}

static void take(struct parse *p, const struct arg *a, const char *value)
{
	bool *given = &p->given[a - p->args->table];
	int ret;

	if (a->once && *given) {
		p->status = args_wrong(p->args->wrong, "--%s: given twice", a->name);
		return;
	}
	*given = true;
	if (a->given)
		*(bool *)((char *)p->o + a->given) = true;
	ret = set(p, a, value);
	if (ret < 0)
		hint();
	if (ret)
		p->status = ret < 0 ? p->args->wrong : ret;
}

/* An option by its long name, or by as much of it as no other one has; NULL after a message. */
static const struct arg *find_long(struct parse *p, const char *word)
{
	const size_t len = strcspn(word + 2, "=");
	const struct arg *a, *found = NULL;
	unsigned int n = 0;

	for (a = p->args->table; !is_end(a); a++) {
		if (!a->name || strncmp(a->name, word + 2, len))
			continue;
		found = a;
		n++;
		if (!a->name[len])
			return a;
	}
	if (n == 1)
		return found;
	refuse(p, word, n ? "begins more than one option" : "unknown option");
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
	const struct arg *a = p->args->table;
	const char letter[] = { '-', *at++, '\0' };

	while (!is_end(a) && a->letter != letter[1])
		a++;
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
			p->status = args_wrong(p->args->wrong,
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
	p->status = args_wrong(p->args->wrong, "--%s: only with %s", a->name, text);
}

/* Check what goes with what. */
static void check(struct parse *p)
{
	const struct arg *first = NULL, *a;

	for (a = p->args->table; !is_end(a) && p->status < 0; a++) {
		if (!p->given[a - p->args->table])
			continue;
		if (a->alone && first)
			p->status = args_wrong(p->args->wrong,
					       "--%s and --%s do not go together",
					       first->name, a->name);
		if (a->alone)
			first = a;
		if (a->not && p->status < 0)
			check_not(p, a);
		if (a->only && p->status < 0)
			check_only(p, a);
	}
}

int args_parse(const struct args *args, void *o, int *argc, char **argv)
{
	struct parse p = { .args = args, .o = o, .next = argv + 1, .status = -1 };
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
	return p.status;
}
