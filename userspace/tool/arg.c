// SPDX-License-Identifier: GPL-2.0
/*
 * Values of options, by the kinds that tables of options have.  Each function takes the whole
 * value or refuses it with a message.
 */
#include <stdarg.h>

#include "args.h"
#include "msg.h"
#include "parse.h"

int arg_wrong(const struct arg *a, const char *value, const char *fmt, ...)
{
	char name[32], text[128];
	va_list ap;

	if (a->name)
		snprintf(name, sizeof(name), "--%s", a->name);
	else
		snprintf(name, sizeof(name), "-%c", a->letter);
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return msg_error(NULL, "%s: %s: %s", name, value, text);
}

int arg_flag(const struct arg *a, void *o, const char *value)
{
	*(bool *)((char *)o + a->to) = true;
	return 0;
}

int arg_constant(const struct arg *a, void *o, const char *value)
{
	*(unsigned int *)((char *)o + a->to) = a->min;
	return 0;
}

int arg_text(const struct arg *a, void *o, const char *value)
{
	*(const char **)((char *)o + a->to) = value;
	if (!a->max || strlen(value) <= a->max)
		return 0;
	return msg_error(NULL, "--%s: %zu bytes: the limit is %llu", a->name, strlen(value),
			 a->max);
}

int arg_number(const struct arg *a, void *o, const char *value)
{
	char range[64] = "";
	u64 n;

	if (!parse_u64(value, &n) && n >= a->min && (!a->max || n <= a->max)) {
		*(u64 *)((char *)o + a->to) = n;
		return 0;
	}
	if (a->max)
		snprintf(range, sizeof(range), " from %llu to %llu", a->min, a->max);
	else if (a->min)
		snprintf(range, sizeof(range), " from %llu on", a->min);
	return arg_wrong(a, value, "not a number%s", range);
}

/* Parse a size, or the word that is none. */
static int parse_word(const struct arg *a, const char *value, u64 *n)
{
	*n = 0;
	if (a->word && !strcmp(value, a->word))
		return 0;
	return parse_size(value, n) || !*n ? -EINVAL : 0;
}

int arg_size(const struct arg *a, void *o, const char *value)
{
	if (!parse_word(a, value, (u64 *)((char *)o + a->to)))
		return 0;
	return arg_wrong(a, value, "not a size of at least 1 byte%s%s",
			 a->word ? ", nor " : "", a->word ? a->word : "");
}

int arg_bits(const struct arg *a, void *o, const char *value)
{
	u64 n;

	if (!parse_word(a, value, &n) && !(n & (n - 1)) &&
	    (!n || (n >= 1ULL << a->min && n <= 1ULL << a->max))) {
		*((u8 *)o + a->to) = n ? __builtin_ctzll(n) : 0;
		return 0;
	}
	return arg_wrong(a, value, "not a power of two from %llu to %llu bytes",
			 1ULL << a->min, 1ULL << a->max);
}

int arg_choice(const struct arg *a, void *o, const char *value)
{
	const char *first = a->value + (*a->value == '[');
	const char *second = strchr(first, '|') + 1;
	const int len = second - 1 - first, rest = strcspn(second, "]");
	unsigned int *which = (unsigned int *)((char *)o + a->to);

	*which = 1;
	if (!value || (strlen(value) == len && !memcmp(value, first, len)))
		return 0;
	*which = 2;
	if (strlen(value) == rest && !memcmp(value, second, rest))
		return 0;
	return arg_wrong(a, value, "neither %.*s nor %.*s", len, first, rest, second);
}

static int unknown_part(const struct arg *a, const char *word)
{
	char text[96] = "";
	int n = 0;

	for (const struct arg *w = a->parts; w->set; w++)
		n += snprintf(text + n, sizeof(text) - n, "%s%s%s", n ? ", " : "", w->name,
			      w->value ? "=" : "");
	return arg_wrong(a, word, "none of %s", text);
}

static int take_part(const struct arg *a, void *o, const char *word)
{
	const size_t len = strcspn(word, "=");
	const struct arg *w = a->parts;
	char name[64];
	struct arg one;

	while (w->set && w->name && (strncmp(w->name, word, len) || w->name[len]))
		w++;
	if (!w->set || (w->name && !w->value != !word[len]))
		return unknown_part(a, word);
	one = *w;
	snprintf(name, sizeof(name), "%s%s%s", a->name, w->name ? "=" : "", w->name ? w->name : "");
	one.name = name;
	if (w->given)
		*((bool *)o + w->given) = true;
	return w->set(&one, o, w->name ? word + len + !!word[len] : word);
}

int arg_parts(const struct arg *a, void *o, const char *value)
{
	char *text = strdup(value), *rest = text, *word;
	int ret = text ? 0 : no_memory();

	while (!ret && (word = strsep(&rest, ",")))
		ret = take_part(a, o, word);
	free(text);
	return ret;
}
