/* SPDX-License-Identifier: GPL-2.0 */
/* Checks of a response; its callbacks for libcurl are in object.h. */
#ifndef HTTP_ANSWER_H
#define HTTP_ANSWER_H

#include "object.h"

enum answer_kind {
	ANSWER_RIGHT,	/* of the object that was opened, as far as its headers tell */
	ANSWER_OTHER,	/* of another object */
	ANSWER_UNKNOWN,	/* without ETag and Last-Modified, which the object had when opened */
};

/** answer_object - compare length and tag of a response with those of the object */
enum answer_kind answer_object(const struct http_range *r);

/** answer_is_range - whether a response is the requested range, by its head */
bool answer_is_range(const struct http_range *r);

/** answer_bytes - bytes that the body of such a response has */
size_t answer_bytes(const struct http_range *r);

#endif /* HTTP_ANSWER_H */
