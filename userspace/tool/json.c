// SPDX-License-Identifier: GPL-2.0
/*
 * A JSON writer.  Output goes directly to the stream, so a document of ten
 * million inodes needs no memory; the only state is where commas belong.
 */
#include <stdarg.h>

#include "json.h"
#include "parse.h"
#include "utf8.h"

void json_init(struct json *j, FILE *out)
{
	*j = (struct json){ .out = out };
}

struct json *json_report(struct json *j, bool wanted)
{
	if (!wanted)
		return NULL;
	json_init(j, stdout);
	json_begin_object(j, NULL);
	return j;
}

static void json_text(FILE *out, const u8 *p, size_t len)
{
	size_t n;

	putc('"', out);
	for (; len; p += n, len -= n) {
		n = utf8_len(p, len);
		if (!n) {
			fprintf(out, "\\udc%02x", *p);
			n = 1;
		} else if (utf8_control(p)) {
			/* below U+0100, the last byte of two is the code point */
			fprintf(out, "\\u%04x", p[n - 1]);
		} else {
			if (*p == '"' || *p == '\\')
				putc('\\', out);
			fwrite(p, 1, n, out);
		}
	}
	putc('"', out);
}

/* Begin a value.  Return: whether there is a document. */
static bool json_key(struct json *j, const char *key)
{
	unsigned int d = j ? j->depth : 0;

	if (!d)
		return j;
	if (j->more[d - 1])
		putc(',', j->out);
	j->more[d - 1] = true;
	/* a line for each thing one level down, so that diff(1) is of use */
	if (d == 1 && !j->lines)
		putc('\n', j->out);
	if (key) {
		json_text(j->out, (const u8 *)key, strlen(key));
		putc(':', j->out);
	}
	return true;
}

static void json_open(struct json *j, const char *key, bool array)
{
	if (!json_key(j, key))
		return;
	putc(array ? '[' : '{', j->out);
	if (j->depth < JSON_DEPTH) {
		j->more[j->depth] = false;
		j->array[j->depth++] = array;
	}
}

void json_begin_object(struct json *j, const char *key)
{
	json_open(j, key, false);
}

void json_begin_array(struct json *j, const char *key)
{
	json_open(j, key, true);
}

void json_end(struct json *j)
{
	if (!j || !j->depth)
		return;
	j->depth--;
	if (!j->depth && !j->lines)
		putc('\n', j->out);
	putc(j->array[j->depth] ? ']' : '}', j->out);
	if (!j->depth)
		putc('\n', j->out);
}

void json_show_number(struct json *j, const char *key, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (j && key)
		json_u64(j, key, va_arg(ap, u64));
	else if (!j && fmt)
		vprintf(fmt, ap);
	va_end(ap);
}

void json_show_str(struct json *j, const char *key, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (j && key)
		json_str(j, key, va_arg(ap, const char *));
	else if (!j && fmt)
		vprintf(fmt, ap);
	va_end(ap);
}

void json_show_size(struct json *j, const char *key, const char *fmt, u64 bytes)
{
	char text[16];

	if (j && key)
		json_u64(j, key, bytes);
	else if (!j && fmt)
		json_show_str(NULL, key, fmt, parse_format_size(text, sizeof(text), bytes));
}

void json_say(const struct json *j, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!j)
		vprintf(fmt, ap);
	va_end(ap);
}

void json_u64(struct json *j, const char *key, u64 v)
{
	if (json_key(j, key))
		fprintf(j->out, "%llu", v);
}

void json_s64(struct json *j, const char *key, s64 v)
{
	if (json_key(j, key))
		fprintf(j->out, "%lld", v);
}

void json_bool(struct json *j, const char *key, bool v)
{
	if (json_key(j, key))
		fputs(v ? "true" : "false", j->out);
}

void json_put_null(struct json *j, const char *key)
{
	if (json_key(j, key))
		fputs("null", j->out);
}

void json_bytes(struct json *j, const char *key, const void *v, size_t len)
{
	if (json_key(j, key))
		json_text(j->out, v, len);
}

void json_str(struct json *j, const char *key, const char *v)
{
	json_bytes(j, key, v, strlen(v));
}

void json_hex(struct json *j, const char *key, const void *v, size_t len)
{
	if (!json_key(j, key))
		return;
	putc('"', j->out);
	for (const u8 *p = v; len; p++, len--)
		fprintf(j->out, "%02x", *p);
	putc('"', j->out);
}

void json_strf(struct json *j, const char *key, const char *fmt, ...)
{
	char buf[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	json_str(j, key, buf);
}
