// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of a manifest as JSON: an object with the fields that lines of text have, and
 * extended attributes.  Jansson reads them.
 *
 * A name may hold bytes that are no UTF-8.  dump.dsfs writes such a byte as Python does, as a
 * lone surrogate, and Jansson refuses those.  So \udcff becomes \bdcff before it reads a line,
 * a backspace of the line itself becomes two, and strings get their bytes back afterwards.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "entry.h"
#include "msg.h"
#include "parse.h"
#include "../xattr.h"

#define MARK	'\b'
#define ESCAPE	6	/* bytes of \uXXXX */

/**
 * struct json_line - a line being read
 * @to: where the next string goes, in @e->text
 */
struct json_line {
	struct entry *e;
	char *to;
};

static bool parse_hex(const char *s, unsigned int digits, u32 *v)
{
	*v = 0;
	for (; digits; digits--, s++) {
		char c = *s | 0x20;

		if (*s >= '0' && *s <= '9')
			*v = *v << 4 | (*s - '0');
		else if (c >= 'a' && c <= 'f')
			*v = *v << 4 | (c - 'a' + 10);
		else
			return false;
	}
	return true;
}

/* Length of what may be an escape, and the number of \uXXXX; others have none that matters. */
static size_t escape_len(const char *s, u32 *c)
{
	*c = 0;
	if (s[0] != '\\' || !s[1])
		return 1;
	return s[1] == 'u' && parse_hex(s + 2, 4, c) ? ESCAPE : 2;
}

/* Copy a line for Jansson: it gets up to twice as long. */
static size_t mark_bytes(char *to, const char *from)
{
	const char *start = to;
	size_t len;
	u32 c, low;

	for (; *from; from += len) {
		len = escape_len(from, &c);
		/* the second half of a pair is no byte */
		if (c >= 0xd800 && c < 0xdc00)
			len += escape_len(from + len, &low) == ESCAPE ? ESCAPE : 0;
		if (c == MARK || (len == 2 && from[1] == 'b')) {
			to = stpcpy(to, "\\b\\b");
			continue;
		}
		memcpy(to, from, len);
		if (c >= 0xdc80 && c <= 0xdcff)
			to[1] = 'b';
		to += len;
	}
	return to - start;
}

static json_t *load(struct entry *e, const char *line, size_t len)
{
	char *copy = NULL;
	json_error_t err;
	json_t *object;

	if (memchr(line, '\\', len)) {
		copy = malloc(2 * len);
		if (!copy) {
			entry_bad(e, "out of memory");
			return NULL;
		}
		len = mark_bytes(copy, line);
	}
	object = json_loadb(copy ? copy : line, len, JSON_REJECT_DUPLICATES, &err);
	free(copy);
	if (!object)
		entry_bad(e, "JSON: column %d: %s", err.column,
			  json_error_code(&err) == json_error_null_character ?
			  "\\u0000, which is in no name" : err.text);
	return object;
}

/* Memory for all strings of a line: each is in quotes there, here it ends with a NUL. */
static char *get_memory(struct entry *e, size_t len)
{
	if (!e->text || len > e->text_size) {
		char *text = realloc(e->text, len);

		if (!text) {
			entry_bad(e, "out of memory");
			return NULL;
		}
		e->text = text;
		e->text_size = len;
	}
	return e->text;
}

