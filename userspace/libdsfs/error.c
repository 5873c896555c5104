// SPDX-License-Identifier: GPL-2.0
/*
 * What went wrong, in words.  strerror() is safe in threads: it keeps no buffer but for
 * numbers that nobody uses, and that one is the thread's own (glibc 2.32, musl).
 */
#include <stdarg.h>
#include <stdio.h>

#include "api.h"

const char *err_why(int ret)
{
	switch (-ret) {
	case EBADMSG:
		return "wrong checksum";
	case EUCLEAN:
		return "against the rules of the format";
	case ENOTDIR:
		return "a part of the path is not a directory";
	default:
		return strerror(-ret);
	}
}

void err_text(const struct dsfs_err *err, int ret, char *buf, size_t size)
{
	if (!err->what)
		snprintf(buf, size, "%s", err_why(ret));
	else
		snprintf(buf, size, "%s: %llu (%#llx), limit %llu (%#llx): %s",
			 err->what, err->value,
			 err->value, err->limit, err->limit, err_why(ret));
}

/* Names hold any byte: a message is one line, and steers no terminal. */
static void no_controls(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
}

void api_error(struct dsfs_error *error, int ret, const struct dsfs_err *err,
	       const char *fmt, ...)
{
	const size_t size = sizeof(error->message);
	va_list ap;
	size_t n;

	if (!error)
		return;
	error->code = -ret;
	va_start(ap, fmt);
	vsnprintf(error->message, size, fmt, ap);
	va_end(ap);
	no_controls(error->message);
	n = strlen(error->message);
	if (n + 3 > size)
		return;
	error->message[n++] = ':';
	error->message[n++] = ' ';
	if (err)
		err_text(err, ret, error->message + n, size - n);
	else
		snprintf(error->message + n, size - n, "%s", err_why(ret));
}
