// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of a manifest as JSON: an object with the fields that lines of text have, and
 * extended attributes.
 *
 * A library's parser refuses what dump.dsfs writes for a byte that is no UTF-8 (a lone
 * surrogate, as Python does), and makes a tree of each line; here a line is taken apart
 * in place.
 */
#include <stdio.h>

#include "acl.h"
#include "entry.h"
#include "msg.h"
#include "parse.h"
#include "xattr.h"

#define NUMBER_MAX	64

/**
 * struct json_line - a line being read
 * @at: as far as it was read; it ends with a NUL
 * @number: text of a value that is no string
 */
struct json_line {
	struct entry *e;
	char *at;
	char number[NUMBER_MAX];
};

typedef int member_fn(struct json_line *j, char *key);

static void skip_blanks(struct json_line *j)
{
	j->at += strspn(j->at, " \t");
}

/* A character that must come. */
static int expect(struct json_line *j, char c)
{
	skip_blanks(j);
	if (*j->at != c)
		return entry_bad(j->e, "JSON: %c expected in front of: %.20s", c, j->at);
	j->at++;
	skip_blanks(j);
	return 0;
}

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

static char *put_utf8(char *to, u32 c)
{
	if (c < 0x80) {
		*to++ = c;
		return to;
	}
	if (c >= 0x10000) {
		*to++ = 0xf0 | c >> 18;
		*to++ = 0x80 | (c >> 12 & 0x3f);
	} else if (c >= 0x800) {
		*to++ = 0xe0 | c >> 12;
	}
	if (c >= 0x800)
		*to++ = 0x80 | (c >> 6 & 0x3f);
	else
		*to++ = 0xc0 | c >> 6;
	*to++ = 0x80 | (c & 0x3f);
	return to;
}

