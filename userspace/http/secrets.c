// SPDX-License-Identifier: GPL-2.0
/*
 * Credentials: the header file, keys of S3 and tokens of registries.  All may expire while a job
 * runs, so they are read or made again when a server refuses them.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* Limit of a header file, in bytes */
#define LINES_MAX	65536

/*
 * Read a header file: allocated, or NULL with errno.  @again: only a regular file, as a pipe
 * may have no writer any more.
 */
static char *read_lines(const char *path, bool again)
{
	size_t len;
	char *text = text_of_file(path, LINES_MAX, again, &len);

	/* it would end the text; as another control it is a line that is bad */
	for (char *nul; text && (nul = memchr(text, '\0', len)); )
		*nul = '\1';
	return text;
}

/* Whether a line is a header or has nothing to say */
static bool is_header(const char *line, size_t n)
{
	while (n && line[n - 1] == '\r')
		n--;
	if (!n || *line == '#')
		return true;
	for (size_t i = 0; i < n; i++) {
		if (iscntrl((unsigned char)line[i]) && line[i] != '\t')
			return false;
	}
	return memchr(line, ':', n);
}

/* Number of the first line that libcurl would drop silently, or cut; 0: there is none */
static int bad_line(const char *at)
{
	size_t n;

	for (int line = 1; *at; at += n + !!at[n], line++) {
		n = strcspn(at, "\n");
		if (!is_header(at, n))
			return line;
	}
	return 0;
}

int secrets_load(struct http_object *obj, char why[HTTP_WHY])
{
	int line;

	if (!obj->opt.header_file)
		return 0;
	obj->header_lines = read_lines(obj->opt.header_file, false);
	if (!obj->header_lines)
		return why_fail(why, -EINVAL, "%.100s: %s", obj->opt.header_file, strerror(errno));
	line = bad_line(obj->header_lines);
	if (line)
		snprintf(why, HTTP_WHY, "%.100s: line %d: not of the form \"Name: value\"",
			 obj->opt.header_file, line);
	return line ? -EINVAL : 0;
}

/* A file with a bad line is being written, or was spoilt: what was read before stays. */
static bool reload_headers(struct http_object *obj)
{
	char *lines = obj->opt.header_file ? read_lines(obj->opt.header_file, true) : NULL;
	bool other = lines && !bad_line(lines) && strcmp(lines, obj->header_lines);
	char *old = lines;

	if (other) {
		pthread_mutex_lock(&obj->lock);
		old = obj->header_lines;
		obj->header_lines = lines;
		pthread_mutex_unlock(&obj->lock);
	}
	free(old);
	return other;
}

/* Read keys again.  Return: 0, or why there are none; @other: whether they have changed */
static int reload_keys(struct http_object *obj, bool *other, int (*stop)(void),
		       char why[HTTP_WHY])
{
	struct aws now, old;
	int ret = aws_load(&now, obj, stop, why);

	if (ret)
		return ret;
	*other = !aws_same_keys(&now, &obj->aws);
	old = now;
	if (*other) {
		pthread_mutex_lock(&obj->lock);
		old = obj->aws;
		obj->aws = now;
		pthread_mutex_unlock(&obj->lock);
	}
	aws_free(&old);
	return 0;
}

int secrets_keys(struct http_object *obj, int (*stop)(void), char why[HTTP_WHY])
{
	bool other;
	const int ret = reload_keys(obj, &other, stop, why);

	if (!ret)
		__atomic_fetch_add(&obj->serial, 1, __ATOMIC_RELEASE);
	return ret;
}

/* One that refuses without a challenge wants nothing to be known. */
bool secrets_can_renew(struct http_object *obj)
{
	bool can;

	pthread_mutex_lock(&obj->lock);
	can = obj->ref.base ? *obj->challenge : obj->s3 && obj->aws.slow;
	pthread_mutex_unlock(&obj->lock);
	return can;
}

/* When a token expires, all readers come here: one of them renews it, the others wait. */
int secrets_renew(struct http_object *obj, unsigned int serial, int (*stop)(void),
		  char why[HTTP_WHY])
{
	int ret = 0;

	snprintf(why, HTTP_WHY, "interrupted");
	if (sleep_on(&obj->renewing, stop))
		return -EINTR;
	if (__atomic_load_n(&obj->serial, __ATOMIC_ACQUIRE) == serial)
		ret = obj->renew(obj, stop, why);
	sem_post(&obj->renewing);
	return ret;
}

bool secrets_reload(struct http_object *obj)
{
	bool other = false;
	char why[HTTP_WHY];

	if (obj->s3 && !obj->aws.slow)
		reload_keys(obj, &other, NULL, why);
	return reload_headers(obj) || other;
}
