// SPDX-License-Identifier: GPL-2.0
/*
 * The syntax of Python's configparser.  A line that is indented more than the option in front of it
 * continues its value; an option may be indented.  What Python does not read is an error here, too.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ini.h"
#include "words.h"

#define ALL	"DEFAULT"

/**
 * struct parser - where the parser is
 * @section: the current one; NULL: none yet
 * @last: option that a line may continue
 * @indent: of the last line that continued nothing
 */
struct parser {
	struct ini *ini;
	char *section;
	struct ini_entry *last;
	size_t indent;
};

static bool is_blank(char c)
{
	return isspace((unsigned char)c) || (c >= 0x1c && c <= 0x1f);
}

static char *strip(char *text)
{
	size_t n = strlen(text);

	while (n && is_blank(text[n - 1]))
		text[--n] = '\0';
	while (is_blank(*text))
		text++;
	return text;
}

static struct ini_entry *find(const struct ini *ini, const char *section, const char *key)
{
	struct ini_entry *e;

	STAILQ_FOREACH(e, ini, link)
		if (!strcmp(e->section, section) && !e->key == !key &&
		    (!key || !strcmp(e->key, key)))
			break;
	return e;
}

static struct ini_entry *add(struct ini *ini, const char *section, const char *key,
			     const char *value)
{
	struct ini_entry *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	STAILQ_INSERT_TAIL(ini, e, link);
	e->section = strdup(section);
	e->key = key ? strdup(key) : NULL;
	e->value = strdup(value);
	return e->section && !e->key == !key && e->value ? e : NULL;
}

static const char *take_section(struct parser *at, char *name, int *ret)
{
	struct ini_entry *e = find(at->ini, name, NULL);

	if (e && strcmp(name, ALL))
		return "a section for the second time";
	if (!e)
		e = add(at->ini, name, NULL, "");
	*ret = e ? 0 : -ENOMEM;
	at->section = e ? e->section : NULL;
	at->last = NULL;
	return NULL;
}

static const char *take_option(struct parser *at, char *text, int *ret)
{
	char *value = strpbrk(text, "=:");

	if (!at->section)
		return "an option in front of the first section";
	if (!value || value == text)
		return "not of the form \"name = value\"";
	*value++ = '\0';
	text = strip(text);
	for (char *c = text; *c; c++)
		*c = tolower((unsigned char)*c);
	if (find(at->ini, at->section, text))
		return "an option for the second time";
	at->last = add(at->ini, at->section, text, strip(value));
	*ret = at->last ? 0 : -ENOMEM;
	return NULL;
}

static int continue_value(struct ini_entry *e, const char *more)
{
	char *value;

	if (asprintf(&value, "%s\n%s", e->value, more) < 0)
		return -ENOMEM;
	secret_free(e->value);
	e->value = value;
	return 0;
}

/* Parse a line.  Return: what is wrong with it, or NULL. */
static const char *take_line(struct parser *at, char *line, int *ret)
{
	char *text = strip(line), *end;

	if (*text == '#' || *text == ';')
		return NULL;
	if (at->last && (!*text || (size_t)(text - line) > at->indent)) {
		*ret = continue_value(at->last, text);
		return NULL;
	}
	if (!*text)
		return NULL;
	at->indent = text - line;
	end = *text == '[' ? strrchr(text, ']') : NULL;
	if (!end || end < text + 2)
		return take_option(at, text, ret);
	*end = '\0';
	return take_section(at, text + 1, ret);
}

/* Whether each line of a value is an option: where it begins behind the line of its name */
static bool is_nested(const char *value)
{
	size_t n;

	for (; *value; value += n + !!value[n]) {
		n = strcspn(value, "\n");
		if (n && !memchr(value, '=', n))
			return false;
	}
	return true;
}

/* A value ends where its text does.  Return: what is wrong, or NULL. */
static const char *end_values(struct ini *ini)
{
	const char *wrong = NULL;
	struct ini_entry *e;
	size_t n;

	STAILQ_FOREACH(e, ini, link) {
		for (n = e->value ? strlen(e->value) : 0; n && is_blank(e->value[n - 1]); n--)
			e->value[n - 1] = '\0';
		if (n && *e->value == '\n' && !is_nested(e->value))
			wrong = "below an option in front of it: not of the form \"name = value\"";
	}
	return wrong;
}

static FILE *open_regular(const char *path)
{
	FILE *file = fopen(path, "re");
	struct stat st;

	if (file && (fstat(fileno(file), &st) || !S_ISREG(st.st_mode))) {
		fclose(file);
		file = NULL;
	}
	return file;
}

int ini_read(struct ini *ini, const char *path, char why[HTTP_WHY])
{
	struct parser at = { .ini = ini };
	const char *wrong = NULL;
	char *line = NULL;
	size_t size = 0;
	int number = 0, ret = 0;
	FILE *file;

	STAILQ_INIT(ini);
	errno = 0;
	file = open_regular(path);
	if (!file)
		return errno == ENOMEM ? -ENOMEM : 0;
	for (errno = 0; !wrong && !ret && getline(&line, &size, file) > 0; number++)
		wrong = take_line(&at, line, &ret);
	if (errno == ENOMEM)
		ret = -ENOMEM;
	if (line)
		explicit_bzero(line, size);
	free(line);
	fclose(file);
	if (!wrong && !ret)
		wrong = end_values(ini);
	if (!wrong)
		return ret;
	return why_fail(why, -EINVAL, "%.100s: line %d: %s", path, number, wrong);
}

void ini_free(struct ini *ini)
{
	struct ini_entry *e;

	while ((e = STAILQ_FIRST(ini))) {
		STAILQ_REMOVE_HEAD(ini, link);
		free(e->section);
		free(e->key);
		secret_free(e->value);
		free(e);
	}
}

bool ini_has(const struct ini *ini, const char *section)
{
	return find(ini, section, NULL) && strcmp(section, ALL);
}

const char *ini_get(const struct ini *ini, const char *section, const char *key)
{
	const struct ini_entry *e;

	if (!ini_has(ini, section))
		return NULL;
	e = find(ini, section, key) ?: find(ini, ALL, key);
	return e ? e->value : NULL;
}
