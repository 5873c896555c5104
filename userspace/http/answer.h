/* SPDX-License-Identifier: GPL-2.0 */
/* What an answer is, beside what object.h declares of it. */
#ifndef HTTP_ANSWER_H
#define HTTP_ANSWER_H

#include "object.h"

enum answer_kind {
	ANSWER_RIGHT,	/* of the object that was opened, as far as can be told */
	ANSWER_OTHER,	/* of another one */
	ANSWER_UNKNOWN,	/* the server told before, and does not now */
};

/** answer_object - of which object it is */
enum answer_kind answer_object(const struct http_range *r);

/** answer_is_range - whether it is what was asked for, by its head */
bool answer_is_range(const struct http_range *r);

/** answer_bytes - how long its body has to be, if it is */
size_t answer_bytes(const struct http_range *r);

#endif /* HTTP_ANSWER_H */
