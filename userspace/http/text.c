// SPDX-License-Identifier: GPL-2.0
/*
 * Texts of servers.  Each is read by an object of its own, which is freed then: so retries,
 * waits, redirects and errors are those of ranges of images.  JSON is parsed by jansson, which
 * limits depth itself.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"
#include "words.h"

static int ask(struct http_object *of, const struct text_request *q, int (*stop)(void),
	       char why[HTTP_WHY])
{
	int ret = address_parse(&of->own.first, q->url, why);

	if (ret)
		return ret;
	of->text = true;
	of->accept = q->accept;
	of->form = q->form;
	of->authorization = text_copy(q->authorization);
	of->header_lines = text_copy(q->lines);
	if ((q->authorization && !of->authorization) || (q->lines && !of->header_lines))
		return -ENOMEM;
	return object_find(of, stop, why);
}

int text_get(const struct http_object *obj, const struct text_request *q, struct http_text *t,
	     int (*stop)(void), char why[HTTP_WHY])
{
	struct http_options options = obj->opt;
	char text[HTTP_WHY] = "no memory";
	struct http_object *of;
	int ret = -ENOMEM;

	*t = (struct http_text){ };
	options.header_file = NULL;
	options.connections = 1;
	of = object_new(&options, TEXT_MAX);
	if (of) {
		of->curl = obj->curl;
		ret = ask(of, q, stop, text);
		memcpy(t->challenge, of->challenge, sizeof(t->challenge));
	}
	if (!ret) {
		t->body = (char *)of->head;
		t->len = of->head_len;
		of->head = NULL;
	}
	object_free(of);
	if (ret)
		snprintf(why, HTTP_WHY, "%s: %.150s", q->what, text);
	return ret;
}

/* Read to the end, as one read() of a pipe may be short.  Return: bytes; -1 with errno. */
static ssize_t read_all(int fd, char *text, size_t size)
{
	size_t len = 0;
	ssize_t n = 1;

	while (n > 0 && len < size) {
		n = read(fd, text + len, size - len);
		len += n > 0 ? n : 0;
	}
	if (n > 0)
		errno = EFBIG;
	return n ? -1 : len;
}

char *text_of_file(const char *path, size_t most, bool regular, size_t *len)
{
	char *text = malloc(most + 1);
	int fd = open(path, O_RDONLY | O_CLOEXEC | (regular ? O_NONBLOCK : 0));
	struct stat st;
	ssize_t n = -1;

	if (fd >= 0 && text && !fstat(fd, &st) && (!regular || S_ISREG(st.st_mode)))
		n = read_all(fd, text, most + 1);
	if (fd >= 0)
		close(fd);
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	*len = n;
	return text;
}

/* Not what stands "near" the error: that is a piece of the text, which may be a password. */
static int say_no_json(const json_error_t *error, const char *what, char why[HTTP_WHY])
{
	const char *near = strstr(error->text, " near ");
	const size_t n = near ? (size_t)(near - error->text) : strlen(error->text);

	return why_fail(why, -EINVAL, "%.60s: no JSON: byte %d: %.*s", what, error->position,
			n < 80 ? (int)n : 80, error->text);
}

int json_load(const char *text, size_t len, const char *what, json_t **root, char why[HTTP_WHY])
{
	json_error_t error;

	*root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	if (!*root)
		return say_no_json(&error, what, why);
	if (json_is_object(*root))
		return 0;
	json_decref(*root);
	return why_fail(why, -EINVAL, "%.60s: no object of JSON", what);
}

/* A text with a NUL in it would be cut there by what uses it; it counts as absent. */
const char *json_text(const json_t *object, const char *name)
{
	const json_t *member = json_object_get(object, name);
	const char *text = json_string_value(member);

	return text && strlen(text) == json_string_length(member) ? text : NULL;
}

bool json_count(const json_t *object, const char *name, uint64_t *n)
{
	const json_t *member = json_object_get(object, name);

	if (!json_is_integer(member) || json_integer_value(member) < 0)
		return false;
	*n = json_integer_value(member);
	return true;
}
