// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of the tools.  A path may hold any byte but NUL, and what a data
 * set's author put in a name must not reach the terminal as a control
 * sequence, nor break a line in two for the program that reads the messages.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "msg.h"

static const char *msg_tool = "dsfs";
static void (*msg_before)(void);

/*
 * Whoever starts a tool may have closed the standard descriptors.  Then what is
 * opened next, the image perhaps, would get their numbers, and a message would
 * be written into it.  What is opened here instead cannot be written to, so
 * that a report that goes nowhere is still an error.
 */
static void reserve_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd < STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

void msg_init(const char *tool)
{
	msg_tool = tool;
	reserve_descriptors();
}

void msg_hook(void (*fn)(void))
{
	__atomic_store_n(&msg_before, fn, __ATOMIC_RELEASE);
}

char *msg_escape(char *buf, size_t size, const char *path)
{
	size_t n = 0;

	for (; *path && n + 5 < size; path++) {
		unsigned char c = *path;

		if (c < 0x20 || c == 0x7f || c == '\\')
			n += snprintf(buf + n, size - n, "\\%03o", c);
		else
			buf[n++] = c;
	}
	buf[n] = '\0';
	return buf;
}

/* Names among a message's arguments; what is readable stays as it is. */
static void no_controls(char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
	}
}

/* Written by one call: stderr is unbuffered and would write in pieces. */
static void msg_line(const char *path, const char *kind, const char *fmt,
		     va_list ap)
{
	void (*before)(void);
	size_t size = 1024 + (path ? 4 * strlen(path) : 0);
	char *line = malloc(size);
	ssize_t wrote;
	size_t n;
	int len;

	if (!line)
		return;
	n = snprintf(line, size, "%s: ", msg_tool);
	if (path) {
		msg_escape(line + n, size - n, path);
		n += strlen(line + n);
		n += snprintf(line + n, size - n, ": ");
	}
	n += snprintf(line + n, size - n, "%s", kind);
	len = vsnprintf(line + n, size - n - 1, fmt, ap);
	if (len > 0) {
		no_controls(line + n);
		n += strlen(line + n);
	}
	line[n++] = '\n';
	before = __atomic_load_n(&msg_before, __ATOMIC_ACQUIRE);
	if (before)
		before();
	/* should this fail, nobody is left to tell */
	wrote = write(STDERR_FILENO, line, n);
	(void)wrote;
	free(line);
}

void msg_error(const char *path, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	msg_line(path, "", fmt, ap);
	va_end(ap);
}

void msg_warn(const char *path, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	msg_line(path, "warning: ", fmt, ap);
	va_end(ap);
}