/* Keep a string, with the bytes that are no UTF-8. */
static char *keep(struct json_line *j, const char *s)
{
	char *start = j->to, *to = start;
	u32 c;

	while (*s) {
		if (*s == MARK && *++s != MARK) {
			parse_hex(s, 4, &c);
			*to++ = c & 0xff;
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to++ = '\0';
	j->to = to;
	return start;
}

/* The digits become the bytes, in place.  @name: as it is shown */
static int take_hex(struct json_line *j, const char *name, char *text, u32 *len)
{
	size_t digits = strlen(text);
	u32 byte;

	if (digits % 2)
		return entry_bad(j->e, "xattrs: %s: not pairs of hexadecimal digits", name);
	for (size_t i = 0; i < digits; i += 2) {
		if (!parse_hex(text + i, 2, &byte))
			return entry_bad(j->e, "xattrs: %s: not pairs of hexadecimal digits", name);
		text[i / 2] = byte;
	}
	*len = digits / 2;
	return 0;
}

/* What an attribute may be is asked when the set is made: xattr_check(). */
static int take_xattr(struct json_line *j, char *key, const json_t *value)
{
	struct xattr_item it = { 0 }, *slot;
	char *text, shown[256];
	int ret;

	msg_escape(shown, sizeof(shown), key);
	it.prefix = xattr_split(key, &it.name);
	if (!it.prefix)
		return entry_bad(j->e, "xattrs: %s: not a kind that the format has", shown);
	if (!json_is_string(value))
		return entry_bad(j->e, "xattrs: %s: not a string", shown);
	text = keep(j, json_string_value(value));
	ret = take_hex(j, shown, text, &it.value_len);
	if (ret)
		return ret;
	it.len = strlen(it.name);
	it.value = text;
	slot = array_add(&j->e->xattrs);
	if (!slot)
		return entry_bad(j->e, "xattrs: out of memory");
	*slot = it;
	return 0;
}

static int take_xattrs(struct json_line *j, json_t *object)
{
	const char *key;
	json_t *value;
	int ret = 0;

	if (!json_is_object(object))
		return entry_bad(j->e, "xattrs: not an object");
	json_object_foreach(object, key, value) {
		ret = take_xattr(j, keep(j, key), value);
		if (ret)
			break;
	}
	return ret;
}

static int take_string(struct json_line *j, const char *key, char *value)
{
	char buf[256];

	if (strcmp(key, "path"))
		return entry_field(j->e, key, value);
	if (*value != '/')
		return entry_bad(j->e, "path: %s: not a path from / on",
				 msg_escape(buf, sizeof(buf), value));
	j->e->path = value;
	return 0;
}

/*
 * A number with a fraction would be rounded to 53 bits, which are too few for the nanoseconds
 * of a time.
 */
static int take_number(struct json_line *j, const char *key, const json_t *value)
{
	char text[32];

	if (!json_is_number(value))
		return entry_bad(j->e, "%s: neither a string nor a number", key);
	if (json_is_real(value))
		return entry_bad(j->e,
				 "%s: %.17g: a number with a fraction or an exponent has to be a string",
				 key, json_real_value(value));
	snprintf(text, sizeof(text), "%lld", (long long)json_integer_value(value));
	return entry_field(j->e, key, text);
}

static int take_field(struct json_line *j, const char *key, json_t *value)
{
	char shown[256];

	if (!strcmp(key, "xattrs"))
		return take_xattrs(j, value);
	if (json_is_string(value))
		return take_string(j, key, keep(j, json_string_value(value)));
	msg_escape(shown, sizeof(shown), key);
	if (strstr(key, "mode"))
		return entry_bad(j->e, "%s: not a string: it is octal", shown);
	if (!strcmp(key, "path") || !strcmp(key, "source") || !strcmp(key, "target"))
		return entry_bad(j->e, "%s: not a string", key);
	return take_number(j, shown, value);
}

int entry_parse_json(struct entry *e, const char *line, size_t len)
{
	struct json_line j = { .e = e, .to = get_memory(e, len) };
	json_t *object, *value;
	const char *key;
	int ret = 0;

	object = j.to ? load(e, line, len) : NULL;
	if (!object)
		return -EINVAL;
	json_object_foreach(object, key, value) {
		ret = take_field(&j, keep(&j, key), value);
		if (ret)
			break;
	}
	json_decref(object);
	if (!ret && !e->path)
		ret = entry_bad(e, "path: missing");
	return ret;
}