/* \uXXXX; one alone from \udc80 to \udcff is the byte that is no UTF-8. */
static char *put_unicode(struct json_line *j, char *to)
{
	u32 c, low;

	if (!parse_hex(j->at, 4, &c) || !c)
		return NULL;
	j->at += 4;
	if (c >= 0xdc80 && c <= 0xdcff) {
		*to++ = c & 0xff;
		return to;
	}
	if (c >= 0xd800 && c < 0xdc00) {
		if (j->at[0] != '\\' || j->at[1] != 'u' || !parse_hex(j->at + 2, 4, &low) ||
		    low < 0xdc00 || low > 0xdfff)
			return NULL;
		j->at += 6;
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	return c >= 0xdc00 && c <= 0xdfff ? NULL : put_utf8(to, c);
}

/* What follows a backslash. */
static char *put_escape(struct json_line *j, char *to)
{
	static const char from[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
	const char *c = *j->at ? strchr(from, *j->at) : NULL;

	if (*j->at == 'u') {
		j->at++;
		return put_unicode(j, to);
	}
	if (!c)
		return NULL;
	j->at++;
	*to++ = bytes[c - from];
	return to;
}

/* A string becomes its bytes, in place: they are never more. */
static int take_string(struct json_line *j, char **text)
{
	int ret = expect(j, '"');
	char *to = j->at;

	*text = to;
	while (!ret && *j->at != '"') {
		if ((u8)*j->at < 0x20)
			return entry_bad(j->e, "JSON: a string without an end");
		if (*j->at != '\\') {
			*to++ = *j->at++;
			continue;
		}
		j->at++;
		to = put_escape(j, to);
		if (!to)
			return entry_bad(j->e, "JSON: an escape that is none: \\%.6s", j->at);
	}
	if (ret)
		return ret;
	j->at++;
	*to = '\0';
	return 0;
}

/* A string, or the text of a number. */
static int take_value(struct json_line *j, const char *key, char **value, bool *string)
{
	size_t len = strspn(j->at, "0123456789+-.eE");

	*string = *j->at == '"';
	if (*string)
		return take_string(j, value);
	if (!len || len >= sizeof(j->number))
		return entry_bad(j->e, "%s: neither a string nor a number", key);
	memcpy(j->number, j->at, len);
	j->number[len] = '\0';
	*value = j->number;
	j->at += len;
	return 0;
}

/* { "key": value, ... } */
static int take_object(struct json_line *j, member_fn *member)
{
	int ret = expect(j, '{');
	char *key;

	while (!ret && *j->at != '}') {
		ret = take_string(j, &key);
		if (!ret)
			ret = expect(j, ':');
		if (!ret)
			ret = member(j, key);
		skip_blanks(j);
		if (ret || *j->at != ',')
			break;
		ret = expect(j, ',');
		if (!ret && *j->at == '}')
			ret = entry_bad(j->e, "JSON: nothing behind the last comma");
	}
	return ret ? ret : expect(j, '}');
}

/* The digits become the bytes, in place. */
static int take_hex(struct json_line *j, const char *name, char *text, u32 *len)
{
	size_t digits = strlen(text);
	u32 byte;

	if (digits % 2)
		return entry_bad(j->e, "xattrs: %s: not pairs of hexadecimal digits", name);
	if (digits / 2 > DSFS_XATTR_VALUE_MAX)
		return entry_bad(j->e, "xattrs: %s: %zu bytes: the limit is %d", name, digits / 2,
				 DSFS_XATTR_VALUE_MAX);
	for (size_t i = 0; i < digits; i += 2) {
		if (!parse_hex(text + i, 2, &byte))
			return entry_bad(j->e, "xattrs: %s: not pairs of hexadecimal digits", name);
		text[i / 2] = byte;
	}
	*len = digits / 2;
	return 0;
}

static int take_xattr(struct json_line *j, char *key)
{
	struct xattr_item it = { 0 }, *slot;
	const char *wrong = NULL;
	bool string = false;
	char *text = NULL;
	int ret;

	it.prefix = xattr_split(key, &it.name);
	if (!it.prefix)
		return entry_bad(j->e, "xattrs: %.50s: not a kind that the format has", key);
	if (strlen(it.name) > DSFS_NAME_MAX)
		return entry_bad(j->e, "xattrs: a name of %zu bytes: the limit is %d",
				 strlen(it.name), DSFS_NAME_MAX);
	ret = take_value(j, "xattrs", &text, &string);
	if (!ret && !string)
		ret = entry_bad(j->e, "xattrs: %s: not a string", key);
	if (!ret)
		ret = take_hex(j, key, text, &it.value_len);
	if (ret)
		return ret;
	it.len = strlen(it.name);
	it.value = text;
	if (it.prefix >= DSFS_XATTR_ACL_ACCESS)
		wrong = acl_wrong(it.value, it.value_len);
	if (wrong)
		return entry_bad(j->e, "xattrs: %s: wrong %s", key, wrong);
	slot = array_add(&j->e->xattrs);
	if (!slot)
		return entry_bad(j->e, "xattrs: out of memory");
	*slot = it;
	return 0;
}

static int take_field(struct json_line *j, char *key)
{
	bool string = false, octal = strstr(key, "mode");
	char *value = NULL;
	int ret;

	if (!strcmp(key, "xattrs")) {
		j->e->xattrs.n = 0;
		return take_object(j, take_xattr);
	}
	ret = take_value(j, key, &value, &string);
	if (ret)
		return ret;
	if (octal && !string)
		return entry_bad(j->e, "%s: not a string: it is octal", key);
	if (strcmp(key, "path"))
		return entry_field(j->e, key, value);
	if (j->e->path)
		return entry_bad(j->e, "path: given twice");
	if (!string || *value != '/')
		return entry_bad(j->e, "path: not a path from / on");
	j->e->path = value;
	return 0;
}

int entry_parse_json(struct entry *e, char *line)
{
	struct json_line j = { .e = e, .at = line };
	int ret;

	ret = take_object(&j, take_field);
	if (!ret && *j.at)
		ret = entry_bad(e, "JSON: goes on behind the object: %.20s", j.at);
	if (!ret && !e->path)
		ret = entry_bad(e, "path: missing");
	return ret;
}
