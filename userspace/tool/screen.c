// SPDX-License-Identifier: GPL-2.0
/*
 * What is shown to people fits the 80 columns of a terminal.  Bytes are counted, not columns: no
 * character has more columns than bytes.
 */
#include <stdarg.h>

#include "msg.h"
#include "screen.h"

void screen_bar(FILE *out, double n, double most, unsigned int columns)
{
	/* The quotient first: that of the most itself is 1, so that its bar is full. */
	const double exact = most > 0 ? n / most * columns : 0;
	const bool green = msg_colours(fileno(out));
	const unsigned int whole = exact, length = whole + (whole < exact);

	fprintf(out, "%s%.*s%s", green ? "\033[32m" : "", length,
		"########################################", green ? "\033[m" : "");
}

char *screen_tail(char *buf, unsigned int columns)
{
	const size_t len = strlen(buf);
	char *from = buf + len - (columns - 3);

	if (len <= columns)
		return buf;
	/* not from the middle of a character */
	while ((*from & 0xc0) == 0x80)
		from++;
	memmove(buf + 3, from, buf + len + 1 - from);
	return memcpy(buf, "...", 3);
}

void screen_begin(struct screen_line *l, FILE *out, unsigned int indent, const char *title)
{
	*l = (struct screen_line){ .out = out, .indent = indent, .column = indent };
	fprintf(out, "%-*s", (int)indent, title);
}

void screen_item(struct screen_line *l, const char *fmt, ...)
{
	char text[4096 + 64];
	va_list ap;
	size_t len;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	len = strlen(text);
	/* with the comma that may follow */
	if (l->items && l->column + 2 + len >= SCREEN_COLUMNS) {
		fprintf(l->out, ",\n%*s", (int)l->indent, "");
		l->column = l->indent;
	} else if (l->items) {
		fputs(", ", l->out);
		l->column += 2;
	}
	fputs(text, l->out);
	l->column += len;
	l->items++;
}
