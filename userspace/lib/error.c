// SPDX-License-Identifier: GPL-2.0
/*
 * Errors in words.  strerror() is safe in threads: it needs a buffer for unknown numbers
 * alone, and that one is the thread's own (glibc 2.32, musl).
 */
#include <stdarg.h>

#include "api.h"
#include "utf8.h"

#define GROUPED_MAX	27	/* 20 digits and 6 commas */

static __thread char far_text[ERR_FAR];

char *err_far(void)
{
	return far_text;
}

const char *err_why(int ret)
{
	switch (-ret) {
	case EBADMSG:
		return "wrong checksum";
	case EUCLEAN:
		return "against the rules of the format";
	case EMEDIUMTYPE:
		return "not the image that was asked for";
	case ENOTDIR:
		return "a part of the path is not a directory";
	case EREMOTEIO:
		return *far_text ? far_text : strerror(-ret);
	default:
		return strerror(-ret);
	}
}

/* A number of bytes, which people compare by its digits: "60,000,000". */
static const char *grouped(u64 v, char buf[GROUPED_MAX])
{
	char *at = buf + GROUPED_MAX - 1;

	*at = '\0';
	for (int n = 0; v || !n; v /= 10, n++) {
		if (n && n % 3 == 0)
			*--at = ',';
		*--at = '0' + v % 10;
	}
	return at;
}

/* Whether a number is compared with a limit, which is told; a read that failed has none. */
static bool has_limit(const struct dsfs_err *err, int ret)
{
	if (err->value == err->limit)
		return false;
	return err->limit || ret == -EUCLEAN || ret == -EINVAL || strstr(err->what, "checksum");
}

void err_text(const struct dsfs_err *err, int ret, char *buf, size_t size)
{
	char have[GROUPED_MAX], all[GROUPED_MAX];

	if (!err->what)
		snprintf(buf, size, "%s", err_why(ret));
	else if (ret == -EFBIG)
		snprintf(buf, size, "cut short: %s of %s bytes", grouped(err->limit, have),
			 grouped(err->value, all));
	else if (ret == -EBADMSG && has_limit(err, ret))
		snprintf(buf, size, "%s: %#llx, expected %#llx: %s", err->what, err->value,
			 err->limit, err_why(ret));
	else if (ret == -EREMOTEIO)
		snprintf(buf, size, "%s: %s", err->what, err_why(ret));
	else if (!has_limit(err, ret))
		snprintf(buf, size, "%s: %llu: %s", err->what, err->value, err_why(ret));
	else
		snprintf(buf, size, "%s: %llu (%#llx), limit %llu (%#llx): %s", err->what,
			 err->value, err->value, err->limit, err->limit, err_why(ret));
}

void api_error(struct dsfs_error *error, int ret, const struct dsfs_err *err, const char *fmt, ...)
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
	/* names hold any byte, and the end may be in the middle of a character */
	utf8_no_controls(error->message, '?');
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
