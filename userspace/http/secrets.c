// SPDX-License-Identifier: GPL-2.0
/*
 * What proves who asks: the header file and keys of S3.  Both live shorter than a job may run, so
 * they are read again when a server refuses them.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "object.h"

/* Bytes of a header file */
#define HEADERS_MAX	65536

/* The lines of a header file: memory to be freed, or NULL with errno */
static char *read_lines(const char *path)
{
	char *text = malloc(HEADERS_MAX);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	if (fd >= 0 && text)
		n = read(fd, text, HEADERS_MAX - 1);
	if (fd >= 0)
		close(fd);
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

int secrets_load(struct http_object *obj, char why[HTTP_WHY])
{
	if (!obj->opt.header_file)
		return 0;
	obj->header_lines = read_lines(obj->opt.header_file);
	if (obj->header_lines)
		return 0;
	snprintf(why, HTTP_WHY, "%.100s: %s", obj->opt.header_file, strerror(errno));
	return -EINVAL;
}

static bool reload_headers(struct http_object *obj)
{
	char *lines = obj->opt.header_file ? read_lines(obj->opt.header_file) : NULL;
	bool other = lines && strcmp(lines, obj->header_lines);
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

static bool reload_keys(struct http_object *obj)
{
	char why[HTTP_WHY];
	struct aws now, old;
	bool other;

	if (!obj->s3 || aws_load(&now, &obj->opt, why))
		return false;
	other = !aws_same_keys(&now, &obj->aws);
	old = now;
	if (other) {
		pthread_mutex_lock(&obj->lock);
		old = obj->aws;
		obj->aws = now;
		pthread_mutex_unlock(&obj->lock);
	}
	aws_free(&old);
	return other;
}

bool secrets_reload(struct http_object *obj)
{
	const bool headers = reload_headers(obj);

	return reload_keys(obj) || headers;
}
