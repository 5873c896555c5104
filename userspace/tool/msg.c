// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of the tools.  A path may hold any byte but NUL.  Names of a data set must not reach
 * the terminal as control sequences, nor split a line for a program that reads the messages.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#include "image.h"
#include "msg.h"
#include "utf8.h"

static const char *msg_tool = "dsfs";
static int msg_lost = 1;
static bool msg_said;
static bool msg_stopped;
static void (*msg_before)(void);

/*
 * Open standard descriptors that the parent has closed.  Otherwise the next file, perhaps the
 * image, would get such a number, and a message would be written into it.  The replacement is
 * not writable, so output that goes nowhere is still an error.
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

void msg_lost_stdout(void)
{
	if (!msg_said)
		msg_error("standard output", "%s", errno ? strerror(errno) : "cannot be written");
	msg_said = true;
}

int msg_flush_stdout(void)
{
	bool lost = ferror(stdout);

	errno = 0;
	if (!fflush(stdout) && !lost)
		return 0;
	/* the errno of an earlier write is not known any more */
	msg_lost_stdout();
	return -1;
}

/* some file systems report a full disk only on close */
static void close_stdout(void)
{
	if (msg_said)
		return;		/* the exit status is what was made of it */
	if (msg_flush_stdout())
		_exit(msg_lost);
	if (close(STDOUT_FILENO)) {
		msg_error("standard output", "%s", strerror(errno));
		_exit(msg_lost);
	}
}

void msg_init(const char *tool, int lost)
{
	static bool registered;

	msg_tool = tool;
	msg_lost = lost;
	reserve_descriptors();
	if (registered)
		return;
	if (atexit(close_stdout)) {
		no_memory();
		exit(lost);
	}
	registered = true;
}

const char *msg_name(void)
{
	return msg_tool;
}

void msg_stop(void)
{
	__atomic_store_n(&msg_stopped, true, __ATOMIC_SEQ_CST);
}

void msg_hook(void (*fn)(void))
{
	__atomic_store_n(&msg_before, fn, __ATOMIC_RELEASE);
}

char *msg_escape(char *buf, size_t size, const char *path)
{
	const u8 *p = (const u8 *)path;
	size_t left = strlen(path), n = 0, len;
	bool plain;

	for (; left; left -= len) {
		len = utf8_char(p, left, &plain);
		if (n + 4 * len >= size)
			break;
		for (size_t i = 0; i < len; i++, p++) {
			if (plain && *p != '\\')
				buf[n++] = *p;
			else
				n += snprintf(buf + n, size - n, "\\%03o", *p);
		}
	}
	buf[n] = '\0';
	return buf;
}

const char *msg_why(int err)
{
	switch (err) {
	case ELOOP:
		return "symbolic links that lead in a circle";
	case ESTALE:
		return "it is gone from the server that had it";
	default:
		return err_why(-err);
	}
}

bool msg_colours(int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no && *no) && term && strcmp(term, "dumb") && isatty(fd);
}

/* The colour of a kind of message: red for errors, yellow for warnings */
static const char *colour(const char *kind)
{
	if (!msg_colours(STDERR_FILENO))
		return "";
	return *kind ? "\033[33m" : "\033[31m";
}

/* Write a line with one call: stderr is unbuffered, and would write it in pieces. */
static void msg_line(const char *path, const char *kind, const char *fmt, va_list ap)
{
	const char *on = colour(kind);
	void (*before)(void);
	size_t size = 1024 + (path ? 4 * strlen(path) : 0);
	char *line = malloc(size);
	ssize_t wrote;
	size_t n;
	int len;

	while (__atomic_load_n(&msg_stopped, __ATOMIC_SEQ_CST))
		pause();
	if (!line)
		return;
	n = snprintf(line, size, "%s%s:%s ", on, msg_tool, *on ? "\033[m" : "");
	if (path) {
		msg_escape(line + n, size - n, path);
		n += strlen(line + n);
		n += snprintf(line + n, size - n, ": ");
	}
	n += snprintf(line + n, size - n, "%s", kind);
	len = vsnprintf(line + n, size - n - 1, fmt, ap);
	if (len > 0) {
		utf8_no_controls(line + n, '?');
		n += strlen(line + n);
	}
	line[n++] = '\n';
	before = __atomic_load_n(&msg_before, __ATOMIC_ACQUIRE);
	if (before)
		before();
	/* an error here cannot be reported */
	wrote = write(STDERR_FILENO, line, n);
	(void)wrote;
	free(line);
}

int msg_error(const char *path, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	msg_line(path, "", fmt, ap);
	va_end(ap);
	return -1;
}

int msg_fail(int ret, const char *path, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	msg_line(path, "", fmt, ap);
	va_end(ap);
	return ret;
}

int no_memory(void)
{
	return msg_fail(-ENOMEM, NULL, "out of memory");
}

int msg_warn(const char *path, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	msg_line(path, "warning: ", fmt, ap);
	va_end(ap);
	return 0;
}
