/* SPDX-License-Identifier: GPL-2.0 */
/* A short text of a server, as a whole: manifests and tokens of registries. */
#ifndef HTTP_TEXT_H
#define HTTP_TEXT_H

#include "object.h"

/* The least that a registry has to take for a manifest, and more than any that is meant here */
#define TEXT_MAX	(4 << 20)

/**
 * struct text_request - what is asked for
 * @what: it is, for messages
 * @url: where
 * @accept: types that are taken, or NULL
 * @authorization: value of the header, or NULL
 * @lines: of a header file, or NULL
 */
struct text_request {
	const char *what;
	const char *url;
	const char *accept;
	const char *authorization;
	const char *lines;
};

/**
 * struct http_text - what came
 * @body: @len bytes, to be freed; NULL: nothing
 * @challenge: what the server wants to know first, if it says 401
 */
struct http_text {
	char *body;
	size_t len;
	char challenge[CHALLENGE_MAX];
};

/**
 * text_get - ask for a text, with the options of @obj
 * @t: filled in
 * @stop: as for http_read()
 * @why: gets what is wrong
 *
 * Return: 0; -EACCES, maybe with a challenge; or another negative errno.
 */
int text_get(const struct http_object *obj, const struct text_request *q, struct http_text *t,
	     int (*stop)(void), char why[HTTP_WHY]);

#endif /* HTTP_TEXT_H */
