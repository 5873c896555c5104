/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Short texts, read as a whole: of servers, as manifests and tokens of registries, and of files;
 * and JSON, which most of them are.
 */
#ifndef HTTP_TEXT_H
#define HTTP_TEXT_H

#include <jansson.h>

#include "object.h"

/* Limit of a text: the manifest size that every registry must accept (distribution spec) */
#define TEXT_MAX	(4 << 20)

/**
 * struct text_request - a request for a text
 * @what: name of the text in messages
 * @url: its URL
 * @accept: header Accept, or NULL
 * @authorization: header Authorization, or NULL
 * @lines: lines of a header file, or NULL
 * @form: body of a POST; NULL: a GET
 */
struct text_request {
	const char *what;
	const char *url;
	const char *accept;
	const char *authorization;
	const char *lines;
	const char *form;
};

/**
 * struct http_text - a text
 * @body: @len bytes, allocated; NULL: nothing
 * @challenge: header WWW-Authenticate of a response 401
 */
struct http_text {
	char *body;
	size_t len;
	char challenge[CHALLENGE_MAX];
};

/**
 * text_get - read a text, with the options of @obj
 * @t: filled in
 * @stop: as for http_read()
 * @why: filled in with the reason of an error
 *
 * Return: 0; -EACCES, maybe with a challenge; or another negative errno.
 */
int text_get(const struct http_object *obj, const struct text_request *q, struct http_text *t,
	     int (*stop)(void), char why[HTTP_WHY]);

/**
 * text_of_file - the contents of a file that is small
 * @most: limit of its bytes
 * @regular: no other file is opened, as a pipe may have no writer
 * @len: set to the number of its bytes, which may be NULs
 *
 * Return: allocated, terminated; NULL with errno, EFBIG if it is longer.
 */
char *text_of_file(const char *path, size_t most, bool regular, size_t *len);

/**
 * json_load - parse a text that is a JSON object
 * @what: name of the text, for @why
 * @root: set to the object; to be freed with json_decref()
 *
 * Duplicate members, and text behind the object, are errors.
 *
 * Return: 0 or -EINVAL (no JSON, no object).
 */
int json_load(const char *text, size_t len, const char *what, json_t **root, char why[HTTP_WHY]);

/* Members of @object, which may be NULL.  A member of another type counts as absent. */
const char *json_text(const json_t *object, const char *name);
bool json_count(const json_t *object, const char *name, uint64_t *n);

#endif /* HTTP_TEXT_H */
