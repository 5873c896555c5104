// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of JSON, which Jansson reads.
 *
 * A name may hold bytes that are no UTF-8.  dsfs manifest writes such a byte as Python does, as a
 * lone surrogate, and Jansson refuses those.  So \udcff becomes \bdcff before it reads a line,
 * a backspace of the line itself becomes two, and strings get their bytes back afterwards.
 */
#include <ctype.h>

#include "entry.h"

#define MARK	'\b'
#define ESCAPE	6	/* bytes of \uXXXX */

static bool parse_hex(const char *s, unsigned int digits, u32 *v)
{
	for (*v = 0; digits && isxdigit((u8)*s); digits--, s++)
		*v = *v << 4 | (isdigit((u8)*s) ? *s - '0' : (*s | 0x20) - 'a' + 10);
	return !digits;
}

int json_line_hex(char *text)
{
	const size_t digits = strlen(text);
	u32 byte;

	for (size_t i = 0; i < digits; i += 2) {
		if (!parse_hex(text + i, 2, &byte))
			return -1;
		text[i / 2] = byte;
	}
	return digits / 2;
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

/* Each string is in quotes in the line, and ends with a NUL in the text. */
static bool get_memory(struct json_line *j, size_t len)
{
	if (!j->text || len > j->size) {
		char *text = realloc(j->text, len);

		if (!text)
			return false;
		j->text = text;
		j->size = len;
	}
	j->to = j->text;
	return true;
}

json_t *json_line_load(struct json_line *j, const char *line, size_t len, char *why, size_t room)
{
	const bool escapes = memchr(line, '\\', len);
	char *copy = escapes ? malloc(2 * len) : NULL;
	json_t *object = NULL;
	json_error_t err;

	if (!get_memory(j, len) || (escapes && !copy)) {
		snprintf(why, room, "out of memory");
		goto out;
	}
	if (copy)
		len = mark_bytes(copy, line);
	object = json_loadb(copy ? copy : line, len, JSON_REJECT_DUPLICATES, &err);
	if (!object)
		snprintf(why, room, "JSON: column %d: %s", err.column,
			 json_error_code(&err) == json_error_null_character ?
			 "\\u0000, which is in no name" : err.text);
out:
	free(copy);
	return object;
}

char *json_line_string(struct json_line *j, const char *s)
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
